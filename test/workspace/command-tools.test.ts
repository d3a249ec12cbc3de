// Tools that run commands.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { JsonObject } from "agentchart";
import { folderUnderTest } from "./folder.ts";
import { coder } from "./coder.ts";

async function setUp() {
  const { workspace, root, dispose } = await folderUnderTest({ sandbox: "none" });
  onTestFinished(async () => {
    await workspace.close();
    await dispose();
  });
  return { ...coder(workspace), workspace, root };
}

const run = (command: string, more: JsonObject = {}) => ["run_command", { command, ...more }] as const;

describe("run_command", () => {
  test("returns the output and how the command ended", async () => {
    const { run: results } = await setUp();
    const found = await results(
      run("echo out; echo err >&2; exit 3"),
      run("true"),
      run("kill -9 $$"),
      run("echo begun; sleep 1000", { timeout_ms: 200 }),
      run("pwd", { cwd: "../.." }),
      run("printf '\\033[31mred\\033[0m\\n'"),
    );
    const text = found.map(({ output: [block], state, metadata }) => [
      block?.type === "text" && block.text,
      state,
      metadata,
    ]);
    expect(text).toEqual([
      [expect.stringMatching(/^(out\nerr|err\nout)\n\[Exit code 3\.\]$/u), "success", { exitCode: 3 }],
      ["[Exit code 0.]", "success", { exitCode: 0 }],
      ["[Ended by SIGKILL.]", "error", { exitCode: null, signal: "SIGKILL" }],
      [
        "begun\n[Stopped after 200 ms, with all of its processes.]",
        "error",
        { exitCode: null, signal: "SIGKILL", stopped: "timeout" },
      ],
      ["Error: '../..' is outside of the workspace.", "error", { code: "workspace/bad-path" }],
      ["red\n[Exit code 0.]", "success", { exitCode: 0 }],
    ]);
  });

  test("keeps the tail of a long output, and streams no more than a bound", async () => {
    const { agent, texts } = await setUp();
    let streamed = 0;
    agent.subscribe((event) => void (streamed += event.type === "tool.delta" ? event.delta.length : 0), {
      types: ["tool.delta"],
    });
    const [text] = await texts(run("seq 1 300000"));
    expect(text!.length).toBeLessThan(50_200);
    expect(text).toMatch(/^\[\d+ characters before this are left out\]\n\d+\n/u);
    expect(text).toMatch(/\n299999\n300000\n\[Exit code 0\.\]$/u);
    const [, dropped] = /^\[(\d+)/u.exec(text!)!;
    const whole = Array.from({ length: 300_000 }, (_, at) => `${at + 1}\n`).join("");
    expect(text!.slice(text!.indexOf("\n") + 1)).toBe(`${whole.slice(Number(dropped))}[Exit code 0.]`);
    expect(streamed).toBeGreaterThan(200_000);
    expect(streamed).toBeLessThan(251_000);
  });

  test("streams while the command runs, and an interrupt stops it with all of its processes", async () => {
    const { agent, root, texts } = await setUp();
    const pid = join(root, "pid");
    agent.subscribe((event) => void (event.type === "tool.delta" && agent.interrupt()), {
      types: ["tool.delta"],
    });
    await texts(run(`sh -c 'echo $$ > ${pid}; echo up; exec sleep 1000'`));
    const isRunning = (): boolean => {
      try {
        return process.kill(Number(readFileSync(pid, "utf8")), 0);
      } catch {
        return false;
      }
    };
    await expect.poll(isRunning).toBe(false);
    expect(agent.status().phase).toBe("stopped");
  });
});

describe("in the background", () => {
  test("a command goes on, is read piece by piece, and ends", async () => {
    const { root, texts } = await setUp();
    const begun = await texts(
      run(`echo first; until [ -e go ]; do sleep 0.01; done; echo last`, { background: true }),
      ["command_output", { id: "cmd_1", wait_ms: 1 }],
    );
    expect(begun[0]).toBe("Started in the background as 'cmd_1'.");
    expect(begun[1]).toMatch(/^(first\n)?\[cmd_1 is running\.\]$/u);
    writeFileSync(join(root, "go"), "");
    const [ended, again] = await texts(
      ["command_output", { id: "cmd_1", wait_ms: 60_000 }],
      ["command_output", { id: "cmd_1" }],
    );
    expect(ended).toMatch(/^(first\n)?last\n\[cmd_1 has ended\. Exit code 0\.\]$/u);
    expect(again).toBe("[cmd_1 has ended. Exit code 0.]");
  });

  test("a command is stopped, is known to its session only, and eight run at once", async () => {
    const { texts, workspace } = await setUp();
    const sleeping = run("sleep 1000", { background: true });
    const all = await texts(
      ...Array.from({ length: 9 }, () => sleeping),
      ["command_stop", { id: "cmd_3" }],
      sleeping,
    );
    expect(all[8]).toBe("Error: 8 commands run in the background already; stop one first.");
    expect(all.slice(9)).toEqual(["[cmd_3 has ended. Stopped.]", "Started in the background as 'cmd_9'."]);
    const [other] = await coder(workspace).texts(["command_output", { id: "cmd_1" }]);
    expect(other).toMatch(
      /^Error: There is no command 'cmd_1' in the background: it was never started, it has ended and was forgotten/u,
    );
  });
});

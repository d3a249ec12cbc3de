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
  const idIn = (text = ""): string => /^Started in the background as '(cmd_[\da-f]{8})'\.$/u.exec(text)![1]!;

  test("a command goes on, is read piece by piece, and ends", async () => {
    const { root, texts } = await setUp();
    const waiting = `echo first; until [ -e go ]; do sleep 0.01; done; echo last`;
    const id = idIn((await texts(run(waiting, { background: true })))[0]);
    const [begun] = await texts(["command_output", { id, wait_ms: 1 }]);
    expect(begun?.replace("first\n", "")).toBe(`[${id} is running.]`);
    writeFileSync(join(root, "go"), "");
    const [ended, again] = await texts(
      ["command_output", { id, wait_ms: 60_000 }],
      ["command_output", { id }],
    );
    expect(ended?.replace("first\n", "")).toBe(`last\n[${id} has ended. Exit code 0.]`);
    expect(again).toBe(`[${id} has ended. Exit code 0.]`);
  });

  test("a command is stopped, is known to its session only, and eight run at once", async () => {
    const { texts, workspace } = await setUp();
    const sleeping = run("sleep 1000", { background: true });
    const all = await texts(...Array.from({ length: 9 }, () => sleeping));
    expect(all[8]).toBe("Error: 8 commands run in the background already; stop one first.");
    const [first, , id] = all.slice(0, 8).map(idIn) as [string, string, string];
    const [stopped, next] = await texts(["command_stop", { id }], sleeping);
    expect(stopped).toBe(`[${id} has ended. Stopped.]`);
    expect(all.slice(0, 8).map(idIn)).not.toContain(idIn(next));
    const [other] = await coder(workspace).texts(["command_output", { id: first }]);
    expect(other).toContain(
      `There is no command '${first}' in the background: it was never started, it has ended and was forgotten`,
    );
  });

  test("a later process gives no command the name of an earlier one", async () => {
    const { texts, workspace } = await setUp();
    const [earlier] = await texts(run("exit 0", { background: true }));
    const [later] = await coder(workspace).texts(run("exit 0", { background: true }));
    expect(idIn(later)).not.toBe(idIn(earlier));
  });
});

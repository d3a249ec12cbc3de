import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startHub } from "agentchart/inspect";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "./fixture.ts";

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));
const TIMEOUT = 180_000;

type Finished = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/** Runs the demo as a person does, without any key of the machine that runs the test. */
function demo(
  args: readonly string[],
  {
    env = {},
    onOutput,
  }: { env?: Record<string, string>; onOutput?: (text: string, interrupt: () => void) => void } = {},
): Promise<Finished & { out: string }> {
  const out = join(temporaryFolder(), "out");
  const { OPENAI_API_KEY: _, DASHSCOPE_API_KEY: __, OPENAI_BASE_URL: ___, ...inherited } = process.env;
  const child = spawn(process.execPath, ["--conditions=agentchart-source", MAIN, "--out", out, ...args], {
    env: { ...inherited, ...env },
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    onOutput?.(stdout, () => child.kill("SIGINT"));
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, stdout, stderr, out })));
}

describe("the demo", { timeout: TIMEOUT }, () => {
  test.each([
    [
      "en",
      "Total amount: 163946.22",
      ["Query the figures", "Draw the charts", "Write the report"],
      ["done", "in progress"],
    ],
    ["zh", "金额总计：163946.22", ["查询数据", "绘制图表", "撰写报告"], ["已完成", "进行中"]],
  ])("does the production task in %s, after a plan", async (language, figure, steps, [done, running]) => {
    const { code, stdout, stderr, out } = await demo(["--lang", language]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const lines = stdout.trimEnd().split("\n");
    expect(lines[0]).toMatch(/^Model: a built-in stand-in, a rule-based planner and not a language model/);
    expect(stdout).toContain(figure);
    expect(stdout).toMatch(
      /● reasoning[\s\S]*→ query_database[\s\S]*✓ query_database {2}\d+ ms[\s\S]*● acting/,
    );
    expect(stdout).toMatch(/Path through the chart[\s\S]*reasoning[\s\S]*acting[\s\S]*stopped/);
    expect(stdout).toMatch(/\d+ tokens in, \d+ out \(estimated\), cost –/);
    const report = /^Report: (.+\.html)$/.exec(lines.at(-1)!)?.[1];
    expect(report?.startsWith(out)).toBe(true);
    const html = readFileSync(report!, "utf8");
    expect(html).toContain("synthetic");
    const shown = [...html.matchAll(/<li>([^<]+) <strong>([^<]+)<\/strong>/g)].map(([, ...item]) => item);
    expect(shown).toEqual(steps.map((step, at) => [step, at === 2 ? running : done]));
    const plans = lines.filter((line) => line.startsWith("Plan: "));
    expect(plans.map((line) => line.match(/\[.\]/g)?.join(""))).toEqual([
      "[ ][ ][ ]",
      "[>][ ][ ]",
      "[x][>][ ]",
      "[x][x][>]",
      "[x][x][x]",
      undefined,
    ]);
    for (const step of steps) expect(plans[0]).toContain(`[ ] ${step}`);
    expect(stdout).not.toContain("\u001b");
  });

  test("asked to be shown where no inspector runs, or was killed, says how to start one and ends well", async () => {
    const home = temporaryFolder();
    const shown = async () => demo(["--inspect"], { env: { HOME: home, USERPROFILE: home } });
    const hint =
      /^No inspector runs\. Start one in another terminal, "npm run build && npx agentchart inspect"/m;
    const alone = await shown();
    expect({ code: alone.code, stderr: alone.stderr }).toEqual({ code: 0, stderr: "" });
    expect(alone.stdout.match(new RegExp(hint, "gm"))).toHaveLength(1);
    expect(alone.stdout).toMatch(/^Report: .+\.html$/m);
    const hub = await startHub({ home });
    const left = readFileSync(join(home, ".agentchart", "inspect.json"), "utf8");
    expect((await shown()).stdout).not.toMatch(hint);
    await hub.close();
    writeFileSync(join(home, ".agentchart", "inspect.json"), left);
    expect((await shown()).stdout).toMatch(hint);
  });

  test("killed in the middle of a tool, goes on in a new process and comes to the same figures", async () => {
    const { code, stdout, stderr } = await demo(["--crash"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("The process was killed (SIGKILL)");
    expect(stdout).toContain("Found an unfinished turn with 6 messages");
    expect(stdout).toContain("Total amount: 163946.22");
    expect(stdout.match(/→ describe_database/g)).toHaveLength(1);
    expect(stdout).not.toContain("failed");
  });

  test("hands the session from a worker that is killed to another, which comes to the same figures", async () => {
    const { code, stdout, stderr, out } = await demo(["--workers", "2"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const [, killed] = /^(Worker \d) was killed \(SIGKILL\) in the middle of a query/m.exec(stdout)!;
    const other = killed === "Worker 1" ? "Worker 2" : "Worker 1";
    expect(stdout).toContain(`${killed} took the session.\n`);
    expect(stdout).toContain(`${other} took the session over.\n`);
    expect(stdout.match(/✓ describe_database/g)).toHaveLength(1);
    expect(stdout).toContain(`${killed}  ✓ describe_database`);
    expect(stdout.match(/✓ query_database/g)).toHaveLength(stdout.match(/→ query_database/g)!.length);
    expect(stdout.indexOf(`${other}  ✓ query_database`)).toBeGreaterThan(stdout.indexOf("was killed"));
    expect(stdout).toContain("Total amount: 163946.22");
    expect(stdout).not.toContain("✗");
    expect(stdout.trimEnd().split("\n").at(-1)).toBe(`The turn ended with MODEL_STOP, in ${other}.`);
    const report = /^Report: (.+\.html)$/m.exec(stdout)?.[1];
    expect(report?.startsWith(out)).toBe(true);
    expect(existsSync(report!)).toBe(true);
  });

  test("with workers ends at Ctrl-C", async () => {
    let interrupted = false;
    const { code, stderr } = await demo(["--workers", "3"], {
      onOutput: (text, interrupt) => {
        if (interrupted || !text.includes("was killed")) return;
        interrupted = true;
        interrupt();
      },
    });
    expect({ code, stderr }).toEqual({ code: 130, stderr: "" });
  });

  test("answers a question about the user's own CSV", async () => {
    const csv = join(temporaryFolder(), "my.csv");
    writeFileSync(csv, "town;paid\nOslo;1,5\nRome;2,25\nOslo;3\n");
    const { code, stdout } = await demo(["total paid by town", "--csv", csv]);
    expect(code).toBe(0);
    expect(stdout).toContain("- Oslo: total paid 4.5, 66.7 % of the whole");
    expect(stdout).toContain("table my, 3 rows (decimal commas in paid)");
    expect(stdout).not.toContain("synthetic");
  });

  test("says what it can answer if it is asked something else, and that is no failure", async () => {
    const { code, stdout } = await demo(["Who are you?"]);
    expect(code).toBe(0);
    expect(stdout).toContain("You could ask:");
  });

  test("ends the turn cleanly at Ctrl-C", async () => {
    let interrupted = false;
    const { code, stdout, stderr } = await demo(["--pace", "15"], {
      onOutput: (text, interrupt) => {
        if (interrupted || !text.includes("✓ describe_database")) return;
        interrupted = true;
        interrupt();
      },
    });
    expect({ code, stderr }).toEqual({ code: 130, stderr: "" });
    expect(stdout).toContain("Path through the chart (ended with INTERRUPTED)");
  });

  test.each([
    [
      ["--db", "/nowhere.sqlite"],
      1,
      /^Error: No such file: \/nowhere\.sqlite\. Check the path after --db\.\n$/,
    ],
    [["--csv", MAIN], 1, /^Error: main\.ts.*\n$/],
    [["--workers", "1"], 2, /^Error: --workers takes a number from 2 to 8, not "1"\.\n$/],
    [["--workers", "2", "--crash"], 2, /^Error: Use --workers or --crash, not both\.\n$/],
    [["--workers", "2", "--inspect"], 2, /^Error: Use --workers or --inspect, not both\.\n$/],
    [["--wrong"], 2, /^Error: Unknown option '--wrong'\. Try --help\.\n$/],
  ])("says in one line what is wrong with %j", async (args, exitCode, problem) => {
    const { code, stderr, out } = await demo(args);
    expect(code).toBe(exitCode);
    expect(stderr).toMatch(problem);
    expect(existsSync(out)).toBe(false);
  });

  test("names the server it cannot reach, and what to do", async () => {
    const env = { OPENAI_BASE_URL: "http://127.0.0.1:9/v1", AGENTCHART_MODEL: "qwen3" };
    const { code, stdout, stderr } = await demo([], { env });
    expect(code).toBe(1);
    expect(stdout.split("\n")[0]).toBe(
      "Model: qwen3 at 127.0.0.1:9. The schema and query results are sent there (--offline avoids it).",
    );
    expect(stderr).toMatch(/^Error: .*127\.0\.0\.1:9.*--offline.*\n$/);
  });

  test("explains itself", async () => {
    const { code, stdout } = await demo(["--help"]);
    expect(code).toBe(0);
    expect(stdout).toContain("npm run demo");
  });
});

// Specifies the demo as a person runs it: the profile without a key, crashes, interrupts, and errors in one line.
import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "./fixture.ts";

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));
const TIMEOUT = 180_000;
const FIGURE = "Table orders: 900 rows";

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
  test("profiles the orders without a key, after a plan, and writes a report with charts", async () => {
    const { code, stdout, stderr, out } = await demo([]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const lines = stdout.trimEnd().split("\n");
    expect(lines[0]).toMatch(/^Model: none\. A built-in stand-in .* answers a closed list of questions/);
    expect(stdout).toContain(FIGURE);
    expect(stdout).toMatch(
      /● reasoning[\s\S]*→ query_database[\s\S]*✓ query_database {2}\d+ ms[\s\S]*● acting/,
    );
    expect(stdout).toMatch(/Path through the chart[\s\S]*reasoning[\s\S]*acting[\s\S]*stopped/);
    expect(stdout).toMatch(/\d+ tokens in, \d+ out \(estimated\), cost –/);
    const report = /^Report: (.+\.html)$/.exec(lines.at(-1)!)?.[1];
    expect(report?.startsWith(out)).toBe(true);
    const html = readFileSync(report!, "utf8");
    expect(html.match(/<svg/g)!.length).toBeGreaterThanOrEqual(3);
    expect(html).toContain("synthetic");
    const steps = ["Query the figures", "Draw the charts", "Write the report"];
    const shown = [...html.matchAll(/<li>([^<]+) <strong>([^<]+)<\/strong>/g)].map(([, ...item]) => item);
    expect(shown).toEqual(steps.map((step, at) => [step, at === 2 ? "in progress" : "done"]));
    const plans = lines.filter((line) => line.startsWith("Plan: "));
    expect(plans.map((line) => line.match(/\[.\]/g)?.join(""))).toEqual([
      "[ ][ ][ ]",
      "[>][ ][ ]",
      "[x][>][ ]",
      "[x][x][>]",
      "[x][x][x]",
      undefined,
    ]);
    expect(stdout).not.toContain("\u001b");
  });

  test("killed in the middle of a tool, goes on in a new process and comes to the same figures", async () => {
    const { code, stdout, stderr } = await demo(["--crash"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("The process was killed (SIGKILL)");
    expect(stdout).toContain("Found an unfinished turn with 6 messages");
    expect(stdout).toContain(FIGURE);
    expect(stdout.match(/→ describe_database/g)).toHaveLength(1);
    expect(stdout).not.toContain("failed");
  });

  test("answers a question of the list about the user's own CSV", async () => {
    const csv = join(temporaryFolder(), "my.csv");
    writeFileSync(csv, "town;paid\nOslo;1.5\nRome;2.25\nOslo;3\n");
    const { code, stdout } = await demo(["sum of paid by town", "--csv", csv]);
    expect(code).toBe(0);
    expect(stdout).toContain("- Oslo: 4.5");
    expect(stdout).toContain("table my, 3 rows");
    expect(stdout).not.toContain("synthetic");
  });

  test("says that a question in one's own words needs a model, and that is not a failure", async () => {
    const { code, stdout } = await demo(["Who are you?"]);
    expect(code).toBe(0);
    expect(stdout).toContain(
      "A question in your own words needs a model, and there is none: set OPENAI_API_KEY",
    );
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

// The command `crashtest`.
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, expect, onTestFinished, test, vi } from "vitest";
import { crashTest, type CrashReport } from "agentchart/testing";
import { crashtestCommand } from "../../src/cli/crashtest-command.ts";
import { openTerminal } from "../../src/cli/terminal.ts";
import { scratch } from "../store/scratch.ts";

const { dir, remove } = scratch();
afterAll(remove);

const AGENTS = join(import.meta.dirname, "../testing/crash/agents");
const FAULTY = join(AGENTS, "faulty.ts");
const SOUND = join(AGENTS, "sound.ts");

/** Runs the command, in a terminal or not, and returns what it prints. */
async function crashtest(file: string, more: object, isTTY = false) {
  const written = { stdout: "", stderr: "" };
  const output = (name: "stdout" | "stderr") => ({
    isTTY,
    write: (part: string) => void (written[name] += part),
  });
  const io = { stdout: output("stdout"), stderr: output("stderr") };
  const terminal = openTerminal(io.stdout as never, io.stderr as never, { NO_COLOR: "1" } as never);
  const flags = { input: [], at: [], json: false, ...more } as never;
  const code = await crashtestCommand({ args: { file }, flags }, { ...io, terminal } as never);
  const store = /sqlite:(\/\S+?sessions\.db)/.exec(written.stdout)?.[1];
  if (store !== undefined) onTestFinished(() => rmSync(dirname(store), { recursive: true, force: true }));
  return { code, ...written };
}

test("crashtest tells a terminal what it found, and how to see it again", async () => {
  const scenario = "says idempotent and is not";
  const { code, stdout } = await crashtest(FAULTY, { scenario, at: ["repeat:pay"] }, true);
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /^FINDING +SESSION +WHERE +WHAT\nnot-idempotent +crashtest-\w+\/2 +pay is called twice/,
  );
  expect(stdout).toContain(`faulty.ts --scenario '${scenario}' --at repeat:pay\n`);
  expect(stdout).toContain("look: agentchart inspect --store sqlite:/");
  expect(stdout).toContain("faulty: 1 of 1 points, 0 not reached, 0 not possible");
});

test("crashtest prints the report as JSON outside a terminal", async () => {
  const store = `sqlite:${dir}/s.db?password=`;
  const { code, stdout } = await crashtest(SOUND, { at: ["kill:waiting:1"], store: `${store}hunter2` });
  expect(code).toBe(0);
  const report = JSON.parse(stdout) as CrashReport;
  expect(report).toMatchObject({ agent: "desk", state: "sound", findings: [], points: { total: 1, run: 1 } });
  expect(report.store).toBe(`${store}[redacted]`);
});

test("crashtest ends with 3 if its time was over first", async () => {
  const { code, stdout } = await crashtest(SOUND, { timeLimit: 1 }, true);
  expect(stdout).toMatch(/incomplete: 0 of \d+ points/);
  expect(code).toBe(3);
});

test("crashTest leaves no folder of its own beside a store that is given", async () => {
  const place = mkdtempSync(join(dir, "tmp-"));
  vi.stubEnv("TMPDIR", place);
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(crashTest(SOUND, { store: "postgres://[" })).rejects.toThrow();
  expect((await crashTest(SOUND, { store: `file:${SOUND}/x` })).state).toBe("broken");
  expect(readdirSync(place)).toEqual([]);
});

test.each([
  ["no-such-file.ts", {}, /no-such-file\.ts does not exist/],
  [SOUND, { store: "redis://localhost" }, /Unknown store "redis:\/\/localhost"/],
  [SOUND, { release: "next" }, /the file of the release .* does not exist/],
  [SOUND, { scenario: "refund" }, /has no scenario 'refund'; it has none/],
  [SOUND, { agent: "shop" }, /has no agent 'shop'; it has desk/],
  [SOUND, { at: ["kill:append:999:before"] }, /has no point 'kill:append:999:before'; it has /],
  [FAULTY, {}, /has several scenarios, says idempotent and is not/],
  [FAULTY, { input: ["Go on."] }, /has several agents/],
])("crashtest refuses %s with %j", async (file, flags, problem) => {
  await expect(crashtest(file, flags)).rejects.toThrow(problem);
});

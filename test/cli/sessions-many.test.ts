// The commands about many sessions: `sessions overview`, `sessions label`, `sessions labels` and `sessions test`.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileStore } from "agentchart/store/file";
import { casesOfJsonLines } from "agentchart/evals";
import type { Overview } from "agentchart/inspect";
import { expect, onTestFinished, test } from "vitest";
import type { CliIo } from "../../src/cli/cli-io.ts";
import { labelCommand, labelsCommand } from "../../src/cli/sessions/label-commands.ts";
import { overviewCommand } from "../../src/cli/sessions/overview-command.ts";
import { testCommand } from "../../src/cli/sessions/test-command.ts";
import { openTerminal } from "../../src/cli/terminal.ts";
import { SUSPICIOUS_RUNS } from "../inspect/suspicions/suspicious-runs.ts";
import { scratch } from "../store/scratch.ts";

type Command = (input: never, io: CliIo) => number | Promise<number>;

/** A store with an odd session and one in which nothing is odd, and what runs a command on it. */
async function fixture() {
  const { dir: folder, remove } = scratch();
  onTestFinished(remove);
  const dir = join(folder, "sessions");
  const store = fileStore({ dir });
  for (const [sessionId, name] of [
    ["odd", "the same call three times"],
    ["quiet", "nothing odd"],
  ] as const)
    await (await SUSPICIOUS_RUNS[name]!.play({ store, sessionId })).close();
  await store.close();
  const run = async (command: Command, id: string | undefined, flags: object, isTTY = false) => {
    const written: string[] = [];
    const stdout = { isTTY, write: (each: string) => void written.push(each) };
    const stderr = { isTTY: false, write: (each: string) => void written.push(each) };
    const io = { stdout, stderr, terminal: openTerminal(stdout, stderr, {}) } as unknown as CliIo;
    const defaults = { store: `file:${dir}`, json: false, all: false, cases: false, secrets: false };
    expect(await command({ args: { id }, flags: { ...defaults, ...flags } } as never, io)).toBe(0);
    return written.join("");
  };
  return { run, folder };
}

test("sessions are summed up, labelled, and made cases and tests of", async () => {
  const { run, folder } = await fixture();
  const overview = JSON.parse(await run(overviewCommand, undefined, {})) as Overview;
  expect(overview).toMatchObject({ runs: 2, left: 0, outcomes: [{ outcome: "answered", runs: 2 }] });
  expect(overview.suspicions).toContainEqual({ kind: "repeated-call", runs: 1 });
  const narrow = JSON.parse(
    await run(overviewCommand, undefined, { suspicion: "repeated-call" }),
  ) as Overview;
  expect(narrow.runs).toBe(1);
  const table = await run(overviewCommand, undefined, {}, true);
  expect(table).toMatch(/^2 sessions: \d+ tokens in, \d+ out, cost /);
  expect(table).toMatch(/TOOL +SESSIONS +CALLS +FAILED +P50 MS +P95 MS\nlook +\d/);
  expect(table).toMatch(/repeated-call +1\n/);

  await expect(run(labelCommand, "odd", { by: "ada" })).rejects.toThrow("Missing --as");
  await expect(run(labelCommand, "nobody", { as: "right", by: "ada" })).rejects.toThrow(/nobody/);
  const text = await run(labelCommand, "odd", { as: "wrong", by: "ada", note: "Thrice.", expected: "Once." });
  expect(JSON.parse(text)).toMatchObject({ sessionId: "odd", label: "wrong", by: "ada" });
  await run(labelCommand, "odd", { as: "right" });
  expect((await run(labelsCommand, undefined, { all: true })).trim().split("\n")).toHaveLength(2);
  expect(await run(labelsCommand, "odd", {}, true)).toMatch(/^SESSION +LABEL +BY.*\nodd +right /);
  const cases = casesOfJsonLines(await run(labelsCommand, undefined, { cases: true }));
  expect(cases).toMatchObject([{ name: "odd", meta: { label: "right" } }]);

  const out = join(folder, "odd.test.ts");
  await run(testCommand, "odd", { agents: join(folder, "src/agents.ts"), out });
  expect(readFileSync(out, "utf8")).toContain('import agents from "./src/agents.ts"');
  expect(await run(testCommand, "odd", {})).toContain('import agents from "./agents.ts"');
});

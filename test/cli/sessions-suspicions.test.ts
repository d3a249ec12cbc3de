// The command `sessions suspicions`.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileStore } from "agentchart/store/file";
import { expect, onTestFinished, test } from "vitest";
import type { Input } from "../../src/cli/define-command.ts";
import { loadSuspicions } from "../../src/cli/load-suspicions.ts";
import type * as definitions from "../../src/cli/sessions/definitions.ts";
import { suspicionsCommand } from "../../src/cli/sessions/suspicions-command.ts";
import { openTerminal } from "../../src/cli/terminal.ts";
import { SUSPICIOUS_RUNS } from "../inspect/suspicions/suspicious-runs.ts";
import { scratch } from "../store/scratch.ts";

type Flags = Partial<Input<typeof definitions.suspicions>["flags"]>;

const CHECK = `export default [{
  name: "any-call", title: "a call",
  find: ({ calls }) => calls.map(({ tool, askedAt }) => ({ text: tool + " was called.", steps: [askedAt] })),
}];`;

/** A store with an odd session and one in which nothing is odd, and what prints the suspicions. */
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
  const run = async (id: string | undefined, isTTY: boolean, flags: Flags = {}, code = 0) => {
    const written: string[] = [];
    const stdout = { isTTY, write: (each: string) => void written.push(each) };
    const stderr = { isTTY: false, write: (each: string) => void written.push(each) };
    const io = { stdout, stderr, terminal: openTerminal(stdout, stderr, {}) } as unknown as Parameters<
      typeof suspicionsCommand
    >[1];
    const input = { args: { id }, flags: { store: `file:${dir}`, json: false, ...flags } };
    expect(await suspicionsCommand(input as Input<typeof definitions.suspicions>, io)).toBe(code);
    return written.join("");
  };
  return { run, folder, dir };
}

test("sessions suspicions prints what is odd in a session, and in all", async () => {
  const { run } = await fixture();
  const table = await run("odd", true);
  expect(table.split("\n")[0]).toMatch(/^SESSION +STEP +KIND +WHAT$/);
  expect(table.split("\n")[1]).toMatch(
    /^odd +\d+ \(\+2\) +repeated-call +look was called 3 times with the same arguments in turn 1\.$/,
  );
  expect(await run("quiet", true)).toContain("Nothing is odd.");
  const [line, end] = (await run(undefined, false)).split("\n");
  expect(JSON.parse(line!)).toMatchObject({ sessionId: "odd", kind: "repeated-call", label: "look ×3" });
  expect(end).toBe("");
  expect(await run(undefined, true, { kind: "loop" })).toContain("Nothing is odd.");
  await expect(run("nobody", true)).rejects.toThrow(/nobody/);
});

test("sessions suspicions leaves out a session that cannot be read, and says so", async () => {
  const { run, dir } = await fixture();
  await run(undefined, true); // both are indexed
  const file = join(dir, "quiet", "journal.ndjson");
  const bytes = readFileSync(file);
  bytes[40]! ^= 1;
  writeFileSync(file, bytes);
  const all = await run(undefined, true, {}, 1);
  expect(all).toMatch(/^quiet is left out: Session 'quiet' is damaged/mu);
  expect(all).toMatch(/^odd +\d+ \(\+2\) +repeated-call/mu);
  await expect(run("quiet", true)).rejects.toMatchObject({ code: "session/damaged" });
});

test("sessions suspicions makes the checks of a file too", async () => {
  const { run, folder } = await fixture();
  const file = join(folder, "checks.mjs");
  writeFileSync(file, CHECK);
  const lines = (await run(undefined, false, { suspicions: file, kind: "any-call" })).trim().split("\n");
  expect(lines.map((line) => (JSON.parse(line) as { text: string }).text).toSorted()).toEqual([
    "look was called.",
    "look was called.",
    "look was called.",
    "look was called.",
    "pay was called.",
  ]);
  const limited = await run(undefined, false, { suspicions: file, kind: "any-call", limit: 2 });
  expect(limited.trim().split("\n")).toHaveLength(2);
});

test.each([
  ["export const x = 1;", /exports no checks/],
  ['export const one = { name: "Bad Name", title: "t", find() {} };', /Check 1 of .*`name`/],
  ["export default 5;", /Check 1 of /],
])("a file without checks, or with a wrong one, is refused: %s", async (text, problem) => {
  const { dir, remove } = scratch();
  onTestFinished(remove);
  const file = join(dir, "checks.mjs");
  writeFileSync(file, text);
  await expect(loadSuspicions(file)).rejects.toThrow(problem);
});

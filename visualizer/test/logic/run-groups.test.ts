// Groups of the list of runs.
import { expect, test } from "vitest";
import { innerRunOf } from "../../src/logic/inner-runs.ts";
import { listLines } from "../../src/logic/run-groups.ts";
import { groupOf, type RunRow } from "../../src/wire/types.ts";

const row = (runId: string, more: Partial<RunRow> = {}): RunRow => ({
  runId,
  agent: "a",
  chart: "h",
  source: "live",
  phase: "stopped",
  waitsFor: [],
  state: "stopped.idle",
  startedAt: 1,
  updatedAt: 1,
  steps: 1,
  usage: {},
  pending: 0,
  can: [],
  ...more,
});

test("groupOf returns the group of every phase", () => {
  expect(groupOf(row("a", { phase: "suspended", waitsFor: ["approval"], pending: 1 }))).toBe("needsYou");
  expect(groupOf(row("a", { phase: "suspended", waitsFor: ["budget"] }))).toBe("needsYou");
  expect(groupOf(row("a", { phase: "suspended" }))).toBe("suspended");
  expect(groupOf(row("a", { phase: "unfinished" }))).toBe("suspended");
  expect(groupOf(row("a", { phase: "running" }))).toBe("running");
  expect(groupOf(row("a", { phase: "quarantined" }))).toBe("suspended");
});

test("listLines puts forks below their original and keeps runs with cyclic forks", () => {
  const rows = [
    row("parent", { updatedAt: 1 }),
    row("fork", { updatedAt: 9, forkOf: { runId: "parent", seq: 3 } }),
    row("orphan", { updatedAt: 5, forkOf: { runId: "gone", seq: 3 } }),
    row("x", { forkOf: { runId: "y", seq: 1 } }),
    row("y", { forkOf: { runId: "x", seq: 1 } }),
  ];
  const lines = listLines(rows, {}, () => false);
  const shown = lines.flatMap((line) => (line.kind === "run" ? [`${line.depth} ${line.row.runId}`] : []));
  expect(shown.slice(0, 3)).toEqual(["0 orphan", "0 parent", "1 fork"]);
  expect(shown.slice(3).toSorted()).toEqual(["0 x", "0 y"]);
});

test("listLines puts what runs inside of a run below it, in the group of the outermost one", () => {
  const inside = (runId: string, callId: string) => ({ parent: { runId, callId } });
  const rows = [
    row("desk", { phase: "running" }),
    row("desk/c1", { phase: "suspended", pending: 1, waitsFor: ["approval"], ...inside("desk", "c1") }),
    row("desk/c1/c7", inside("desk/c1", "c7")),
    row("other/c1", inside("other", "c1")), // its parent is not known
    row("x", inside("y", "c")),
    row("y", inside("x", "c")),
    row("hostile", { parent: { runId: 7, callId: {} } as never }),
  ];
  const lines = listLines(rows, {}, () => false);
  const shown = lines.map((line) => (line.kind === "run" ? `${line.depth} ${line.row.runId}` : line.kind));
  expect(shown.slice(0, 4)).toEqual(["group", "0 desk", "1 desk/c1", "2 desk/c1/c7"]);
  expect(shown.slice(4).toSorted()).toEqual(["0 hostile", "0 other/c1", "0 x", "0 y", "group"]);
});

test("innerRunOf finds the newest run inside of a call", () => {
  const inside = { parent: { runId: "desk", callId: "c1" } };
  const all = [row("desk"), row("old", { startedAt: 1, ...inside }), row("new", { startedAt: 2, ...inside })];
  const rows = new Map(all.map((each) => [each.runId, each]));
  expect(innerRunOf(rows, "desk", "c1")).toBe("new");
  expect(innerRunOf(rows, "desk", "c2")).toBeUndefined();
  expect(innerRunOf(rows, null, "c1")).toBeUndefined();
});

test("listLines returns the total of a group that is not completely loaded", () => {
  const lines = listLines([row("a")], { finished: 9_812 }, (group) => group === "finished");
  expect(lines[0]).toEqual({ kind: "group", group: "finished", total: 9_812 });
  expect(lines.at(-1)).toEqual({ kind: "more", group: "finished" });
});

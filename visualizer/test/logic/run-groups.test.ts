import { expect, test } from "vitest";
import { groupOf, listLines } from "../../src/logic/run-groups.ts";
import type { RunRow } from "../../src/wire/types.ts";

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
  expect(groupOf(row("a", { phase: "quarantined" }))).toBe("finished");
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

test("listLines returns the total of a group that is not completely loaded", () => {
  const lines = listLines([row("a")], { finished: 9_812 }, (group) => group === "finished");
  expect(lines[0]).toEqual({ kind: "group", group: "finished", total: 9_812 });
  expect(lines.at(-1)).toEqual({ kind: "more", group: "finished" });
});

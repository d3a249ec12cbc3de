// Questions about the edges and visits of a run.
import { expect, test } from "vitest";
import { enteredAt, matchingSteps, takenEdges, timeIn, visitsOf } from "../../src/store/run-queries.ts";
import { RunData } from "../../src/store/run-data.ts";
import type { WireStep } from "../../src/wire/types.ts";

const states = [
  ["m", "m.a"],
  ["m", "m.b", "m.b.x"],
  ["m", "m.b", "m.b.y"],
];
const run = new RunData();
const step = (q: number, s: number, x: readonly string[]): WireStep => ({ q, t: q, m: q * 10, e: "", x, s });
run.add({
  runId: "r",
  states,
  items: [
    step(1, 0, []),
    step(2, 1, ["m.a||0"]),
    step(3, 2, ["m.b.x||0"]),
    step(4, 2, []),
    step(5, 1, ["m.b.y||0"]),
    step(6, 0, ["m.b|back|0"]),
  ],
  total: 6,
  first: 1,
});

test("takenEdges ranks the edges of the last steps", () => {
  expect([...takenEdges(run, 5)]).toEqual([
    ["m.b.y||0", 0],
    ["m.b.x||0", 1],
    ["m.a||0", 2],
  ]);
  expect([...takenEdges(run, 4)].map(([, rank]) => rank)).toEqual([1, 2]);
});

test("visits, times and matching steps are computed for states and edges", () => {
  expect(enteredAt(run, 5, "m.b")).toBe(2);
  expect(visitsOf(run).get("m.b")).toEqual({ count: 1, ms: 40 });
  expect(visitsOf(run).get("m.b.x")).toEqual({ count: 2, ms: 20 });
  expect([timeIn(run, ["m.b"]), timeIn(run, ["m.b.y", "m.a"]), timeIn(run, [])]).toEqual([40, 30, 0]);
  expect(matchingSteps(run, { kind: "state", ids: ["m.b"] })).toEqual([2]);
  expect(matchingSteps(run, { kind: "edge", ids: ["m.b.y||0"] })).toEqual([5]);
});

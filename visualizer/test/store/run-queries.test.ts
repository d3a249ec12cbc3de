// Questions about the edges and visits of a run.
import { expect, test } from "vitest";
import { enteredAt, matchingSteps, takenEdges, timeIn, visitsOf } from "../../src/store/run-queries.ts";
import { RunData } from "../../src/store/run-data.ts";
import type { ChartIndex } from "../../src/logic/chart-index.ts";
import type { ChartEdge, WireStep } from "../../src/wire/types.ts";

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
  expect(enteredAt(run, undefined, 5, "m.b")).toBe(2);
  expect(visitsOf(run).get("m.b")).toEqual({ count: 1, ms: 40, isPart: false });
  expect(visitsOf(run).get("m.b.x")).toEqual({ count: 2, ms: 20, isPart: false });
  expect([timeIn(run, ["m.b"]), timeIn(run, ["m.b.y", "m.a"]), timeIn(run, [])]).toEqual([40, 30, 0]);
  expect(matchingSteps(run, { kind: "state", ids: ["m.b"] })).toEqual([2]);
  expect(matchingSteps(run, { kind: "edge", ids: ["m.b.y||0"] })).toEqual([5]);
});

test("a state stays entered while it takes edges without a target, or into itself", () => {
  const edge = (id: string, targets: readonly string[], reenter = false) =>
    ({ id, source: "m.a", event: "e", targets, reenter, actions: [], kind: "event" }) as unknown as ChartEdge;
  const edges = [
    edge("m.a|e|0", []),
    edge("m.a|e|1", ["m.a"]),
    edge("m.a|e|2", ["m.a"], true),
    edge("m.a|e|3", [], true),
  ];
  const index = { edges: new Map(edges.map((each) => [each.id, each])) } as unknown as ChartIndex;
  const entered = edges.map(({ id }) => {
    const stays = new RunData();
    stays.add({ runId: "r", states, items: [step(1, 0, []), step(2, 0, [id])], total: 2, first: 1 });
    return enteredAt(stays, index, 2, "m.a");
  });
  expect(entered).toEqual([1, 1, 2, 1]);
});

test("visits of a run whose older steps are not loaded are a part", () => {
  const late = new RunData();
  late.add({ runId: "r", states, items: [step(5, 1, []), step(6, 0, [])], total: 6, first: 1 });
  expect(visitsOf(late).get("m.b")).toEqual({ count: 1, ms: 10, isPart: true });
});

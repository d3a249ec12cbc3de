// Lanes of sub-agents.
import { expect, test } from "vitest";
import { lanesOf, openedLanes, runsBelow, runsInside, type InnerWork } from "../../src/logic/lanes.ts";
import type { Work } from "../../src/logic/work.ts";
import type { RunRow } from "../../src/wire/types.ts";

const work = (id: number, kind: Work["kind"], name: string, begin: number, callId?: string): Work => ({
  id,
  kind,
  name,
  attempt: 1,
  from: id + 1,
  to: id + 2,
  begin,
  end: begin + 10,
  state: "done",
  detail: "",
  ...(callId !== undefined && { callId, input: `{"q":"${name}","n":2}` }),
});

const row = (runId: string, parent?: { readonly runId: string; readonly callId: string }): RunRow =>
  ({ runId, agent: runId, startedAt: 0, updatedAt: 0, ...(parent && { parent }) }) as unknown as RunRow;

const ROWS = new Map(
  [
    row("top"),
    row("middle", { runId: "top", callId: "ask" }),
    row("deep", { runId: "middle", callId: "look" }),
    row("other"),
  ].map((each) => [each.runId, each] as const),
);
const TOP = [work(0, "turn", "turn 1", 0), work(1, "model", "model", 1), work(2, "tool", "ask", 5, "ask")];
const MIDDLE = [work(0, "turn", "turn 1", 0), work(1, "tool", "look", 3, "look")];
const DEEP = [work(0, "turn", "turn 1", 0), work(1, "model", "model", 4)];

const opened = (known: ReadonlyMap<string, InnerWork>) =>
  openedLanes(lanesOf(TOP, runsInside(ROWS, "top")), ROWS, known).map(({ name, depth, of, works }) => [
    name,
    depth,
    of,
    works[0]?.begin,
  ]);

test("sub-agents, and those inside of them, are opened in the lanes of a run, at the times of the run", () => {
  const known = new Map([
    ["middle", { works: MIDDLE, shift: 100 }],
    ["deep", { works: DEEP, shift: 200 }],
  ]);
  expect(opened(known)).toEqual([
    ["turn 1", 0, undefined, 0],
    ["model", 1, undefined, 1],
    ["ask", 1, undefined, 5],
    ["middle", 2, undefined, undefined],
    ["look", 3, "middle", 103],
    ["deep", 4, "middle", undefined],
    ["model", 5, "deep", 204],
  ]);
});

test("a sub-agent whose steps are not loaded yet is a lane without lanes in it", () => {
  expect(opened(new Map()).map(([name]) => name)).toEqual(["turn 1", "model", "ask", "middle"]);
});

test("no time of an opened sub-agent is before the run began", () => {
  const lanes = openedLanes(
    lanesOf(TOP, runsInside(ROWS, "top")),
    ROWS,
    new Map([["middle", { works: MIDDLE, shift: -50 }]]),
  );
  expect(lanes.flatMap(({ works }) => works).every(({ begin }) => begin >= 0)).toBe(true);
});

test("runs that name each other as parents are each found once", () => {
  const rows = new Map(
    [row("a", { runId: "b", callId: "x" }), row("b", { runId: "a", callId: "y" })].map(
      (each) => [each.runId, each] as const,
    ),
  );
  expect(runsBelow(rows, "a").map(({ runId }) => runId)).toEqual(["b"]);
  expect(runsBelow(ROWS, "top").map(({ runId }) => runId)).toEqual(["middle", "deep"]);
  const known = new Map(
    ["a", "b"].map((id) => [
      id,
      { works: [work(0, "tool", "t", 0, "x"), work(1, "tool", "u", 0, "y")], shift: 0 },
    ]),
  );
  const lanes = openedLanes(lanesOf([work(0, "tool", "t", 0, "y")], runsInside(rows, "a")), rows, known);
  expect(new Set(lanes.map(({ key }) => key)).size).toBe(lanes.length);
});

test("arguments of a lane are without the signs of JSON", () => {
  expect(lanesOf([work(0, "tool", "ask", 0, "ask")], new Map())[0]!.detail).toBe("q: ask, n: 2");
});

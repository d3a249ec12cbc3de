// Marks of forks at steps.
import { expect, test } from "vitest";
import { forkMarks, spread } from "../../src/logic/fork-marks.ts";
import { decodeStep, type Step } from "../../src/wire/step.ts";
import type { RunRow } from "../../src/wire/types.ts";

const row = (runId: string, more: Partial<RunRow> = {}): RunRow => ({
  runId,
  agent: "payer",
  chart: "",
  source: "live",
  phase: "stopped",
  waitsFor: [],
  state: "stopped.idle",
  startedAt: 0,
  updatedAt: 0,
  steps: 0,
  usage: {},
  pending: 0,
  can: [],
  ...more,
});

/** A run whose steps have these positions in the journal. */
const runOf = (...positions: readonly number[]) => ({
  first: 1,
  last: positions.length,
  wholeFrom: 1,
  at: (number: number): Step | undefined => {
    const j = positions[number - 1];
    return j === undefined ? undefined : decodeStep({ q: number, t: 0, m: 0, e: "", x: [], s: 0, j });
  },
});

const forkAt = (seq: number) => row("fork", { forkOf: { runId: "run", seq } });
const placesOf = (run: ReturnType<typeof runOf>, of: RunRow, ...others: readonly RunRow[]) =>
  forkMarks(run, of, new Map([of, ...others].map((each) => [each.runId, each]))).map(
    ({ runId, kind, stepNumber }) => `${kind} ${runId} ${stepNumber}`,
  );

test("forkMarks marks a fork of a live run at the step that brought the journal to its position", () => {
  const run = runOf(0, 0, 3, 3, 5);
  expect(placesOf(run, row("run"), forkAt(3))).toEqual(["from fork 2"]);
  expect(placesOf(run, row("run"), forkAt(5))).toEqual(["from fork 4"]);
  // the position after the newest step is not known yet
  expect(placesOf(run, row("run"), forkAt(7))).toEqual(["from fork 5"]);
});

test("forkMarks marks a fork of a stored run at its own entry", () => {
  expect(placesOf(runOf(1, 2, 3, 4), row("run", { source: "store" }), forkAt(3))).toEqual(["from fork 3"]);
});

test("forkMarks marks the start of a fork with the name of the original run", () => {
  const rows = new Map([["run", row("run")]]);
  expect(forkMarks(runOf(1, 2), forkAt(3), rows)).toEqual([
    { runId: "run", kind: "origin", stepNumber: 1, name: "Forked from payer run" },
  ]);
  const [unknown] = forkMarks(runOf(1, 2), forkAt(3), new Map());
  expect(unknown!.name).toBe("Forked from run");
});

test("forkMarks marks nothing at steps that are not loaded or for unknown runs", () => {
  const late = { ...runOf(0, 1, 2, 3, 4), wholeFrom: 3 };
  expect(placesOf(late, row("run"), forkAt(1))).toEqual([]);
  expect(placesOf(late, row("run"), forkAt(4))).toEqual(["from fork 4"]);
  expect(placesOf(runOf(), row("run"), forkAt(1))).toEqual([]);
  expect(placesOf({ ...runOf(1, 2), first: 2 }, forkAt(3), row("run"))).toEqual([]);
  expect(placesOf(runOf(0, 1), row("run"), row("another", { forkOf: { runId: "third", seq: 1 } }))).toEqual(
    [],
  );
});

test("spread puts marks beside each other and within the width", () => {
  expect(spread([10, 10, 100], 20, 200)).toEqual([10, 30, 100]);
  expect(spread([190, 195, 198], 20, 200)).toEqual([160, 180, 200]);
  expect(spread([], 20, 200)).toEqual([]);
});

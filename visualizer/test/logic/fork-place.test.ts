// The position at which a step is forked.
import { expect, test } from "vitest";
import { asStored, beforeStep } from "../../src/logic/fork-place.ts";
import { decodeStep, type Step } from "../../src/wire/step.ts";
import type { WireStep } from "../../src/wire/types.ts";

type Positions = Pick<WireStep, "j" | "b">;

const runOf = (...positions: readonly Positions[]) => ({
  last: positions.length,
  at: (number: number): Step | undefined => {
    const at = positions[number - 1];
    return at && decodeStep({ q: number, t: 0, m: 0, e: "", x: [], s: 0, ...at });
  },
});
const placesOf = (run: ReturnType<typeof runOf>, ...steps: readonly number[]) =>
  steps.map((step) => {
    const { seq, stepNumber } = beforeStep(run, { seq: 12 }, step);
    return [seq, stepNumber];
  });

test("a fork at a live step begins at the position before it, with all steps that were stored together", () => {
  const run = runOf({ j: 0 }, { j: 5 }, { j: 5 }, { j: 9 });
  expect(placesOf(run, 1, 2, 3, 4, 5)).toEqual([
    [0, 1],
    [5, 2],
    [5, 2],
    [9, 4],
    [12, 5],
  ]);
  expect(beforeStep(run, undefined, 5)).toEqual({ seq: 0, stepNumber: 5 });
});

test("a fork at a stored step begins before the append that has it, also if the step ends in the next one", () => {
  const run = runOf({ j: 5, b: 0 }, { j: 7, b: 5 }, { j: 9, b: 5 }, { j: 13, b: 8 });
  expect(placesOf(run, 1, 2, 3, 4, 5)).toEqual([
    [0, 1],
    [5, 2],
    [5, 2],
    [8, 4],
    [12, 5],
  ]);
});

test("a step is told by its time and its edges, and by how many before it have both", () => {
  const steps = [
    { t: 1, x: ["a"] },
    { t: 2, x: ["a"] },
    { t: 2, x: ["b"] },
    { t: 2, x: ["a"] },
    { t: 3, x: [] },
  ].map((each, at) => decodeStep({ q: at + 1, m: 0, e: "", s: 0, ...each }));
  const run = { at: (number: number): Step | undefined => steps[number - 1] };
  expect([1, 2, 3, 4, 5, 6].map((number) => asStored(run, number))).toEqual([
    { t: 1, x: ["a"], nth: 0 },
    { t: 2, x: ["a"], nth: 0 },
    { t: 2, x: ["b"], nth: 0 },
    { t: 2, x: ["a"], nth: 1 },
    undefined,
    undefined,
  ]);
});

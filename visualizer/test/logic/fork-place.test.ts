// The position at which a step is forked.
import { expect, test } from "vitest";
import { positionAfter } from "../../src/logic/fork-place.ts";
import { decodeStep, type Step } from "../../src/wire/step.ts";

const runOf = (...positions: readonly number[]) => ({
  last: positions.length,
  at: (number: number): Step | undefined => {
    const j = positions[number - 1];
    return j === undefined ? undefined : decodeStep({ q: number, t: 0, m: 0, e: "", x: [], s: 0, j });
  },
});
const live = { source: "live", seq: 12 } as const;

test("positionAfter of a live step is the position before the next one, of a stored step its own", () => {
  const run = runOf(0, 5, 5, 9);
  expect([1, 2, 3, 4].map((step) => positionAfter(run, live, step))).toEqual([5, 5, 9, 12]);
  expect([2, 4].map((step) => positionAfter(run, { source: "store" }, step))).toEqual([5, 9]);
  expect(positionAfter(run, undefined, 4)).toBe(0);
});

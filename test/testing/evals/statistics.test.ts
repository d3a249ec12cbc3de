// Intervals and comparisons, against values computed by hand.
import { expect, test } from "vitest";
import { mcNemar, passAllOf, passAnyOf, wilson } from "../../../src/testing/evals/statistics.ts";

// worked out by hand, and with R: prop.test(x, n, correct = FALSE), binom.test(min(b, c), b + c)
test.each([
  [0, 10, 0, 0, 0.2775],
  [1, 1, 1, 0.2065, 1],
  [5, 20, 0.25, 0.1119, 0.4687],
  [8, 10, 0.8, 0.4902, 0.9433],
  [10, 10, 1, 0.7225, 1],
  [90, 100, 0.9, 0.8256, 0.9448],
])("%i of %i passed is %f, from %f to %f", (passed, runs, rate, low, high) => {
  const found = wilson(passed, runs);
  expect(found.rate).toBe(rate);
  expect(found.low).toBeCloseTo(low, 4);
  expect(found.high).toBeCloseTo(high, 4);
});

test.each([
  [1, 5, 2, 2 / 5, 2 / 5],
  [2, 5, 2, 1 - 3 / 10, 1 / 10],
  [3, 5, 2, 1 - 1 / 10, 0],
  [4, 5, 2, 1, 0],
  [5, 5, 5, 1, 1],
  [3, 4, 0, 0, 0],
])("of %i runs out of %i with %i passed", (k, runs, passed, any, all) => {
  expect(passAnyOf(k, runs, passed)).toBeCloseTo(any, 12);
  expect(passAllOf(k, runs, passed)).toBeCloseTo(all, 12);
});

test.each([
  [0, 0, 1],
  [0, 5, 2 / 32],
  [5, 0, 2 / 32],
  [1, 9, 22 / 1_024],
  [5, 5, 1],
  [3, 12, (2 * (1 + 15 + 105 + 455)) / 32_768],
  [400, 600, 2.729e-10],
])("McNemar's test of %i better and %i worse", (better, worse, p) => {
  expect(mcNemar(better, worse) / p).toBeCloseTo(1, 3);
});

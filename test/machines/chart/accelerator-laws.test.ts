// X4: the accelerator takes the steps of XState on random charts.
import fc from "../../support/fast-check.ts";
import { expect, test } from "vitest";
import { acceleratedMachine } from "../../../machines/chart/accelerator.ts";
import { played } from "./deeds.ts";
import { randomChart, randomDeeds } from "./random-chart.ts";
import { above, add, resolverOf, START, waits, type ToyState } from "./toys.ts";
import { Twins } from "./x4.ts";

test("X4 the accelerated machine of a random chart takes the steps of XState's unmodified machine", () => {
  let [steps, failed] = [0, 0];
  fc.assert(
    fc.property(randomChart, randomDeeds, (root, deeds) => {
      const told = played(root, deeds);
      steps += told.steps;
      failed += told.failed;
    }),
    { numRuns: 1_000 },
  );
  expect(steps).toBeGreaterThan(2_000);
  expect(failed).toBeGreaterThan(20);
});

test.each([
  ["as many as XState takes", 99, "b"],
  ["one more", 100, undefined],
])("X4 decisions in a row lead on, or fail, as in XState: %s", (_, decisions, to) => {
  // two that take turns, until they were asked so often
  const turn = (other: string) => ({
    description: "Again?",
    entry: add(1),
    decide: [{ guard: above(decisions - 1), target: "b" }, { target: other }],
  });
  const root: ToyState = {
    description: "A toy.",
    initial: "a",
    states: { a: waits({ on: { go: { target: "one" } } }), one: turn("two"), two: turn("one"), b: waits() },
  };
  const twins = new Twins(resolverOf(root) as never, {}, acceleratedMachine);
  expect(twins.send(twins.begin(START), { type: "go" })?.value).toBe(to);
});

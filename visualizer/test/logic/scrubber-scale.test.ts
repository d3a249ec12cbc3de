// The scale of the scrubber.
import { expect, test } from "vitest";
import {
  barHeight,
  scrollToStep,
  convertPosition,
  stepAt,
  scrubberScale,
} from "../../src/logic/scrubber-scale.ts";

const durations = Float64Array.from([10, 0, 2_000, 600_000, 300]);

test("scrubberScale fills the width in order, with longer steps wider than shorter ones", () => {
  const { edges } = scrubberScale(durations, () => false, 1_000);
  expect(edges[0]).toBe(0);
  expect(edges[5]).toBeCloseTo(1_000);
  const widths = [...edges].slice(1).map((edge, at) => edge - edges[at]!);
  expect(widths[3]).toBeGreaterThan(widths[2]!);
  expect(widths[2]).toBeGreaterThan(widths[0]!);
  expect(widths[1]).toBeGreaterThan(0);
});

test("scrubberScale folds a long rest to a narrow band, but not long work", () => {
  const { edges, folded } = scrubberScale(durations, (at) => at === 3, 1_000);
  expect([...folded]).toEqual([3]);
  expect(edges[4]! - edges[3]!).toBeCloseTo(28);
  expect(edges[5]).toBeCloseTo(1_000);
});

test("scrubberScale limits many rests to a third of the width", () => {
  const many = new Float64Array(200).fill(5_000);
  const { edges } = scrubberScale(many, (at) => at % 2 === 0, 900);
  expect(edges.at(-1)).toBeCloseTo(900);
});

test("convertPosition finds a position in another scale, also beside folded rests", () => {
  const [far, near] = [1_000, 4_000].map((width) => scrubberScale(durations, (at) => at === 3, width));
  for (const x of [0, 10, 500, 990]) {
    const there = convertPosition(x, far!, near!);
    expect(stepAt(near!, there)).toBe(stepAt(far!, x));
    expect(convertPosition(there, near!, far!)).toBeCloseTo(x);
  }
  const nothing = scrubberScale(new Float64Array(0), () => false, 1_000);
  expect(convertPosition(7, nothing, nothing)).toBe(7);
});

test("scrollToStep scrolls as little as needed to show a step", () => {
  const scale = scrubberScale(durations, () => false, 4_000);
  const [, second, third, fourth] = scale.edges as unknown as [number, number, number, number];
  expect(scrollToStep(scale, 1, 0, fourth)).toBe(0);
  expect(scrollToStep(scale, 2, 0, fourth - third + 10)).toBeCloseTo(third - 10);
  expect(scrollToStep(scale, 1, third, 1_000)).toBe(second);
  expect(scrollToStep(scale, 99, 0, 1)).toBe(scale.edges[4]);
});

test("scrollToStep starts a scrubber that fits at its first step", () => {
  for (let count = 1; count <= 200; count++) {
    const lasting = Float64Array.from({ length: count }, (_, at) => (at * 7_919) % 1_009);
    const scale = scrubberScale(lasting, () => false, 851);
    expect(scrollToStep(scale, count - 1, 0, 851)).toBe(0);
  }
});

test("stepAt returns the step at a position", () => {
  const scale = scrubberScale(durations, (at) => at === 3, 1_000);
  for (let at = 0; at < durations.length; at++) {
    expect(stepAt(scale, (scale.edges[at]! + scale.edges[at + 1]!) / 2)).toBe(at);
  }
  expect(stepAt(scale, -50)).toBe(0);
  expect(stepAt(scale, 5_000)).toBe(4);
  expect(
    stepAt(
      scrubberScale(new Float64Array(0), () => false, 100),
      3,
    ),
  ).toBe(-1);
});

test("barHeight grows with the duration within its bounds", () => {
  expect(barHeight(0)).toBeGreaterThan(0);
  expect(barHeight(10)).toBeLessThan(barHeight(1_000));
  expect(barHeight(3_600_000)).toBe(1);
});

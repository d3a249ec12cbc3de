import { expect, test } from "vitest";
import { barHeight, stepAt, stripScale } from "../src/logic/strip-scale.ts";

const durations = Float64Array.from([10, 0, 2_000, 600_000, 300]);

test("steps fill the width in order, long ones wider than short ones", () => {
  const { edges } = stripScale(durations, () => false, 1_000);
  expect(edges[0]).toBe(0);
  expect(edges[5]).toBeCloseTo(1_000);
  const widths = [...edges].slice(1).map((edge, at) => edge - edges[at]!);
  expect(widths[3]).toBeGreaterThan(widths[2]!);
  expect(widths[2]).toBeGreaterThan(widths[0]!);
  expect(widths[1]).toBeGreaterThan(0);
});

test("a long rest is folded to a narrow band; long work is not", () => {
  const { edges, folded } = stripScale(durations, (at) => at === 3, 1_000);
  expect([...folded]).toEqual([3]);
  expect(edges[4]! - edges[3]!).toBeCloseTo(28);
  expect(edges[5]).toBeCloseTo(1_000);
});

test("many rests share a third of the width", () => {
  const many = new Float64Array(200).fill(5_000);
  const { edges } = stripScale(many, (at) => at % 2 === 0, 900);
  expect(edges.at(-1)).toBeCloseTo(900);
});

test("a place leads back to its step", () => {
  const scale = stripScale(durations, (at) => at === 3, 1_000);
  for (let at = 0; at < durations.length; at++) {
    expect(stepAt(scale, (scale.edges[at]! + scale.edges[at + 1]!) / 2)).toBe(at);
  }
  expect(stepAt(scale, -50)).toBe(0);
  expect(stepAt(scale, 5_000)).toBe(4);
  expect(
    stepAt(
      stripScale(new Float64Array(0), () => false, 100),
      3,
    ),
  ).toBe(-1);
});

test("bars rise with the duration and stay in bounds", () => {
  expect(barHeight(0)).toBeGreaterThan(0);
  expect(barHeight(10)).toBeLessThan(barHeight(1_000));
  expect(barHeight(3_600_000)).toBe(1);
});

// The scale of the waterfall.
import { expect, test } from "vitest";
import { roundInterval, tickText, ticksOf, timeScale } from "../../src/logic/time-scale.ts";

test("timeScale is linear: what lasts twice as long is twice as wide", () => {
  const { x, at } = timeScale(100, 1_100, [], 500);
  expect([x(100), x(350), x(600), x(1_100)]).toEqual([0, 125, 250, 500]);
  expect(at(x(777))).toBeCloseTo(777);
});

test("timeScale folds a long rest to a band, and stays linear on both sides with the same scale", () => {
  const { x, at, bands } = timeScale(0, 602_000, [{ begin: 1_000, end: 601_000 }], 226);
  expect(bands).toMatchObject([{ x: 100, width: 26, ms: 600_000 }]);
  expect([x(500), x(1_000), x(301_000), x(601_000), x(602_000)]).toEqual([50, 100, 113, 126, 226]);
  for (const ms of [0, 500, 301_000, 601_500]) expect(at(x(ms))).toBeCloseTo(ms);
});

test("timeScale folds neither a short rest nor one of a small share", () => {
  expect(timeScale(0, 2_000, [{ begin: 500, end: 1_400 }], 100).bands).toEqual([]);
  expect(timeScale(0, 100_000, [{ begin: 0, end: 2_000 }], 100).bands).toEqual([]);
});

test("ticksOf marks round instants since the start, apart from each other and not in a band", () => {
  const ticks = ticksOf(timeScale(7, 1_007, [], 500), 0, 500, 90, 7);
  expect(ticks.map(({ ms }) => ms)).toEqual([0, 200, 400, 600, 800, 1_000]);
  expect(ticks.map(({ x }) => x)).toEqual([0, 100, 200, 300, 400, 500]);
  const folded = timeScale(0, 602_000, [{ begin: 1_000, end: 601_000 }], 226);
  const [band] = folded.bands;
  for (const { x } of ticksOf(folded, 0, 226, 40, 0))
    expect(x <= band!.x || x >= band!.x + band!.width).toBe(true);
});

test("roundInterval is 1, 2 or 5 times a power of ten, and a round time of the clock above five seconds", () => {
  expect([0.3, 1.2, 4, 7, 180, 4_000, 8_000, 40_000, 7_000_000].map(roundInterval)).toEqual([
    0.5, 2, 5, 10, 200, 5_000, 10_000, 60_000, 7_200_000,
  ]);
});

test("tickText writes an instant as briefly as it can", () => {
  const at: readonly (readonly [ms: number, apart: number])[] = [
    [0, 1],
    [0.5, 0.5],
    [250, 50],
    [1_500, 500],
    [90_000, 30_000],
    [150_250, 10],
    [3_725_000, 5_000],
  ];
  expect(at.map(([ms, apart]) => tickText(ms, apart))).toEqual([
    "0",
    "0.5 ms",
    "250 ms",
    "1.5 s",
    "1:30",
    "2:30.25",
    "1:02:05",
  ]);
});

test("ticksOf gives each mark another text, however far a person has zoomed in and wherever", () => {
  for (const length of [0.3, 40, 2_870, 61_000, 4_000_000])
    for (const zoom of [1, 30, 4_000])
      for (const part of [0, 0.37, 0.99]) {
        const scale = timeScale(0, length, [], 500 * zoom);
        const left = 500 * zoom * part;
        const texts = ticksOf(scale, left, left + 500, 90, 0).map(({ text }) => text);
        expect(new Set(texts).size, `${length} ms at ${zoom}`).toBe(texts.length);
      }
});

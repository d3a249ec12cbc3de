// The places of badges beside states.
import { expect, test } from "vitest";
import fc from "../../../test/support/fast-check.ts";
import { placeBadges } from "../../src/diagram/badge-placement.ts";
import { overlap } from "../../src/diagram/region-names.ts";

const box = (x: number, y: number, width = 100, height = 40) => ({ x, y, width, height });
const here = box(400, 300);
const camera = { x: 0, y: 0, scale: 1 };
const view = { width: 1_000, height: 600 };
const badges = { width: 120, height: 30 };
const placed = (...texts: readonly ReturnType<typeof box>[]) =>
  placeBadges(here, texts, camera, view, badges);

test("badges stand to the right of their state, in its middle", () => {
  expect(placed()).toEqual({ left: 509, top: 305 });
});

test("they stand to the left, below, above, or farther away if texts are in the way", () => {
  const [right, left, below] = [box(520, 300), box(280, 300), box(400, 345)];
  expect(placed(right)).toEqual({ left: 271, top: 305 });
  expect(placed(right, left)).toEqual({ left: 390, top: 349 });
  expect(placed(right, left, below)).toEqual({ left: 390, top: 261 });
  expect(placed(right, left, below, box(400, 255))).toEqual({ left: 390, top: 430 });
});

test("those of a state that fills the view stand in a corner of it, and those of a state out of view nowhere", () => {
  expect(placeBadges({ x: 0, y: 0, ...view }, [], camera, view, badges)).toEqual({ left: 872, top: 562 });
  expect(placeBadges(here, [], { x: -600, y: 0, scale: 1 }, view, badges)).toBeUndefined();
});

const BOX = fc.record({
  x: fc.integer({ min: -200, max: 1_000 }),
  y: fc.integer({ min: -200, max: 600 }),
  width: fc.integer({ min: 20, max: 300 }),
  height: fc.integer({ min: 10, max: 60 }),
});

test("badges lie in the view and cover no text, for every camera", () => {
  fc.assert(
    fc.property(
      BOX,
      fc.array(BOX, { maxLength: 60 }),
      fc.record({
        x: fc.integer({ min: -300, max: 300 }),
        y: fc.integer({ min: -300, max: 300 }),
        scale: fc.double({ min: 0.1, max: 3, noNaN: true }),
      }),
      (state, texts, moved) => {
        const place = placeBadges(state, texts, moved, view, badges);
        if (!place) return;
        const drawn = { x: place.left, y: place.top, ...badges };
        expect(overlap(drawn, { x: 0, y: 0, ...view })).toBeCloseTo(badges.width * badges.height, 0);
        for (const { x, y, width, height } of texts) {
          const { scale } = moved;
          const text = {
            x: moved.x + x * scale,
            y: moved.y + y * scale,
            width: width * scale,
            height: height * scale,
          };
          expect(overlap(drawn, text)).toBe(0);
        }
      },
    ),
  );
});

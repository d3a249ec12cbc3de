// The names of the regions of a picture that is too small for other names.
import fc from "../../../test/support/fast-check.ts";
import { expect, test } from "vitest";
import { boxOf, overlap, pictureOf, regionNames, type Region } from "../../src/diagram/region-names.ts";

const region = (title: string, x: number, width: number, height = 400): Region => ({
  id: title,
  title,
  x,
  y: 200,
  width,
  height,
});

test("a name stands in its region, smaller if need be, else below it, and nowhere if there is no room", () => {
  const scale = 0.1;
  const named = (...regions: readonly Region[]) =>
    regionNames(regions, scale).map(({ title, y, size }) => [title, y, Math.round(size * scale)]);
  expect(named(region("acting", 100, 600))).toEqual([["acting", 400, 12]]);
  expect(named(region("acting", 100, 410))).toEqual([["acting", 400, 11]]);
  const around = [region("stopped", 0, 900), region("reasoning", 1_300, 900)];
  const narrow = region("acting", 1_000, 100);
  expect(named(...around, narrow)).toContainEqual(["acting", 671.5, 11]);
  const below = { ...region("summary", 900, 400), y: 600 };
  expect(named(...around, narrow, below)).toContainEqual(["acting", 128.5, 11]);
  expect(named(...around, narrow, below, { ...below, id: "above", y: -200 })).not.toContainEqual(
    expect.arrayContaining(["acting"]),
  );
  expect(named(narrow)).toEqual([]);
  const beside = [region("reasoning", 100, 900), region("acting", 1_100, 100), region("stopped", 1_300, 900)];
  expect(named(...beside)).toHaveLength(3);
});

const REGION = fc.record({
  title: fc.stringMatching(/^[a-z]{1,14}$/),
  x: fc.integer({ min: 0, max: 2_000 }),
  y: fc.integer({ min: 0, max: 1_000 }),
  width: fc.integer({ min: 20, max: 1_200 }),
  height: fc.integer({ min: 20, max: 900 }),
});

test("names cover no other name, lie in the picture, and are at least 11 px high", () => {
  fc.assert(
    fc.property(
      fc.array(REGION, { maxLength: 12 }),
      fc.double({ min: 0.05, max: 0.3, noNaN: true }),
      (drawn, scale) => {
        const whole: Region[] = [];
        for (const [id, each] of drawn.entries())
          if (whole.every((other) => overlap(other, each) === 0)) whole.push({ ...each, id: String(id) });
        const names = regionNames(whole, scale);
        const picture = pictureOf(whole, 14.3 / scale);
        for (const [place, name] of names.entries()) {
          const box = boxOf(name);
          expect(name.size * scale).toBeGreaterThanOrEqual(10.99);
          expect(overlap(box, picture)).toBeCloseTo(box.width * box.height, 0);
          for (const other of names.slice(place + 1)) expect(overlap(box, boxOf(other))).toBe(0);
        }
        const roomy = whole.filter(
          ({ width, height, title }) => width * scale > title.length * 8 && height * scale > 16,
        );
        const named = new Set(names.map(({ id }) => id));
        expect(roomy.filter(({ id }) => !named.has(id))).toEqual([]);
      },
    ),
  );
});

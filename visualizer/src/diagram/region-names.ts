import type { Box } from "../../../src/core/diagram/layout.ts";
import { LEAST_PX, textWidth } from "./camera.ts";

/** A region of a picture in which only regions are named. */
export type Region = Box & { readonly id: string; readonly title: string };

/** The name of a region, with its middle and its font size in units of the layout. */
export type RegionName = Pick<Region, "id" | "title"> & {
  readonly x: number;
  readonly y: number;
  readonly size: number;
};

/** The height of a line, in font sizes. */
const LINE = 1.3;
/** The share of a name that may lie on another region, which it then seems to name. */
const MOST_ON_OTHERS = 0.35;

/**
 * Places the names of regions: in the middle of the box where it has room, else below or above it. A name is at least 11 px high on the screen,
 * covers no other name and leaves the picture by no more than its margin; one for which no place is left is not shown until a person zooms in.
 */
export function regionNames(regions: readonly Region[], scale: number): readonly RegionName[] {
  const inside = regions.flatMap((region) => {
    const name = [LEAST_PX + 1, LEAST_PX]
      .map((px) => inMiddle(region, px / scale))
      .find((each) => fits(each, region));
    return name ? [name] : [];
  });
  const named = new Set(inside.map(({ id }) => id));
  const placed = [...inside];
  const size = LEAST_PX / scale;
  const whole = pictureOf(regions, size * LINE);
  for (const region of regions) {
    if (named.has(region.id)) continue;
    const others = regions.filter(({ id }) => id !== region.id);
    const name = beside(region, size).find((each) => {
      const box = boxOf(each);
      return (
        fits(each, whole) &&
        placed.every((other) => overlap(box, boxOf(other)) === 0) &&
        others.every((other) => overlap(box, other) <= MOST_ON_OTHERS * box.width * box.height)
      );
    });
    if (name) placed.push(name);
  }
  return placed;
}

/** The box of all regions, with a margin. */
export function pictureOf(regions: readonly Box[], margin: number): Box {
  const x = Math.min(...regions.map((each) => each.x)) - margin;
  const y = Math.min(...regions.map((each) => each.y)) - margin;
  const right = Math.max(...regions.map((each) => each.x + each.width)) + margin;
  const bottom = Math.max(...regions.map((each) => each.y + each.height)) + margin;
  return { x, y, width: right - x, height: bottom - y };
}

const inMiddle = ({ id, title, x, y, width, height }: Region, size: number): RegionName => ({
  id,
  title,
  x: x + width / 2,
  y: y + height / 2,
  size,
});

function beside(region: Region, size: number): readonly RegionName[] {
  const middle = inMiddle(region, size);
  const away = region.height / 2 + (size * LINE) / 2;
  return [
    { ...middle, y: middle.y + away },
    { ...middle, y: middle.y - away },
  ];
}

/** The box that a name takes. */
export function boxOf({ title, x, y, size }: RegionName): Box {
  const [width, height] = [textWidth(title, size), size * LINE];
  return { x: x - width / 2, y: y - height / 2, width, height };
}

function fits(name: RegionName, room: Box): boolean {
  const box = boxOf(name);
  return overlap(box, room) >= box.width * box.height * 0.999;
}

/** The area that two boxes share. */
export function overlap(one: Box, other: Box): number {
  const wide = Math.min(one.x + one.width, other.x + other.width) - Math.max(one.x, other.x);
  const high = Math.min(one.y + one.height, other.y + other.height) - Math.max(one.y, other.y);
  return wide > 0 && high > 0 ? wide * high : 0;
}

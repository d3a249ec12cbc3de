// The places of badges beside nodes.
import { expect, test } from "vitest";
import { placeBeside } from "../../src/diagram/badge-placement.ts";
import type { PlacedNode } from "../../src/wire/types.ts";

const node = (id: string, x: number, y: number, size: Partial<PlacedNode> = {}): PlacedNode => ({
  id,
  title: id,
  x,
  y,
  width: 100,
  height: 40,
  rows: [],
  hasChildren: false,
  ...size,
});
const here = node("here", 400, 300);
const around = node("around", 0, 0, { width: 1_000, height: 600, hasChildren: true });
const camera = { x: 0, y: 0, scale: 1 };
const view = { width: 1_000, height: 600 };
const badges = { width: 120, height: 30 };
const placed = (...others: readonly PlacedNode[]) =>
  placeBeside(here, [around, here, ...others], camera, view, badges);

test("placeBeside prefers the right side, vertically centred", () => {
  expect(placed()).toEqual({ left: 509, top: 305 });
});

test("placeBeside tries left, below and above if neighbours are in the way", () => {
  const [right, left, below] = [node("right", 520, 300), node("left", 280, 300), node("below", 400, 345)];
  expect(placed(right)).toEqual({ left: 271, top: 305 });
  expect(placed(right, left)).toEqual({ left: 390, top: 349 });
  expect(placed(right, left, below)).toEqual({ left: 390, top: 261 });
});

test("placeBeside avoids the title of a compound state but not its empty space", () => {
  const compound = node("compound", 515, 300, { width: 200, height: 200, hasChildren: true });
  expect(placed(compound).left).toBe(271);
  expect(placed({ ...compound, y: 200 })).toEqual({ left: 509, top: 305 });
});

test("placeBeside stays within the view for every camera", () => {
  const moved = { x: 480, y: 0, scale: 1 };
  expect(placeBeside(here, [around, here], moved, view, badges).left).toBe(751);
  const far = { x: 0, y: 0, scale: 0.25 };
  expect(placeBeside(here, [here], far, view, badges)).toEqual({ left: 134, top: 65 });
});

test("placeBeside avoids the names of regions in the middle of them where a picture is folded", () => {
  const far = { x: 0, y: 0, scale: 0.25 };
  const region = node("acting", 440, 0, { width: 1_000, height: 640, hasChildren: true });
  const { left, top } = placeBeside(here, [here, region], far, view, badges);
  const middle = { x: (440 + 500) * 0.25, y: 320 * 0.25 };
  expect(
    left > middle.x || left + badges.width < middle.x || top > middle.y || top + badges.height < middle.y,
  ).toBe(true);
});

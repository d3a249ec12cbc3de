import type { Box } from "./layout.ts";

/** A point in px. */
export type Point = readonly [x: number, y: number];

const RADIUS = 6;

/** The `d` attribute of a path along the points, with rounded corners. */
export function roundedPath(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (!first) return "";
  const parts = rest.map((point, index) => {
    const [before, after] = [points[index]!, points[index + 2]];
    if (!after) return `L${pair(point)}`;
    const reach = Math.min(RADIUS, distance(before, point) / 2, distance(point, after) / 2);
    return `L${pair(towards(point, before, reach))}Q${pair(point)} ${pair(towards(point, after, reach))}`;
  });
  return `M${pair(first)}${parts.join("")}`;
}

/** The three corners of the arrow head at the end of a line, for a polygon; "" for a line without points. */
export function arrowHead(points: readonly Point[], length = 7): string {
  const tip = points.at(-1);
  if (!tip) return "";
  const before = points.at(-2) ?? tip;
  const base = towards(tip, before, length);
  const [acrossX, acrossY] = [(tip[1] - base[1]) / 2, (base[0] - tip[0]) / 2];
  const corners: readonly Point[] = [
    tip,
    [base[0] + acrossX, base[1] + acrossY],
    [base[0] - acrossX, base[1] - acrossY],
  ];
  return corners.map(pair).join(" ");
}

/** The corners of a decision, for a polygon: a box whose corners are cut off. Its sides stay where lines begin and end. A box with
 *  a name only has lines in the middle of its sides, and is pointed there. */
export function decisionOutline(box: Box, isPointed = false): string {
  const cut = Math.min(11, box.height / 3);
  const down = isPointed ? box.height / 2 : cut;
  const [left, top, right, bottom] = [box.x, box.y, box.x + box.width, box.y + box.height];
  const corners: readonly Point[] = [
    [left + cut, top],
    [right - cut, top],
    [right, top + down],
    [right, bottom - down],
    [right - cut, bottom],
    [left + cut, bottom],
    [left, bottom - down],
    [left, top + down],
  ];
  return corners.map(pair).join(" ");
}

function towards(from: Point, to: Point, length: number): Point {
  const share = length / (distance(from, to) || 1);
  return [from[0] + (to[0] - from[0]) * share, from[1] + (to[1] - from[1]) * share];
}

function distance(one: Point, other: Point): number {
  return Math.hypot(one[0] - other[0], one[1] - other[1]);
}

function pair([x, y]: Point): string {
  return `${short(x)},${short(y)}`;
}

function short(value: number): number {
  return Math.round(value * 10) / 10;
}

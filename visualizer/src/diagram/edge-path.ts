type Point = readonly [x: number, y: number];

const ROUND = 6;

/** An SVG path along the points, with round corners. */
export function roundedPath(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (!first) return "";
  const parts = [`M${first[0]} ${first[1]}`];
  for (const [index, point] of rest.entries()) {
    const before = points[index]!;
    const after = points[index + 2];
    if (!after) {
      parts.push(`L${point[0]} ${point[1]}`);
      continue;
    }
    const radius = Math.min(ROUND, distance(before, point) / 2, distance(point, after) / 2);
    const enter = towards(point, before, radius);
    const leave = towards(point, after, radius);
    parts.push(`L${enter[0]} ${enter[1]}Q${point[0]} ${point[1]} ${leave[0]} ${leave[1]}`);
  }
  return parts.join("");
}

/** The three corners of an arrow at the end of a line. */
export function arrowHead(points: readonly Point[], length = 7, half = 3.6): string {
  const tip = points.at(-1);
  const before = points.findLast((point) => tip && distance(point, tip) > 0);
  if (!tip || !before) return "";
  const far = distance(before, tip);
  const [dx, dy] = [(tip[0] - before[0]) / far, (tip[1] - before[1]) / far];
  const [x, y] = [tip[0] - dx * length, tip[1] - dy * length];
  return `${tip[0]},${tip[1]} ${x - dy * half},${y + dx * half} ${x + dy * half},${y - dx * half}`;
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a[0] - b[0], a[1] - b[1]);
}

function towards(from: Point, to: Point, length: number): Point {
  const share = length / (distance(from, to) || 1);
  return [from[0] + (to[0] - from[0]) * share, from[1] + (to[1] - from[1]) * share];
}

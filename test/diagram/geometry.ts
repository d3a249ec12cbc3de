import type { Box, Layout, PlacedEdge } from "../../src/core/diagram/layout.ts";

type Point = readonly [x: number, y: number];

/** True if the two boxes share an area. */
export function overlaps(one: Box, other: Box): boolean {
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  );
}

/** True if the inner box lies within the outer one. */
export function contains(outer: Box, inner: Box): boolean {
  return (
    inner.x >= outer.x &&
    inner.y >= outer.y &&
    inner.x + inner.width <= outer.x + outer.width &&
    inner.y + inner.height <= outer.y + outer.height
  );
}

/** True if the point lies on the border of the box. */
export function isOnBorder([x, y]: Point, box: Box): boolean {
  const near = (one: number, other: number): boolean => Math.abs(one - other) <= 1;
  const isBeside = near(x, box.x) || near(x, box.x + box.width);
  const isAbove = near(y, box.y) || near(y, box.y + box.height);
  const isWithin = (value: number, from: number, length: number): boolean =>
    value >= from - 1 && value <= from + length + 1;
  return (isBeside && isWithin(y, box.y, box.height)) || (isAbove && isWithin(x, box.x, box.width));
}

/** The straight parts of a drawn line, as boxes without breadth. */
export function partsOf(line: readonly Point[]): Box[] {
  return line.slice(1).map(([x, y], index) => {
    const [fromX, fromY] = line[index]!;
    return {
      x: Math.min(x, fromX),
      y: Math.min(y, fromY),
      width: Math.abs(x - fromX),
      height: Math.abs(y - fromY),
    };
  });
}

/**
 * Describes the collisions of labels with each other, with leaf states, with lines of other edges and with
 * pills.
 */
export function collisions({ edges, nodes, pills }: Layout): string[] {
  const labelled = edges.filter((edge): edge is PlacedEdge & { label: Box } => edge.label !== undefined);
  return labelled.flatMap(({ label, edges: [name] }, index) => [
    ...labelled
      .slice(index + 1)
      .filter((other) => overlaps(label, other.label))
      .map((other) => `${name} and ${other.edges[0]}`),
    ...nodes
      .filter((node) => !node.hasChildren && overlaps(label, node) && !contains(node, label))
      .map((node) => `${name} and state ${node.id}`),
    ...edges
      .filter((other) => other.edges[0] !== name)
      .filter((other) => other.lines.some((line) => partsOf(line).some((part) => overlaps(label, part))))
      .map((other) => `${name} and the line of ${other.edges[0]}`),
    ...pills.filter((pill) => overlaps(label, pill)).map((pill) => `${name} and pill ${pill.edge}`),
  ]);
}

import type { ElkExtendedEdge, ElkNode } from "elkjs";
import type { ChartTree } from "./chart-tree.ts";
import type { ElkGraph, Route } from "./elk-graph.ts";
import type { Box, Layout, PlacedEdge, PlacedNode } from "./layout.ts";
import { placePills } from "./pills.ts";
import type { Point } from "./svg-path.ts";

type Segments = ReadonlyMap<string, ElkExtendedEdge>;

/** The margin around the picture, in px. */
const MARGIN = 8;
/** The distance between the border of a state and the label of a line that leaves it, in px. */
const INDENT = 6;

/**
 * Converts ELK's result to a layout: joins the segments of each route to one line, and puts the texts into the
 * boxes.
 */
export function toLayout(tree: ChartTree, graph: ElkGraph, elk: ElkNode): Layout {
  const all = withDescendants(elk);
  const places = new Map(all.map((node) => [node.id, boxOf(node)]));
  const segments = new Map(all.flatMap(({ edges = [] }) => edges).map((edge) => [edge.id, edge]));
  const root = places.get(tree.root.id)!;
  const routesOf = Map.groupBy(graph.routes, ({ bundle }) => bundle);
  return {
    width: root.width + 2 * MARGIN,
    height: root.height + 2 * MARGIN,
    nodes: tree.chart.nodes.map(({ id }): PlacedNode => {
      const { title, rows } = graph.boxes.get(id)!;
      return { id, title, ...places.get(id)!, rows, hasChildren: tree.hasChildren(id) };
    }),
    edges: tree.bundles.map((bundle): PlacedEdge => {
      const routes = routesOf.get(bundle)!;
      const lines = routes.map((route) => lineOf(route, segments));
      const label =
        graph.detail === "names"
          ? { ...middleOf(lines[0]!), width: 0, height: 0 }
          : (ownLabel(routes[0]!, graph, places) ?? elkLabel(routes[0]!, segments));
      return {
        edges: bundle.texts.map(({ edge }) => edge),
        lines,
        ...(label && { label: { ...label, lines: bundle.texts } }),
      };
    }),
    initials: tree.chart.nodes.flatMap(({ id, initial }) => {
      if (initial === undefined) return [];
      return [{ id, ...initialOf(places.get(initial)!, graph.direction(id) === "DOWN") }];
    }),
    pills: placePills(tree).map((pill) => ({
      ...pill,
      x: pill.x + root.x,
      y: pill.y + root.y,
      ...(graph.detail === "names" && { x: root.x, y: root.y, width: 0, height: 0 }),
    })),
  };
}

function withDescendants(node: ElkNode): ElkNode[] {
  return [node, ...(node.children ?? []).flatMap(withDescendants)];
}

function boxOf({ x = 0, y = 0, width = 0, height = 0 }: ElkNode): Box {
  return { x: onGrid(x + MARGIN), y: onGrid(y + MARGIN), width: onGrid(width), height: onGrid(height) };
}

/** The arrow into an initial state, placed where no line arrives. */
function initialOf({ x, y }: Box, isFromLeft: boolean): { readonly from: Point; readonly to: Point } {
  return isFromLeft
    ? { from: [x - 13, y + 16], to: [x, y + 16] }
    : { from: [x + 14, y - 13], to: [x + 14, y] };
}

/** The position of a label in the box of a leaf state: on the side where the line leaves. */
function ownLabel(
  { bundle, isBackward }: Route,
  graph: ElkGraph,
  places: ReadonlyMap<string, Box>,
): Box | undefined {
  const label = graph.boxes.get(bundle.source)!.labels.get(bundle);
  if (!label) return undefined;
  const { width, height } = label;
  const box = places.get(bundle.source)!;
  const x = isBackward ? box.x + INDENT : box.x + box.width - INDENT - width;
  return { x, y: box.y + label.y, width, height };
}

/** The middle of the longest segment of a line. */
function middleOf(points: readonly Point[]): { readonly x: number; readonly y: number } {
  const lengths = points
    .slice(1)
    .map(([x, y], at) => Math.abs(x - points[at]![0]) + Math.abs(y - points[at]![1]));
  const at = lengths.indexOf(Math.max(...lengths));
  const [[fromX, fromY], [toX, toY]] = [points[at]!, points[at + 1]!];
  return { x: onGrid((fromX + toX) / 2), y: onGrid((fromY + toY) / 2) };
}

function elkLabel({ segments: [first] }: Route, segments: Segments): Box | undefined {
  const label = segments.get(first!.id)?.labels?.[0];
  return label && boxOf(label as ElkNode);
}

function lineOf(route: Route, segments: Segments): Point[] {
  const points = route.segments.flatMap(({ id, isReversed }) => {
    const along = (segments.get(id)?.sections ?? []).flatMap(({ startPoint, bendPoints = [], endPoint }) =>
      [startPoint, ...bendPoints, endPoint].map(({ x, y }): Point => [
        onGrid(x + MARGIN),
        onGrid(y + MARGIN),
      ]),
    );
    return isReversed ? along.toReversed() : along;
  });
  const distinct = points.filter((point, index) => index === 0 || !isSame(point, points[index - 1]!));
  return distinct.filter((point, index) => !isOnSegment(distinct[index - 1], point, distinct[index + 1]));
}

function isSame([x, y]: Point, [otherX, otherY]: Point): boolean {
  return x === otherX && y === otherY;
}

function isOnSegment(before: Point | undefined, [x, y]: Point, after: Point | undefined): boolean {
  if (!before || !after) return false;
  return (before[0] === x && x === after[0]) || (before[1] === y && y === after[1]);
}

/** Rounds to half pixels: sharp enough, and short in JSON. */
function onGrid(value: number): number {
  return Math.round(value * 2) / 2;
}

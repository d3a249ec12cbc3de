import type { ElkExtendedEdge, ElkNode } from "elkjs";
import type { ChartTree } from "./chart-tree.ts";
import type { ElkGraph, Route } from "./elk-graph.ts";
import type { Box, Layout, PlacedEdge, PlacedNode } from "./layout.ts";
import { placePills } from "./pills.ts";

type Point = readonly [x: number, y: number];
type Stretches = ReadonlyMap<string, ElkExtendedEdge>;

/** Free room around the picture, px. */
const MARGIN = 8;
/** From the border of a state to the text of a line that leaves it, px. */
const INDENT = 6;

/** What ELK gave back, put together: one line from the stretches of each route, boxes with their texts. */
export function placedLayout(tree: ChartTree, graph: ElkGraph, elk: ElkNode): Layout {
  const all = withDescendants(elk);
  const places = new Map(all.map((node) => [node.id, boxOf(node)]));
  const stretches = new Map(all.flatMap(({ edges = [] }) => edges).map((edge) => [edge.id, edge]));
  const root = places.get(tree.root.id)!;
  return {
    width: root.width + 2 * MARGIN,
    height: root.height + 2 * MARGIN,
    nodes: tree.chart.nodes.map(({ id }): PlacedNode => {
      const { title, rows } = graph.boxes.get(id)!;
      return { id, title, ...places.get(id)!, rows, hasChildren: tree.hasChildren(id) };
    }),
    edges: tree.strands.map((strand): PlacedEdge => {
      const routes = graph.routes.filter((route) => route.strand === strand);
      const lines = routes.map((route) => lineOf(route, stretches));
      const label =
        graph.detail === "names"
          ? { ...middleOf(lines[0]!), width: 0, height: 0 }
          : (ownLabel(routes[0]!, graph, places) ?? elkLabel(routes[0]!, stretches));
      return {
        edges: strand.texts.map(({ edge }) => edge),
        lines,
        ...(label && { label: { ...label, lines: strand.texts } }),
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

/** The arrow into the first of the children: where no line arrives. */
function initialOf({ x, y }: Box, isFromLeft: boolean): { readonly from: Point; readonly to: Point } {
  return isFromLeft
    ? { from: [x - 13, y + 16], to: [x, y + 16] }
    : { from: [x + 14, y - 13], to: [x + 14, y] };
}

/** The label's place in the box of a state without children: on the side where the line leaves. */
function ownLabel(
  { strand, isBack }: Route,
  graph: ElkGraph,
  places: ReadonlyMap<string, Box>,
): Box | undefined {
  const label = graph.boxes.get(strand.source)!.labels.get(strand);
  if (!label) return undefined;
  const { width, height } = label;
  const box = places.get(strand.source)!;
  const x = isBack ? box.x + INDENT : box.x + box.width - INDENT - width;
  return { x, y: box.y + label.y, width, height };
}

/** The middle of the longest stretch of a line. */
function middleOf(points: readonly Point[]): { readonly x: number; readonly y: number } {
  const lengths = points
    .slice(1)
    .map(([x, y], at) => Math.abs(x - points[at]![0]) + Math.abs(y - points[at]![1]));
  const at = lengths.indexOf(Math.max(...lengths));
  const [[fromX, fromY], [toX, toY]] = [points[at]!, points[at + 1]!];
  return { x: onGrid((fromX + toX) / 2), y: onGrid((fromY + toY) / 2) };
}

function elkLabel({ stretches: [first] }: Route, stretches: Stretches): Box | undefined {
  const label = stretches.get(first!.id)?.labels?.[0];
  return label && boxOf(label as ElkNode);
}

function lineOf(route: Route, stretches: Stretches): Point[] {
  const points = route.stretches.flatMap(({ id, isReversed }) => {
    const along = (stretches.get(id)?.sections ?? []).flatMap(({ startPoint, bendPoints = [], endPoint }) =>
      [startPoint, ...bendPoints, endPoint].map(({ x, y }): Point => [
        onGrid(x + MARGIN),
        onGrid(y + MARGIN),
      ]),
    );
    return isReversed ? along.toReversed() : along;
  });
  const distinct = points.filter((point, index) => index === 0 || !isSame(point, points[index - 1]!));
  return distinct.filter((point, index) => !isOnTheWay(distinct[index - 1], point, distinct[index + 1]));
}

function isSame([x, y]: Point, [otherX, otherY]: Point): boolean {
  return x === otherX && y === otherY;
}

function isOnTheWay(before: Point | undefined, [x, y]: Point, after: Point | undefined): boolean {
  if (!before || !after) return false;
  return (before[0] === x && x === after[0]) || (before[1] === y && y === after[1]);
}

/** Half pixels: sharp enough, and short in JSON. */
function onGrid(value: number): number {
  return Math.round(value * 2) / 2;
}

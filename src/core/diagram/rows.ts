import type { ElkExtendedEdge, ElkNode, ElkPort } from "elkjs";
import type { Detail } from "./state-box.ts";
import type { Point } from "./svg-path.ts";
import type { Chart } from "./chart-json.ts";
import { ChartTree } from "./chart-tree.ts";
import { ElkGraph } from "./elk-graph.ts";
import type { Layout, Layouts, Shapes } from "./layout.ts";
import { toLayout } from "./to-layout.ts";

/** The spaces of a picture, in px. */
type Gaps = {
  /** Between columns: lines run up and down in it. */
  readonly column: number;
  /** The least one between rows. */
  readonly row: number;
  /** Between two lines that run side by side. */
  readonly lane: number;
};
/** The spaces of each picture. That of names is narrow, so that its names are large. */
const GAPS: { readonly [detail in Detail]: Gaps } = {
  all: { column: 56, row: 36, lane: 5 },
  names: { column: 26, row: 20, lane: 3 },
};
/** The number of lines that run side by side. */
const LANES = 6;
/** The distance of a line that runs along the border of a state, inside of it. */
const INSIDE = 8;

type Side = "NORTH" | "SOUTH" | "EAST" | "WEST";
type Placed = { x: number; y: number; readonly width: number; readonly height: number };
type Cell = Placed & { readonly column: number; readonly row: number; readonly node: ElkNode };
/** A level of a chart: its children in columns and rows, with the space to the left of each column and above each row. */
type Level = {
  readonly gaps: Gaps;
  readonly cells: readonly Cell[];
  readonly columns: readonly number[];
  readonly rows: readonly number[];
};

/**
 * Places the states of a graph in rows and columns, and its lines in the gaps between them, in the form in which ELK returns a layout. It
 * takes moments where ELK takes minutes, and wraps a level with very many states, which ELK draws as one line. `aspect`: the relation of the picture's width to its height.
 */
export function layoutInRows(root: ElkNode, aspect: number, detail: Detail): ElkNode {
  const size = place(root, aspect, GAPS[detail]);
  return moved({ ...root, ...size }, 0, 0);
}

const paddingOf = ({
  layoutOptions,
}: ElkNode): { readonly [side in "top" | "left" | "bottom" | "right"]: number } => {
  const said = layoutOptions?.["elk.padding"] ?? "";
  const of = (side: string): number => Number(new RegExp(`${side}=([\\d.]+)`, "u").exec(said)?.[1] ?? 0);
  return { top: of("top"), left: of("left"), bottom: of("bottom"), right: of("right") };
};

/** Sizes a node around its children, which it places within itself, and returns its size. */
function place(node: ElkNode, aspect: number, gaps: Gaps): { width: number; height: number } {
  const { children = [] } = node;
  if (children.length === 0) return { width: node.width ?? 0, height: node.height ?? 0 };
  const sizes = children.map((child) => Object.assign(child, place(child, aspect, gaps)));
  const labels = (node.edges ?? []).flatMap(({ labels: all = [] }) => all.map(({ height = 0 }) => height));
  const isAlone = children.length === 1 && (node.edges ?? []).length === 0;
  const rowGap = isAlone ? 0 : Math.max(gaps.row, ...labels.map((height) => height + 2 * gaps.lane));
  const columnGap = isAlone ? 0 : gaps.column;
  const count = columnsFor(sizes, { width: columnGap, height: rowGap }, aspect);
  const { top, left, bottom, right } = paddingOf(node);
  const columns = offsets(
    widthsOf(sizes, (at) => at % count, "width"),
    columnGap,
    left + (isAlone ? 0 : columnGap),
  );
  const rows = offsets(
    widthsOf(sizes, (at) => Math.floor(at / count), "height"),
    rowGap,
    top + (isAlone ? 0 : rowGap),
  );
  const cells = children.map((child, at): Cell => {
    const [column, row] = [at % count, Math.floor(at / count)];
    const position = { x: columns[column]!, y: rows[row]! };
    Object.assign(child, position);
    return { ...position, width: child.width ?? 0, height: child.height ?? 0, column, row, node: child };
  });
  const minimum = /\(([\d.]+), ([\d.]+)\)/u.exec(node.layoutOptions?.["elk.nodeSize.minimum"] ?? "");
  const size = {
    width: Math.max(Number(minimum?.[1] ?? 0), columns.at(-1)! + right),
    height: Math.max(Number(minimum?.[2] ?? 0), rows.at(-1)! + bottom),
  };
  route(node, size, { gaps, cells, columns, rows });
  return size;
}

/** A relation that is twenty times too large, as a logarithm. */
const FAR = 3;

/** The number of columns with which the relation of width to height comes nearest to `aspect`. */
function columnsFor(
  sizes: readonly ElkNode[],
  gap: { readonly width: number; readonly height: number },
  aspect: number,
): number {
  const extentOf = (extents: readonly number[], space: number): number =>
    extents.reduce((sum, extent) => sum + extent + space, space);
  let best = { count: 1, distance: Number.POSITIVE_INFINITY };
  for (let count = 1; count <= sizes.length; count++) {
    const width = extentOf(
      widthsOf(sizes, (at) => at % count, "width"),
      gap.width,
    );
    const height = extentOf(
      widthsOf(sizes, (at) => Math.floor(at / count), "height"),
      gap.height,
    );
    const excess = Math.log(width / height / aspect);
    if (Math.abs(excess) < best.distance) best = { count, distance: Math.abs(excess) };
    if (excess > best.distance + FAR) break; // more columns make it wider still
  }
  return best.count;
}

/** The largest extent of each column or row. */
function widthsOf(
  sizes: readonly ElkNode[],
  lineOf: (at: number) => number,
  extent: "width" | "height",
): readonly number[] {
  const largest: number[] = [];
  for (const [at, size] of sizes.entries())
    largest[lineOf(at)] = Math.max(largest[lineOf(at)] ?? 0, size[extent] ?? 0);
  return largest;
}

/** Returns where each column or row begins, and behind the last one where another one would. */
function offsets(extents: readonly number[], gap: number, from: number): readonly number[] {
  const all = [from];
  for (const extent of extents) all.push(all.at(-1)! + extent + gap);
  return all;
}

/** Draws the lines of a level through its gaps. */
function route(node: ElkNode, size: { width: number; height: number }, level: Level): void {
  const ports = new Map<string, { readonly port: ElkPort; readonly cell?: Cell }>();
  for (const port of node.ports ?? []) ports.set(port.id, { port });
  for (const cell of level.cells)
    for (const port of cell.node.ports ?? []) ports.set(port.id, { port, cell });
  for (const [at, { port, cell }] of [...ports.values()].entries())
    if (port.x === undefined) Object.assign(port, onSide(port, cell ?? size, at));
  for (const [index, edge] of (node.edges ?? []).entries()) {
    const lane = ((index % LANES) - LANES / 2) * level.gaps.lane;
    const [from, to] = [ports.get(edge.sources[0]!), ports.get(edge.targets[0]!)];
    if (from && to) draw(edge, endOf(from, size, level, lane), endOf(to, size, level, lane), lane, level);
  }
}

const sideOf = ({ layoutOptions }: ElkPort): Side => (layoutOptions?.["elk.port.side"] ?? "EAST") as Side;

/** The place of a port that may be anywhere on its side, beside the others there. */
function onSide(
  port: ElkPort,
  { width, height }: { readonly width: number; readonly height: number },
  at: number,
): { readonly x: number; readonly y: number } {
  const side = sideOf(port);
  const share = (1 + (at % LANES)) / (LANES + 1);
  if (side === "EAST" || side === "WEST")
    return { x: side === "EAST" ? width : 0, y: Math.round(height * share) };
  return { x: Math.round(width * share), y: side === "SOUTH" ? height : 0 };
}

/** An end of a line, and the corners on its way into the gaps: first the column's, then the row's. */
type End = {
  readonly at: Point;
  readonly column: number;
  readonly row: number;
  readonly isVertical: boolean;
};

function endOf(
  { port, cell }: { readonly port: ElkPort; readonly cell?: Cell },
  size: { readonly width: number; readonly height: number },
  { gaps, columns, rows }: Level,
  lane: number,
): End {
  const side = sideOf(port);
  const isVertical = side === "NORTH" || side === "SOUTH";
  if (!cell) {
    const at: Point = [port.x ?? 0, port.y ?? 0];
    const column = side === "EAST" ? size.width - INSIDE : side === "WEST" ? INSIDE : at[0];
    const row = side === "SOUTH" ? rows.at(-1)! - gaps.row / 2 + lane : rows[0]! - gaps.row / 2 + lane;
    return { at, column, row, isVertical };
  }
  const at: Point = [cell.x + (port.x ?? 0), cell.y + (port.y ?? 0)];
  const column = columns[side === "EAST" ? cell.column + 1 : cell.column]! - gaps.column / 2 + lane;
  const row = rows[side === "SOUTH" ? cell.row + 1 : cell.row]! - gaps.row / 2 + lane;
  return { at, column, row, isVertical };
}

/** The corners between an end and the row in which its line runs. */
const way = ({ at, column, row, isVertical }: End): readonly Point[] =>
  isVertical ? [at, [at[0], row]] : [at, [column, at[1]], [column, row]];

function draw(edge: ElkExtendedEdge, from: End, to: End, lane: number, { gaps, columns }: Level): void {
  const [begin, end] = [way(from), way(to)];
  const [last, first] = [begin.at(-1)!, end.at(-1)!];
  // a line between two rows goes up or down in the gap of a column
  const up =
    from.isVertical && to.isVertical
      ? columns[0]! - gaps.column / 2 + lane
      : from.isVertical
        ? first[0]
        : last[0];
  const between: readonly Point[] =
    last[1] === first[1]
      ? []
      : [
          [up, last[1]],
          [up, first[1]],
        ];
  const points = [...begin, ...between, ...end.toReversed()];
  const [startPoint, ...rest] = points.map(([x, y]) => ({ x, y }));
  const endPoint = rest.pop()!;
  edge.sections = [{ id: `${edge.id} line`, startPoint: startPoint!, bendPoints: rest, endPoint }];
  for (const label of edge.labels ?? []) {
    const { width = 0, height = 0 } = label;
    Object.assign(label, { x: (last[0] + first[0]) / 2 - width / 2, y: first[1] - height / 2 });
  }
}

/** The node with everything in it at its place in the picture. */
function moved(node: ElkNode, x: number, y: number): ElkNode {
  const at = { x: (node.x ?? 0) + x, y: (node.y ?? 0) + y };
  const move = (point: { readonly x: number; readonly y: number }) => ({
    x: point.x + at.x,
    y: point.y + at.y,
  });
  return {
    ...node,
    ...at,
    children: (node.children ?? []).map((child) => moved(child, at.x, at.y)),
    edges: (node.edges ?? []).map((edge) => ({
      ...edge,
      sections: (edge.sections ?? []).map((section) => ({
        ...section,
        startPoint: move(section.startPoint),
        endPoint: move(section.endPoint),
        bendPoints: (section.bendPoints ?? []).map(move),
      })),
      labels: (edge.labels ?? []).map((label) => ({
        ...label,
        ...move({ x: label.x ?? 0, y: label.y ?? 0 }),
      })),
    })),
  };
}

/** The relation of width to height of each picture. */
const ASPECTS: { readonly [shape in keyof Shapes]: number } = { portrait: 0.7, landscape: 1.6 };

/** Places a chart in rows and columns: one with very many states on a level, or one that takes too long otherwise. */
export function chartInRows(chart: Chart): Required<Layouts> {
  const tree = new ChartTree(chart);
  const layOut = (detail: Detail, aspect: number): Layout => {
    const graph = new ElkGraph(tree, ["RIGHT"], detail);
    return toLayout(tree, graph, layoutInRows(graph.root, aspect, detail));
  };
  const shapesOf = (detail: Detail): Shapes => ({
    portrait: layOut(detail, ASPECTS.portrait),
    landscape: layOut(detail, ASPECTS.landscape),
  });
  return { ...shapesOf("all"), names: shapesOf("names") };
}

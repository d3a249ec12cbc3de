import type { Chart } from "./chart-json.ts";
import { ChartTree } from "./chart-tree.ts";
import { ElkGraph } from "./elk-graph.ts";
import type { Layout, Layouts, Shapes } from "./layout.ts";
import { layoutInRows } from "./rows.ts";
import type { Detail } from "./state-box.ts";
import { toLayout } from "./to-layout.ts";

/** The relation of width to height of each picture. */
const ASPECTS: { readonly [shape in keyof Shapes]: number } = { portrait: 0.7, landscape: 1.6 };

/** Places a chart in rows and columns, in milliseconds: one with very many states on a level, or one that takes too long otherwise. */
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

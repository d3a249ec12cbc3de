import elk from "elkjs/lib/elk.bundled.js";
import type { Chart } from "../chart/chart-json.ts";
import { ChartTree } from "./chart-tree.ts";
import { ElkGraph } from "./elk-graph.ts";
import type { Flow } from "./flow.ts";
import type { Layout, Layouts } from "./layout.ts";
import { placedLayout } from "./placed-layout.ts";

const FLOWS: { readonly [shape in keyof Layouts]: Flow } = {
  portrait: ["DOWN", "RIGHT", "DOWN"],
  landscape: ["RIGHT", "DOWN"],
};

/**
 * A place for every state and every transition of a chart, for a high and for a wide panel. The same chart gives the same
 * picture. It computes without a pause, seconds for a large chart: in a server use `layoutInWorker`.
 */
export async function layoutChart(chart: Chart): Promise<Layouts> {
  const tree = new ChartTree(chart);
  return { portrait: await layOut(tree, FLOWS.portrait), landscape: await layOut(tree, FLOWS.landscape) };
}

async function layOut(tree: ChartTree, flow: Flow): Promise<Layout> {
  const graph = new ElkGraph(tree, flow);
  return placedLayout(tree, graph, await new elk.default().layout(graph.root));
}

import elk from "elkjs/lib/elk.bundled.js";
import type { Chart } from "./chart-json.ts";
import { ChartTree } from "./chart-tree.ts";
import { ElkGraph } from "./elk-graph.ts";
import type { Flow } from "./flow.ts";
import type { Detail } from "./state-box.ts";
import type { Layout, Layouts, Shapes } from "./layout.ts";
import { placedLayout } from "./placed-layout.ts";

const FLOWS: { readonly [shape in keyof Shapes]: Flow } = {
  portrait: ["DOWN", "RIGHT", "DOWN"],
  landscape: ["RIGHT", "DOWN"],
};

/**
 * A place for every state and every transition of a chart, for a high and for a wide panel, and from afar. The same chart gives
 * the same picture. It computes without a pause, seconds for a large chart: in a server use `layoutInWorker`.
 */
export async function layoutChart(chart: Chart): Promise<Required<Layouts>> {
  const tree = new ChartTree(chart);
  return { ...(await shapesOf(tree, "all")), names: await shapesOf(tree, "names") };
}

async function shapesOf(tree: ChartTree, detail: Detail): Promise<Shapes> {
  const layOut = async (flow: Flow): Promise<Layout> => {
    const graph = new ElkGraph(tree, flow, detail);
    return placedLayout(tree, graph, await new elk.default().layout(graph.root));
  };
  return { portrait: await layOut(FLOWS.portrait), landscape: await layOut(FLOWS.landscape) };
}

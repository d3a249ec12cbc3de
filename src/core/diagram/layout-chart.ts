import elk from "elkjs/lib/elk.bundled.js";
import type { ELK } from "elkjs";
import type { Chart } from "./chart-json.ts";
import { chartInRows } from "./rows.ts";
import { ChartTree } from "./chart-tree.ts";
import { ElkGraph } from "./elk-graph.ts";
import type { Flow } from "./flow.ts";
import type { Detail } from "./state-box.ts";
import type { Layout, Layouts, Shapes } from "./layout.ts";
import { toLayout } from "./to-layout.ts";

/** The class, which the compiler finds in another place for a bundler than for Node.js. */
const Elk = ("default" in elk ? elk.default : elk) as new () => ELK;

const FLOWS: { readonly [shape in keyof Shapes]: Flow } = {
  portrait: ["DOWN", "RIGHT", "DOWN"],
  landscape: ["RIGHT", "DOWN"],
};

/** A level with more states than these is placed in rows. */
const MAX_IN_FLOW = 80;

/**
 * Computes a position for every state and every transition of a chart: for a tall panel, for a wide one, and
 * for both with names only. The same chart gives the same layouts. It blocks its thread, for seconds if the
 * chart is large; a server uses `layoutInWorker`.
 */
export async function layoutChart(chart: Chart): Promise<Required<Layouts>> {
  const tree = new ChartTree(chart);
  if (chart.nodes.some(({ id }) => tree.children(id).length > MAX_IN_FLOW)) return chartInRows(chart);
  return { ...(await shapesOf(tree, "all")), names: await shapesOf(tree, "names") };
}

async function shapesOf(tree: ChartTree, detail: Detail): Promise<Shapes> {
  const layOut = async (flow: Flow): Promise<Layout> => {
    const graph = new ElkGraph(tree, flow, detail);
    return toLayout(tree, graph, await new Elk().layout(graph.root));
  };
  return { portrait: await layOut(FLOWS.portrait), landscape: await layOut(FLOWS.landscape) };
}

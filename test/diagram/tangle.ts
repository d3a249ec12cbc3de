import type { Chart, ChartEdge, ChartNode } from "agentchart/machines";

const state = (id: string, type: ChartNode["type"], parent?: string): ChartNode => ({
  id,
  key: id,
  type,
  ...(parent && { parent }),
  tags: [],
  entry: [],
  exit: [],
  invoke: [],
});
/** A transition that is triggered by the name of its target. */
export const edge = (source: string, target: string): ChartEdge => ({
  id: `${source}|${target}|0`,
  source,
  targets: [target],
  kind: "event",
  event: target,
  actions: [],
  reenter: false,
});

/** A chart that takes long to lay out: `size` states, each with an edge to every state. */
export function tangle(size: number): Chart {
  const ids = Array.from({ length: size }, (_, index) => `s${index}`);
  const edges = ids.flatMap((source) => ids.map((target) => edge(source, target)));
  return {
    id: `tangle ${size}`,
    nodes: [state("root", "compound"), ...ids.map((id) => state(id, "atomic", "root"))],
    edges,
  };
}

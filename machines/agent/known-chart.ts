import { chartHash } from "../../src/core/diagram/chart-hash.ts";
import { chartJson, type Chart } from "../../src/core/diagram/chart-json.ts";
import { agentMachine } from "./agent.machine.ts";

/** The chart of every agent of this version. */
export type AgentChart = {
  readonly chart: Chart;
  /** Identifies the version of the chart. */
  readonly hash: string;
  /** The number of each edge in `chart.edges`, by id. */
  readonly edges: ReadonlyMap<string, number>;
};

let known: AgentChart | undefined;

/** The chart of every agent of this version, computed on first use. */
export function agentChart(): AgentChart {
  if (known) return known;
  const chart = chartJson(agentMachine);
  const edges = new Map(chart.edges.map(({ id }, index) => [id, index]));
  known = { chart, hash: chartHash(chart), edges };
  return known;
}

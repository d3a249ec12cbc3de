import type { ChartVersion } from "../protocol/chart-version.ts";

/** Resolves to the chart of this release. It is loaded with the agent's machine when something needs it: many a hub shows no agent. */
export async function ownChart(): Promise<ChartVersion> {
  const { agentChart } = await import("../../../machines/agent/known-chart.ts");
  const { hash, chart } = agentChart();
  return { hash, chart };
}

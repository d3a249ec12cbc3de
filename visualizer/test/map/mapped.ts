import type { Agent } from "agentchart";
import { agentChart } from "../../../machines/agent/known-chart.ts";
import { indexChart } from "../../src/logic/chart-index.ts";
import { agentMap, type AgentMap } from "../../src/map/agent-map.ts";
import { mapLog } from "../../src/map/map-log.ts";
import { activePlace } from "../../src/map/places.ts";
import { RunData } from "../../src/store/run-data.ts";
import type { RunLog } from "../../../src/inspect/hub/run-log.ts";
import { watched } from "../logic/told-run.ts";

/** The tables of the agent's chart. */
export const index = indexChart(agentChart().chart);

/** Returns the steps of a run as a page has them. */
export function runOf(log: RunLog): RunData {
  const run = new RunData();
  run.add(log.page(1, log.last));
  return run;
}

/** Returns the map of a run at a step; default: the newest. */
export function mapOf(
  run: RunData,
  stepNumber = run.last,
  innerRuns: ReadonlyMap<string, { readonly agent: string; readonly runId: string }> = new Map(),
): AgentMap {
  return agentMap({
    log: mapLog(run, index),
    stepNumber,
    context: run.contextAt(stepNumber),
    agent: "agent",
    active: activePlace(index, run.statesAt(stepNumber)),
    innerRuns,
  });
}

/** Watches what a function does with an agent, and returns the steps. */
export async function observed(agent: Agent, act: (agent: Agent) => Promise<unknown>): Promise<RunData> {
  const run = watched(agent);
  await act(agent);
  const { log } = run.told();
  await agent.close();
  return runOf(log);
}

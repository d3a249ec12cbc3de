import { useMemo } from "react";
import { parentOf } from "../logic/inner-runs.ts";
import { useDisplayedStep } from "../store/displayed-step.ts";
import type { IndexedChart } from "../store/model.ts";
import { useModel } from "../store/use-model.ts";
import type { RunRow } from "../wire/types.ts";
import { agentMap, type AgentMap } from "./agent-map.ts";
import { mapLog } from "./map-log.ts";
import { activePlace } from "./places.ts";

/** The runs inside of the calls of a run, by the id of the call. */
function innerRunsOf(
  rows: ReadonlyMap<string, RunRow>,
  runId: string | null,
): ReadonlyMap<string, { readonly agent: string; readonly runId: string }> {
  const inner = [...rows.values()].toSorted((a, b) => a.startedAt - b.startedAt);
  return new Map(
    inner.flatMap((row) => {
      const parent = parentOf(row);
      return parent?.runId === runId
        ? [[parent.callId, { agent: row.agent, runId: row.runId }] as const]
        : [];
    }),
  );
}

/** The map of the displayed run at the displayed step, and the number of that step. */
export function useAgentMap(chart: IndexedChart): { readonly map: AgentMap; readonly stepNumber: number } {
  const { run, stepNumber, version } = useDisplayedStep();
  const rows = useModel((all) => all.rows);
  const runId = useModel((all) => all.selection.runId);
  const agent = useModel((all) => all.row?.agent ?? "agent");
  const innerRuns = useMemo(() => innerRunsOf(rows, runId), [rows, runId]);
  const map = useMemo(
    () =>
      agentMap({
        log: mapLog(run, chart.index),
        stepNumber,
        context: run.contextAt(stepNumber),
        agent,
        active: activePlace(chart.index, run.statesAt(stepNumber)),
        innerRuns,
      }),
    [run, version, stepNumber, chart, agent, innerRuns],
  );
  return { map, stepNumber };
}

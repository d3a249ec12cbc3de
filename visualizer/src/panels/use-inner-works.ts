import { useMemo } from "react";
import { runsBelow, type InnerWork } from "../logic/lanes.ts";
import { model } from "../store/model.ts";
import type { RunData } from "../store/run-data.ts";
import { useModel } from "../store/use-model.ts";
import { useWholeRuns } from "../store/whole-run.ts";
import { workLog } from "../store/work-log.ts";

/** The number of sub-agents whose steps are loaded for the waterfall. */
const MAX_OPENED = 16;

/** Returns what took time in the sub-agents of the selected run, whose steps are loaded while the caller is drawn; by run. */
export function useInnerWorks(run: RunData, runId: string | null): ReadonlyMap<string, InnerWork> {
  const rows = useModel((all) => all.rows);
  const charts = useModel((all) => all.charts);
  const below = useMemo(() => runsBelow(rows, runId).slice(0, MAX_OPENED), [rows, runId]);
  const loaded = useWholeRuns(below.map((row) => row.runId));
  const versions = loaded.map(({ version }) => version).join();
  return useMemo(() => {
    const offset = offsetOf(run);
    return new Map(
      loaded.flatMap((data, at) => {
        const row = below[at]!;
        if (data.last === 0) return [];
        const index = (charts.get(row.chart) ?? model.chart)?.index;
        return [[row.runId, { works: workLog(data, index).works, shift: offsetOf(data) - offset }] as const];
      }),
    );
  }, [versions, below, charts, run, run.first]);
}

/** Epoch ms of the instant 0 of a run's own clock. */
export function offsetOf(run: RunData): number {
  const step = run.at(run.last);
  return step ? step.time - step.elapsed : 0;
}

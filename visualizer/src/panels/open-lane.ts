import type { Lane } from "../logic/lanes.ts";
import { goTo, select } from "../store/navigate.ts";

/** Opens what a lane shows: the end of its last attempt, also in the run of a sub-agent, or that run. */
export function openLane({ run, works, of }: Lane): void {
  if (run) return select({ runId: run.runId, stepNumber: null });
  const last = works.at(-1)!;
  const stepNumber = last.to ?? last.from;
  if (of === undefined) goTo(stepNumber);
  else select({ runId: of, stepNumber });
}

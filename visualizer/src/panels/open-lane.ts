import type { Lane } from "../logic/lanes.ts";
import { goTo, select } from "../store/navigate.ts";

/** Opens what a lane shows: the end of its last attempt, or the run of a sub-agent. */
export function openLane({ run, works }: Lane): void {
  if (run) return select({ runId: run.runId, stepNumber: null });
  const last = works.at(-1)!;
  goTo(last.to ?? last.from);
}

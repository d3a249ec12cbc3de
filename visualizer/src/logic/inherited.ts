import type { RunRow } from "../wire/types.ts";
import type { MarkedRun } from "./fork-marks.ts";

/** True for a step of a fork that brought what its original had: the first append of a stored run, or the load of a live one. */
export function isInherited(
  run: Pick<MarkedRun, "at">,
  row: Pick<RunRow, "forkOf"> | undefined,
  stepNumber: number,
): boolean {
  if (!row?.forkOf) return false;
  const event = run.at(stepNumber)?.event;
  if (event !== "messages") return event === "session.load";
  for (let at = 1; at < stepNumber; at++) if (run.at(at)?.event === "position") return false;
  return true;
}

import type { RunRow } from "../wire/types.ts";
import type { MarkedRun } from "./fork-marks.ts";

/**
 * The position in the journal after a step; 0 if there is none. A live step has the position before it, so that of
 * the next step counts.
 */
export function positionAfter(
  run: Pick<MarkedRun, "last" | "at">,
  row: Pick<RunRow, "source" | "seq"> | undefined,
  stepNumber: number,
): number {
  if (row?.source === "store") return run.at(stepNumber)?.journalSeq ?? 0;
  return (stepNumber >= run.last ? row?.seq : run.at(stepNumber + 1)?.journalSeq) ?? 0;
}

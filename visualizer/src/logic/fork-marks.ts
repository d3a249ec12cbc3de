import type { Step } from "../wire/step.ts";
import type { RunRow } from "../wire/types.ts";
import { shortId } from "./format.ts";
import { t } from "../words/t.ts";

/** A step at which a run and another run fork. */
export type ForkMark = {
  /** The id of the other run. */
  readonly runId: string;
  /** `from`: the other run was forked here. `origin`: this run starts here as a fork of the other. */
  readonly kind: "from" | "origin";
  readonly stepNumber: number;
  /** The displayed text. */
  readonly name: string;
};

/** The part of a run's data that marks are computed from. */
export type MarkedRun = {
  readonly first: number;
  readonly last: number;
  /** All steps from this number to the last are loaded. */
  readonly wholeFrom: number;
  at(stepNumber: number): Step | undefined;
};

/**
 * Returns where a run was forked, and where it starts if it is a fork, in order. Forks that are not in `rows`
 * and steps that are not loaded have no mark.
 */
export function forkMarks(
  run: MarkedRun,
  row: RunRow | undefined,
  rows: ReadonlyMap<string, RunRow>,
): readonly ForkMark[] {
  if (!row || run.last === 0) return [];
  const marks: ForkMark[] = [];
  const { forkOf } = row;
  // the original run of a file may not exist here
  const isAvailable = forkOf && (row.source !== "file" || rows.has(forkOf.runId));
  if (isAvailable && run.first === 1) {
    const name = t`Forked from ${nameOf(rows.get(forkOf.runId), forkOf.runId)}`;
    marks.push({ runId: forkOf.runId, kind: "origin", stepNumber: 1, name });
  }
  for (const other of rows.values()) {
    if (other.forkOf?.runId !== row.runId) continue;
    const stepNumber = stepOfPosition(run, other.forkOf.seq, row.source);
    if (stepNumber === undefined) continue;
    marks.push({
      runId: other.runId,
      kind: "from",
      stepNumber,
      name: t`Fork: ${nameOf(other, other.runId)}`,
    });
  }
  return marks.toSorted((one, two) => one.stepNumber - two.stepNumber);
}

function nameOf(row: RunRow | undefined, runId: string): string {
  return row && row.agent !== "" ? `${row.agent} ${shortId(runId)}` : shortId(runId);
}

/**
 * The step that brought the journal to a position. A live step has the position before it, a stored step its
 * own.
 */
export function stepOfPosition(run: MarkedRun, seq: number, source: RunRow["source"]): number | undefined {
  const reaches = (stepNumber: number): boolean =>
    stepNumber === run.last ||
    (run.at(source === "store" ? stepNumber : stepNumber + 1)?.journalSeq ?? 0) >= seq;
  const from = Math.max(run.first, run.wholeFrom);
  let [low, high] = [from, run.last];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (reaches(middle)) high = middle;
    else low = middle + 1;
  }
  // if older steps are missing, the first loaded one may not be the right one
  return low === from && from > 1 ? undefined : low;
}

/**
 * Positions that are at least `apart` from each other and at most `width`, each as near as possible to the
 * wanted one.
 */
export function spread(wanted: readonly number[], apart: number, width: number): readonly number[] {
  const places: number[] = [];
  for (const x of wanted) places.push(Math.max(x, (places.at(-1) ?? -apart) + apart));
  for (let at = places.length - 1, most = width; at >= 0 && places[at]! > most; at--, most -= apart)
    places[at] = most;
  return places;
}

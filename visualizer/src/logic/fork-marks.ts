import type { RunRow, Step } from "../wire/types.ts";
import { shortId } from "./format.ts";

/** A place of a run where it and another one part. */
export type ForkMark = {
  /** The other run. */
  readonly runId: string;
  /** `from`: the other was forked here. `origin`: the run itself begins here, as a fork of the other. */
  readonly kind: "from" | "origin";
  readonly q: number;
  /** What it says to a person. */
  readonly name: string;
};

/** The steps of a run as far as they are needed here. */
export type MarkedRun = {
  readonly first: number;
  readonly last: number;
  /** All steps from this one to the last are here. */
  readonly wholeFrom: number;
  at(q: number): Step | undefined;
};

/** Where a run was forked from, and where it began if it is a fork itself; in the order of the steps. Runs that are not among
 *  `rows` are not known of, and places among steps that are not here have no mark. */
export function forkMarks(
  run: MarkedRun,
  row: RunRow | undefined,
  rows: ReadonlyMap<string, RunRow>,
): readonly ForkMark[] {
  if (!row || run.last === 0) return [];
  const marks: ForkMark[] = [];
  const { forkOf } = row;
  // a file may come from where there is no such run
  const isThere = forkOf && (row.source !== "file" || rows.has(forkOf.runId));
  if (isThere && run.first === 1) {
    const name = `Begins here as a fork of ${nameOf(rows.get(forkOf.runId), forkOf.runId)}`;
    marks.push({ runId: forkOf.runId, kind: "origin", q: 1, name });
  }
  for (const other of rows.values()) {
    if (other.forkOf?.runId !== row.runId) continue;
    const q = stepOfPosition(run, other.forkOf.seq, row.source);
    if (q === undefined) continue;
    marks.push({ runId: other.runId, kind: "from", q, name: `Forked here: ${nameOf(other, other.runId)}` });
  }
  return marks.toSorted((one, two) => one.q - two.q);
}

function nameOf(row: RunRow | undefined, runId: string): string {
  return row && row.agent !== "" ? `${row.agent} ${shortId(runId)}` : shortId(runId);
}

/** The step that brought the journal to a position. A live step knows the position before it, one of a store its own. */
function stepOfPosition(run: MarkedRun, seq: number, source: RunRow["source"]): number | undefined {
  const reaches = (q: number): boolean =>
    q === run.last || (run.at(source === "store" ? q : q + 1)?.j ?? 0) >= seq;
  const from = Math.max(run.first, run.wholeFrom);
  let [low, high] = [from, run.last];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (reaches(middle)) high = middle;
    else low = middle + 1;
  }
  // where older steps are missing, the first one that is here may not be the one
  return low === from && from > 1 ? undefined : low;
}

/** Places at least `apart` from each other and within `width`, each as near as can be to where it is wanted. */
export function spread(wanted: readonly number[], apart: number, width: number): readonly number[] {
  const places: number[] = [];
  for (const x of wanted) places.push(Math.max(x, (places.at(-1) ?? -apart) + apart));
  for (let at = places.length - 1, most = width; at >= 0 && places[at]! > most; at--, most -= apart)
    places[at] = most;
  return places;
}

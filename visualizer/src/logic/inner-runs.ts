import type { RunRow } from "../wire/types.ts";

/** The call that a run is inside of; undefined for one of its own. */
export function parentOf({
  parent,
}: RunRow): { readonly runId: string; readonly callId: string } | undefined {
  return typeof parent?.runId === "string" && typeof parent.callId === "string" ? parent : undefined;
}

const keyOf = (runId: string, callId: string): string => JSON.stringify([runId, callId]);
const indexes = new WeakMap<ReadonlyMap<string, RunRow>, ReadonlyMap<string, string>>();

/** The id of the newest known run inside of a call of another run. */
export function innerRunOf(
  rows: ReadonlyMap<string, RunRow>,
  runId: string | null,
  callId: string,
): string | undefined {
  let index = indexes.get(rows);
  if (!index) {
    const inner = [...rows.values()].toSorted((a, b) => a.startedAt - b.startedAt);
    index = new Map(
      inner.flatMap((row) => {
        const parent = parentOf(row);
        return parent ? [[keyOf(parent.runId, parent.callId), row.runId] as const] : [];
      }),
    );
    indexes.set(rows, index);
  }
  return runId === null ? undefined : index.get(keyOf(runId, callId));
}

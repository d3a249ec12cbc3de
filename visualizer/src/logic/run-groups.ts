import { parentOf } from "./inner-runs.ts";
import { groupOf, RUN_GROUPS, type RunGroup, type RunRow } from "../wire/types.ts";
import { t } from "../words/t.ts";

/** The maximum depth of runs that are nested inside of each other. */
const MAX_DEPTH = 20;

/** The displayed names of the groups. */
export const GROUP_NAMES: { readonly [group in RunGroup]: string } = {
  needsYou: t("needs attention"),
  running: t("running"),
  suspended: t("suspended"),
  finished: t("finished"),
};

/** A line of the list of runs. */
export type ListLine =
  | { readonly kind: "group"; readonly group: RunGroup; readonly total: number }
  | { readonly kind: "run"; readonly row: RunRow; readonly depth: number }
  | { readonly kind: "more"; readonly group: RunGroup };

/**
 * Returns the lines of the list. They are groups in order, newest runs first, forks below their original if both are in the same group, and
 * what runs inside of a run below that run, in its group.
 */
export function listLines(
  rows: readonly RunRow[],
  totals: { readonly [group in RunGroup]?: number },
  hasMore: (group: RunGroup) => boolean,
): readonly ListLine[] {
  const groups = Map.groupBy(rows, groupInList(rows));
  return RUN_GROUPS.flatMap((group) => {
    const members = (groups.get(group) ?? []).toSorted(newestFirst(group));
    const lines = withForks(members);
    if (lines.length === 0 && !hasMore(group)) return [];
    const total = hasMore(group) ? Math.max(totals[group] ?? 0, members.length) : members.length;
    return [
      { kind: "group", group, total },
      ...lines,
      ...(hasMore(group) ? [{ kind: "more", group } as const] : []),
    ] as const;
  });
}

/** Runs at rest are sorted by their last change; running ones, which change all the time, by their start. */
function newestFirst(group: RunGroup): (a: RunRow, b: RunRow) => number {
  const key = group === "running" ? "startedAt" : "updatedAt";
  return (a, b) => b[key] - a[key] || (a.runId < b.runId ? -1 : 1);
}

/** Returns the group in which a run is listed: that of the outermost known run that it is inside of. */
function groupInList(rows: readonly RunRow[]): (row: RunRow) => RunGroup {
  const known = new Map(rows.map((row) => [row.runId, row]));
  return (row) => {
    let outermost = row;
    for (let depth = 0; depth < MAX_DEPTH; depth++) {
      const parent = parentOf(outermost);
      const above = parent && known.get(parent.runId);
      if (!above) break;
      outermost = above;
    }
    return groupOf(outermost);
  };
}

function withForks(rows: readonly RunRow[]): readonly ListLine[] {
  const ids = new Set(rows.map(({ runId }) => runId));
  const forks = Map.groupBy(rows, (row) => {
    const above = [parentOf(row)?.runId, row.forkOf?.runId];
    return above.find((runId) => runId !== undefined && ids.has(runId)) ?? "";
  });
  const seen = new Set<string>();
  const linesFrom = (parent: string, depth: number): readonly ListLine[] =>
    (forks.get(parent) ?? []).flatMap((row) => {
      if (seen.has(row.runId)) return [];
      seen.add(row.runId);
      return [{ kind: "run", row, depth } as const, ...linesFrom(row.runId, depth + 1)];
    });
  const lines = linesFrom("", 0);
  const cyclic = rows.filter(({ runId }) => !seen.has(runId));
  return [...lines, ...cyclic.map((row) => ({ kind: "run", row, depth: 0 }) as const)];
}

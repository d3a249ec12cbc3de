import { RUN_GROUPS, type RunGroup, type RunRow } from "../wire/types.ts";

/** The displayed names of the groups. */
export const GROUP_NAMES: { readonly [group in RunGroup]: string } = {
  needsYou: "needs attention",
  running: "running",
  suspended: "suspended",
  finished: "finished",
};

/** The group of a run in the list: runs that need a user come first. */
export function groupOf({
  phase,
  waitsFor,
  pending,
}: Pick<RunRow, "phase" | "waitsFor" | "pending">): RunGroup {
  if (phase === "running") return "running";
  if (phase === "unfinished") return "suspended";
  if (phase !== "suspended") return "finished";
  return pending > 0 || waitsFor.includes("budget") ? "needsYou" : "suspended";
}

/** A line of the list of runs. */
export type ListLine =
  | { readonly kind: "group"; readonly group: RunGroup; readonly total: number }
  | { readonly kind: "run"; readonly row: RunRow; readonly depth: number }
  | { readonly kind: "more"; readonly group: RunGroup };

/**
 * The lines of the list: groups in order, newest runs first, forks below their original if both are in the same
 * group.
 */
export function listLines(
  rows: readonly RunRow[],
  totals: { readonly [group in RunGroup]?: number },
  hasMore: (group: RunGroup) => boolean,
): readonly ListLine[] {
  return RUN_GROUPS.flatMap((group) => {
    const members = rows.filter((row) => groupOf(row) === group).toSorted(newestFirst(group));
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

function withForks(rows: readonly RunRow[]): readonly ListLine[] {
  const ids = new Set(rows.map(({ runId }) => runId));
  const forks = Map.groupBy(rows, ({ forkOf }) => (forkOf && ids.has(forkOf.runId) ? forkOf.runId : ""));
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

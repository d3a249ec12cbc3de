import type { RunRow } from "../wire/types.ts";

export const GROUPS = ["needsYou", "running", "suspended", "finished"] as const;
export type Group = (typeof GROUPS)[number];

export const GROUP_NAMES: { readonly [group in Group]: string } = {
  needsYou: "needs you",
  running: "running",
  suspended: "suspended",
  finished: "finished",
};

/** Where a run stands in the list: what waits for a person comes first. */
export function groupOf({ phase, waitsFor, pending }: RunRow): Group {
  if (phase === "running") return "running";
  if (phase === "unfinished") return "suspended";
  if (phase !== "suspended") return "finished";
  return pending > 0 || waitsFor.includes("budget") ? "needsYou" : "suspended";
}

export type ListLine =
  | { readonly kind: "group"; readonly group: Group; readonly total: number }
  | { readonly kind: "run"; readonly row: RunRow; readonly depth: number }
  | { readonly kind: "more"; readonly group: Group };

/** The list as lines: groups in order, newest first, forks below the run they came from where that is in the same group. */
export function listLines(
  rows: readonly RunRow[],
  totals: { readonly [group in Group]?: number },
  hasMore: (group: Group) => boolean,
): readonly ListLine[] {
  return GROUPS.flatMap((group) => {
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

/** What rests stands by its last change; what runs changes all the time and stands by its beginning. */
function newestFirst(group: Group): (a: RunRow, b: RunRow) => number {
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
  const lost = rows.filter(({ runId }) => !seen.has(runId));
  return [...lines, ...lost.map((row) => ({ kind: "run", row, depth: 0 }) as const)];
}

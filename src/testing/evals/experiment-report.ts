import type { AgentDifference } from "../replay/agent-changes.ts";
import type { ExperimentCluster, ExperimentReport, ExperimentRow, Pair } from "./experiment-types.ts";
import { totalOf, wilson } from "./statistics.ts";

type Ran = { readonly row: ExperimentRow; readonly agent: readonly AgentDifference[] };

const hasRun = ({ state }: ExperimentRow): boolean => state === "same" || state === "different";
const isDifferent = ({ state }: ExperimentRow): boolean => state === "different";

/** Sums up the runs of an experiment. */
export function experimentReport(ran: readonly Ran[], times: number): ExperimentReport {
  const rows = ran.map(({ row }) => row);
  const counts = { same: 0, different: 0, error: 0, unmet: 0, moved: 0, skipped: 0 };
  const changed = { outcome: 0, calls: 0, edges: 0, text: 0, rules: 0 };
  for (const row of rows) {
    counts[row.state]++;
    for (const aspect of row.changed) changed[aspect]++;
  }
  const judged = rows.filter(hasRun);
  const sessions = [...Map.groupBy(judged, ({ sessionId }) => sessionId)];
  return {
    rows,
    counts,
    changed,
    different: judged.length > 0 ? wilson(counts.different, judged.length) : undefined,
    bySession:
      times > 1
        ? sessions.map(([sessionId, runs]) => ({
            sessionId,
            different: wilson(runs.filter(isDifferent).length, runs.length),
          }))
        : [],
    clusters: clustersOf(judged),
    tokens: totals(judged.map(({ tokens }) => tokens)),
    cost: totals(judged.map(({ cost }) => cost)),
    agent: agentOf(ran),
  };
}

const totals = (pairs: readonly (Pair<number | undefined> | undefined)[]): Pair<number | undefined> => ({
  before: totalOf(pairs.map((pair) => pair?.before)),
  after: totalOf(pairs.map((pair) => pair?.after)),
});

/** The states between which runs part, in words. */
function partingOf({ before, after }: NonNullable<ExperimentRow["edges"]>): string {
  const from = ({ edge }: typeof before): string => edge.split("|")[0]!;
  const was = `${from(before)} → ${before.to}`;
  if (from(before) !== from(after)) return `${was}, now ${from(after)} → ${after.to}`;
  return before.to === after.to ? was : `${was}, now ${after.to}`;
}

function clustersOf(judged: readonly ExperimentRow[]): readonly ExperimentCluster[] {
  const keyOf = ({ edges, divergence }: ExperimentRow): string =>
    JSON.stringify([
      edges ? partingOf(edges) : "the messages are the same",
      divergence?.kind ?? "state",
      divergence?.tool ?? null,
    ]);
  return [...Map.groupBy(judged.filter(isDifferent), keyOf)]
    .map(([key, rows]): ExperimentCluster => {
      const [edges, kind, tool] = JSON.parse(key) as [string, ExperimentCluster["kind"], string | null];
      return {
        edges,
        kind,
        ...(tool !== null && { tool }),
        sessions: [...new Set(rows.map(({ sessionId }) => sessionId))],
        share: wilson(rows.length, judged.length),
      };
    })
    .toSorted((a, b) => b.share.rate - a.share.rate);
}

function agentOf(ran: readonly Ran[]): ExperimentReport["agent"] {
  const found = new Map<string, { readonly first: AgentDifference; readonly sessions: Set<string> }>();
  for (const { row, agent } of ran)
    for (const difference of agent) {
      const key = JSON.stringify(difference);
      const known = found.get(key) ?? { first: difference, sessions: new Set<string>() };
      known.sessions.add(row.sessionId);
      found.set(key, known);
    }
  return [...found.values()].map(({ first, sessions }) => ({ ...first, sessions: sessions.size }));
}

import type {
  Overview,
  OverviewFigure,
  PeriodFigures,
  ToolFigures,
  UsageFigures,
} from "../protocol/overview.ts";
import type { RunRow } from "../protocol/protocol.ts";
import { outcomeOf, type RunDigest } from "./run-digest.ts";

/** A run with its row, what was read of it, and the newest label that people gave it. */
export type DigestedRun = RunDigest & { readonly row: RunRow; readonly label?: string | undefined };

const MAX_EDGES = 300;
const MAX_TOOLS = 200;
const MAX_PERIODS = 60;
const HOUR_MS = 3_600_000;
/** The lengths of periods: an hour, a day, a week, four weeks. The first with few enough periods is chosen. */
const PERIODS_MS: readonly [number, ...number[]] = [HOUR_MS, 24 * HOUR_MS, 168 * HOUR_MS, 672 * HOUR_MS];

/** Sums runs up. */
export function overviewFrom(runs: readonly DigestedRun[]): Omit<Overview, "left" | "omitted"> {
  const periodMs = periodOf(runs);
  const byPeriod = Map.groupBy(runs, ({ row }) => beginOf(row.updatedAt, periodMs));
  const outcomes = counted(runs.map(({ row }) => outcomeOf(row)));
  return {
    runs: runs.length,
    outcomes: outcomes.map(([outcome, count]) => ({ outcome, runs: count })),
    edges: edgesOf(runs),
    tools: toolsOf(runs),
    suspicions: counted(runs.flatMap(({ suspicions }) => suspicions)).map(([kind, count]) => ({
      kind,
      runs: count,
    })),
    labels: counted(runs.flatMap(({ label = [] }) => label)).map(([label, count]) => ({
      label,
      runs: count,
    })),
    usage: usageOf(runs),
    periodMs,
    periods: [...byPeriod]
      .toSorted(([one], [other]) => one - other)
      .slice(-MAX_PERIODS)
      .map(([at, members]) => periodFigures(at, members)),
  };
}

/** The runs behind a figure, in their order. */
export function matchesFigure(runs: readonly DigestedRun[], figure: OverviewFigure): readonly DigestedRun[] {
  const periodMs = "period" in figure ? periodOf(runs) : HOUR_MS;
  return runs.filter(({ row, edges, tools, suspicions, label }) => {
    if ("outcome" in figure) return outcomeOf(row) === figure.outcome;
    if ("edge" in figure) return edges.has(figure.edge);
    if ("tool" in figure) return tools.has(figure.tool);
    if ("failed" in figure) return (tools.get(figure.failed)?.failed ?? 0) > 0;
    if ("suspicion" in figure) return suspicions.includes(figure.suspicion);
    if ("label" in figure) return label === figure.label;
    return beginOf(row.updatedAt, periodMs) === figure.period;
  });
}

const beginOf = (at: number, periodMs: number): number => Math.floor(at / periodMs) * periodMs;

function periodOf(runs: readonly DigestedRun[]): number {
  const times = runs.map(({ row }) => row.updatedAt);
  const span =
    times.reduce((most, at) => Math.max(most, at), 0) -
    times.reduce((least, at) => Math.min(least, at), Infinity);
  return PERIODS_MS.find((periodMs) => span / periodMs < MAX_PERIODS - 1) ?? PERIODS_MS.at(-1)!;
}

/** The number of times that each value is there, the most frequent first. */
function counted<Value>(values: readonly Value[]): readonly (readonly [Value, number])[] {
  const counts = new Map<Value, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].toSorted(([, one], [, other]) => other - one);
}

function edgesOf(all: readonly DigestedRun[]): Overview["edges"] {
  const edges = new Map<string, { edge: string; runs: number; times: number }>();
  for (const run of all)
    for (const [edge, times] of run.edges) {
      const known = edges.get(edge) ?? { edge, runs: 0, times: 0 };
      edges.set(edge, known);
      known.runs++;
      known.times += times;
    }
  return [...edges.values()].toSorted((one, other) => other.times - one.times).slice(0, MAX_EDGES);
}

function toolsOf(all: readonly DigestedRun[]): readonly ToolFigures[] {
  const names = counted(all.flatMap(({ tools }) => [...tools.keys()]));
  return names.slice(0, MAX_TOOLS).map(([tool]) => {
    const calls = all.flatMap(({ tools }) => tools.get(tool) ?? []);
    const failing = calls.filter(({ failed }) => failed > 0);
    return {
      tool,
      runs: calls.length,
      calls: sum(calls.map((each) => each.calls)),
      failed: sum(failing.map(({ failed }) => failed)),
      failedRuns: failing.length,
      ...percentiles(calls.flatMap(({ times }) => times)),
    };
  });
}

function periodFigures(at: number, runs: readonly DigestedRun[]): PeriodFigures {
  const calls = runs.flatMap(({ tools }) => [...tools.values()]);
  return {
    at,
    runs: runs.length,
    failed: runs.filter(({ row }) => outcomeOf(row) === "failed").length,
    suspicious: runs.filter(({ suspicions }) => suspicions.length > 0).length,
    calls: sum(calls.map((each) => each.calls)),
    failedCalls: sum(calls.map(({ failed }) => failed)),
    ...percentiles(calls.flatMap(({ times }) => times)),
    ...usageOf(runs),
  };
}

function usageOf(runs: readonly DigestedRun[]): UsageFigures {
  const usages = runs.map(({ row }) => row.usage);
  return {
    inputTokens: sum(usages.map(({ inputTokens = 0 }) => inputTokens)),
    outputTokens: sum(usages.map(({ outputTokens = 0 }) => outputTokens)),
    cost: sum(usages.map(({ cost = 0 }) => cost)),
    unknown: usages.filter(({ cost }) => cost === undefined).length,
  };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** The values that half and 95 of 100 do not exceed; nothing without values. */
function percentiles(values: readonly number[]): { readonly p50?: number; readonly p95?: number } {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (share: number): number => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!;
  return sorted.length === 0 ? {} : { p50: at(0.5), p95: at(0.95) };
}

import type { OutcomeName } from "./outcomes.ts";

/** A figure of an {@link Overview} whose runs can be asked for: exactly one of these. */
export type OverviewFigure =
  | { readonly outcome: OutcomeName | "other" }
  /** Runs that have taken this edge of the chart. */
  | { readonly edge: string }
  /** Runs in which a call of this tool has a result. */
  | { readonly tool: string }
  /** Runs in which a call of this tool has failed. */
  | { readonly failed: string }
  | { readonly suspicion: string }
  | { readonly label: string }
  /** Runs that changed last in the period that begins at this time, epoch ms. */
  | { readonly period: number };

/** The names of the fields of {@link OverviewFigure}. */
export const FIGURES = ["outcome", "edge", "tool", "failed", "suspicion", "label", "period"] as const;

/** The calls of a tool. */
export type ToolFigures = {
  readonly tool: string;
  /** The number of runs with such a call. */
  readonly runs: number;
  /** The number of calls with a result. */
  readonly calls: number;
  /** The number of those that failed, and of the runs in which one did. */
  readonly failed: number;
  readonly failedRuns: number;
  /** The time that half of the calls took at most, and 95 of 100, ms; absent if no call has run. Of a run the first 200 calls count. */
  readonly p50?: number | undefined;
  readonly p95?: number | undefined;
};

/** The tokens and the cost of runs. A run of which one is not known counts as 0 there, and in `unknown`. */
export type UsageFigures = {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost: number;
  /** The number of runs whose cost is not known. */
  readonly unknown: number;
};

/** The runs that changed last within a period. */
export type PeriodFigures = UsageFigures & {
  /** The beginning of the period, epoch ms: a full hour, day or week of UTC. */
  readonly at: number;
  readonly runs: number;
  /** The number of runs that ended with an error. */
  readonly failed: number;
  /** The number of runs in which something is odd. */
  readonly suspicious: number;
  readonly calls: number;
  readonly failedCalls: number;
  /** The times of the calls of all tools, ms, as {@link ToolFigures} has them. */
  readonly p50?: number | undefined;
  readonly p95?: number | undefined;
};

/** Many runs at once, the most frequent first. It is plain JSON. */
export type Overview = {
  /** The number of runs that were read. */
  readonly runs: number;
  /** The number of runs that match and are not read yet: ask again. 0 when all are. */
  readonly left: number;
  /** The number of older runs that are left out, since there are more than 10,000. */
  readonly omitted: number;
  readonly outcomes: readonly { readonly outcome: OutcomeName | "other"; readonly runs: number }[];
  /** The edges of the chart that were taken, at most 300. */
  readonly edges: readonly { readonly edge: string; readonly runs: number; readonly times: number }[];
  /** The tools that were called, at most 200. */
  readonly tools: readonly ToolFigures[];
  readonly suspicions: readonly { readonly kind: string; readonly runs: number }[];
  /** The newest labels of people, such as "wrong". */
  readonly labels: readonly { readonly label: string; readonly runs: number }[];
  readonly usage: UsageFigures;
  /** The length of a period, ms. */
  readonly periodMs: number;
  /** The periods with runs, the oldest first, at most 60. */
  readonly periods: readonly PeriodFigures[];
};

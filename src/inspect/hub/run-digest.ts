import { OUTCOME_NAMES, outcomeNamed, type OutcomeName } from "../protocol/outcomes.ts";
import type { RunRow } from "../protocol/protocol.ts";
import type { RunFacts } from "../suspicions/facts.ts";
import { labelsOf, type RunSuspicions } from "./run-suspicions.ts";
import type { RunLog } from "./run-log.ts";

/** The maximum number of durations that are stored of the calls of a tool in one run. */
const MAX_TIMES = 200;

/** The calls of a tool in one run. */
type ToolDigest = {
  readonly calls: number;
  readonly failed: number;
  readonly times: readonly number[];
};

/** The data that an overview needs of the steps of a run. */
export type RunDigest = {
  /** The number of times that each edge was taken. */
  readonly edges: ReadonlyMap<string, number>;
  readonly tools: ReadonlyMap<string, ToolDigest>;
  /** The names of the checks that have found something. */
  readonly suspicions: readonly string[];
};

/** Reads a run once. */
export function digestOf(log: RunLog, suspicions: RunSuspicions): RunDigest {
  const edges = new Map<string, number>();
  for (const { x } of log.steps()) for (const edge of x) edges.set(edge, (edges.get(edge) ?? 0) + 1);
  const found = labelsOf(suspicions.of(log)).map(({ kind }) => kind);
  return { edges, tools: toolsIn(suspicions.factsOf(log)), suspicions: found };
}

function toolsIn({ calls }: RunFacts): ReadonlyMap<string, ToolDigest> {
  const tools = new Map<string, { calls: number; failed: number; times: number[] }>();
  for (const { tool, state, answeredAt, ranForMs } of calls) {
    if (answeredAt === undefined) continue;
    const known = tools.get(tool) ?? { calls: 0, failed: 0, times: [] };
    tools.set(tool, known);
    known.calls++;
    if (state === "error") known.failed++;
    if (ranForMs !== undefined && known.times.length < MAX_TIMES) known.times.push(ranForMs);
  }
  return tools;
}

/** The outcome of a run, as the list of runs filters by it. */
export function outcomeOf({ phase, reason }: Pick<RunRow, "phase" | "reason">): OutcomeName | "other" {
  const isIt = (name: OutcomeName): boolean => {
    const { phases, reasons } = outcomeNamed(name);
    return phases.includes(phase) && (!reasons || (reason !== undefined && reasons.includes(reason)));
  };
  return OUTCOME_NAMES.find(isIt) ?? "other";
}

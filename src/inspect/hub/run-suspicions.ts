import { SUSPICIONS } from "../suspicions/checks.ts";
import { FactReader } from "../suspicions/fact-reader.ts";
import type { RunFacts } from "../suspicions/facts.ts";
import { suspicionsIn, withOwnChecks, type Suspicion, type SuspicionCheck } from "../suspicions/suspicion.ts";
import type { RowSuspicion, RunRow } from "../protocol/protocol.ts";
import type { OpenRun } from "./open-run.ts";
import type { RunLog } from "./run-log.ts";

type Known = {
  readonly reader: FactReader;
  /** The suspicions that the checks found up to step `upTo`. */
  found: readonly Suspicion[];
  upTo: number;
  /** The time at which the checks were made last, ms of the process. */
  at: number;
};

/** The row of a run that works is judged so often, ms. */
const ROW_INTERVAL_MS = 3_000;

/** The suspicions of runs. The steps of each run are read once. */
export class RunSuspicions {
  readonly checks: readonly SuspicionCheck[];
  readonly #known = new WeakMap<RunLog, Known>();

  /** `own`: checks beside the built-in ones. */
  constructor(own: readonly SuspicionCheck[] = []) {
    this.checks = withOwnChecks(SUSPICIONS, own);
  }

  /** Returns the suspicions of a run up to its newest step. */
  of(log: RunLog): readonly Suspicion[] {
    let known = this.#known.get(log);
    if (known?.upTo === log.last) return known.found;
    if (!known || known.reader.last < log.first - 1 || known.reader.last > log.last) {
      const reader = new FactReader(log.contextAt(log.first - 1), log.first - 1);
      known = { reader, found: [], upTo: 0, at: -Infinity };
      this.#known.set(log, known);
    }
    const { reader } = known;
    for (const step of log.steps(reader.last + 1)) reader.add(step);
    known.found = suspicionsIn(reader.facts, this.checks);
    known.upTo = log.last;
    known.at = performance.now();
    return known.found;
  }

  /** Returns the facts of a run up to its newest step. */
  factsOf(log: RunLog): RunFacts {
    this.of(log);
    return this.#known.get(log)!.reader.facts;
  }

  /** The row of a run with what is odd in it. */
  rowOf({ row, log }: OpenRun): RunRow {
    const known = row.phase === "running" ? this.#known.get(log) : undefined;
    const isFresh = known !== undefined && performance.now() - known.at < ROW_INTERVAL_MS;
    return withSuspicions(row, labelsOf(isFresh ? known.found : this.of(log)));
  }
}

/** The first suspicion of each kind, for the list of runs. A check that is broken says nothing about a run. */
export function labelsOf(found: readonly Suspicion[]): readonly RowSuspicion[] {
  const sound = found.filter(({ isBroken }) => !isBroken);
  const firsts = sound.filter(({ kind }, place) => sound.findIndex((each) => each.kind === kind) === place);
  return firsts.map(({ kind, label }) => ({ kind, label }));
}

/** The row with its suspicions, if there are any. */
export function withSuspicions(row: RunRow, suspicions: readonly RowSuspicion[]): RunRow {
  return suspicions.length > 0 ? { ...row, suspicions } : row;
}

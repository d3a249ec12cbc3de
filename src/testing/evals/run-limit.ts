import { AgentError } from "../../core/base/error.ts";
import * as s from "../../core/base/option-schema.ts";
import { allAtOnce } from "../crash/all-at-once.ts";

/** The longest time of a run where nothing else is said, ms. */
export const RUN_LIMIT_MS = 1_800_000;
/** The time in which a run that is aborted should end, ms. */
const ABORT_MS = 2_000;

/** The limit of a run, and who aborts it. */
type Limits = { readonly runLimitMs?: number | undefined; readonly signal?: AbortSignal | undefined };

/** The consumption of a run. */
type Spent = { readonly tokens?: number | undefined; readonly cost?: number | undefined };

/** The bounds of many runs. */
type Bounds = Limits & { readonly concurrency?: number | undefined; readonly budget?: Spent | undefined };

/** The schemas of what bounds runs. */
export const boundsSchemas = () => ({
  concurrency: s.optional(s.integer(1, 100)),
  budget: s.optional(s.options<Spent>({ cost: s.optional(s.atLeast(0)), tokens: s.optional(s.atLeast(0)) })),
  runLimitMs: s.optional(s.integer(1, 2 ** 31 - 1)),
  signal: s.optional(s.having<AbortSignal>("addEventListener", "an AbortSignal")),
});

/** The way in which the runs of plans are made. */
type Runs<Plan, Result> = {
  run(plan: Plan, signal: AbortSignal): Promise<Result>;
  /** Returns the result of a run that has not ended by itself; without an error, of one for which no budget is left. */
  without(plan: Plan, error?: AgentError): Result;
  spentOf(result: Result): Spent;
  onDone(result: Result, progress: { readonly done: number; readonly of: number }): void;
};

/** Makes a run of each plan, as far as the budget goes. Rejects with what `run` rejects, and `run/aborted`. */
export async function runAll<Plan, Result>(
  what: string,
  plans: readonly Plan[],
  { concurrency = 4, budget = {}, ...limits }: Bounds,
  { run, without, spentOf, onDone }: Runs<Plan, Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const spent = { tokens: 0, cost: 0 };
  let done = 0;
  await allAtOnce(what, plans, { concurrency, signal: limits.signal }, async (plan, index) => {
    const isOver = spent.tokens >= (budget.tokens ?? Infinity) || spent.cost >= (budget.cost ?? Infinity);
    const result = isOver
      ? without(plan)
      : await withinLimit(
          limits,
          (signal) => run(plan, signal),
          (error) => without(plan, error),
        );
    const { tokens = 0, cost = 0 } = spentOf(result);
    spent.tokens += tokens;
    spent.cost += cost;
    results[index] = result;
    onDone(result, { done: ++done, of: plans.length });
  });
  return results;
}

/**
 * Runs what may wait for a user's code that never answers. After `runLimitMs`, and where `signal` is aborted, its own signal is aborted: it
 * has 2 s to end. Of a run that was too long `late` is the result; an aborted one that does not end rejects `run/aborted`.
 */
export async function withinLimit<T>(
  { runLimitMs = RUN_LIMIT_MS, signal }: Limits,
  run: (signal: AbortSignal) => Promise<T>,
  late: (error: AgentError) => T,
): Promise<T> {
  const stop = new AbortController();
  const given = Promise.withResolvers<never>();
  let tooLate: AgentError | undefined;
  let timer: NodeJS.Timeout;
  const end = (error: AgentError): void => {
    clearTimeout(timer);
    timer = setTimeout(() => given.reject(error), ABORT_MS);
    stop.abort();
  };
  const abort = (): void => end(new AgentError("run/aborted", "The run was aborted."));
  timer = setTimeout(() => {
    tooLate = new AgentError("run/timeout", `The run took longer than ${runLimitMs} ms.`);
    end(tooLate);
  }, runLimitMs);
  if (signal?.aborted) abort();
  else signal?.addEventListener("abort", abort, { once: true });
  try {
    const result = await Promise.race([given.promise, run(stop.signal)]);
    return tooLate ? late(tooLate) : result;
  } catch (thrown) {
    if (!tooLate || signal?.aborted) throw thrown;
    return late(tooLate);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}

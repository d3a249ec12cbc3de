import { LONGEST_DELAY_MS } from "../base/time.ts";
import { sha256 } from "../base/hash.ts";
import type { Execution, GenerateOptions } from "./port.ts";
import { AgentError } from "../base/error.ts";

/** The defaults of `modelOptions.execution` and `toolOptions.execution`. A model call has 300 s, 3 attempts, and a back-off of 2 s that doubles up
 *  to 30 s, and is repeated if the adapter calls the error retryable. A tool call has 300 s and one attempt. */
export const EXECUTION_DEFAULTS: { readonly model: Execution; readonly tool: Execution } = {
  model: Object.freeze<Execution>({
    timeoutMs: 300_000,
    maxAttempts: 3,
    initialBackoffMs: 2_000,
    maxBackoffMs: 30_000,
    backoffMultiplier: 2,
    retryOn: "retryable",
  }),
  tool: Object.freeze<Execution>({ timeoutMs: 300_000, maxAttempts: 1 }),
};

function mergeFields<T extends object>(primary: T | null | undefined, fallback: T | null | undefined): T {
  const merged = { ...fallback, ...primary } as T;
  for (const key of Object.keys(primary ?? {}) as (keyof T)[]) {
    if (merged[key] !== undefined && merged[key] !== null) continue;
    if (fallback?.[key] === undefined) delete merged[key];
    else merged[key] = fallback[key];
  }
  return merged;
}

/** Returns the part of an execution that the chart stores: no function, and no time-out that is longer than any timer. */
export function executionData({ retryOn: _, timeoutMs, ...rest }: Execution): Omit<Execution, "retryOn"> {
  const isLimit = timeoutMs !== undefined && timeoutMs <= LONGEST_DELAY_MS;
  return isLimit ? { ...rest, timeoutMs } : rest;
}

/** Merges two executions option by option: a value of `primary` wins unless it is null or undefined. */
export function mergeExecution(primary?: Execution | null, fallback?: Execution | null): Execution {
  return mergeFields(primary, fallback);
}

/** Merges two sets of options as {@link mergeExecution} does; the entries of `extraBody` and `extraHeaders` are merged too. */
export function mergeOptions(
  primary?: GenerateOptions | null,
  fallback?: GenerateOptions | null,
): GenerateOptions {
  const merged = mergeFields(primary, fallback);
  return {
    ...merged,
    ...(merged.extraBody && { extraBody: { ...fallback?.extraBody, ...primary?.extraBody } }),
    ...(merged.extraHeaders && { extraHeaders: { ...fallback?.extraHeaders, ...primary?.extraHeaders } }),
  };
}

/** The delay in ms before attempt `attempt + 1`: `initialBackoffMs` (default 1,000) times `backoffMultiplier` (default 2) for
 *  each attempt made, at most `maxBackoffMs` (default 10,000), less a jitter of up to one half. The jitter is a hash of `seed`
 *  and `attempt`, not chance: a replay waits as long, and sessions that fail in the same millisecond do not come back together. */
export function backoffMs(execution: Execution, attempt: number, seed: string): number {
  const { initialBackoffMs = 1_000, maxBackoffMs = 10_000, backoffMultiplier = 2 } = execution;
  const full = Math.min(initialBackoffMs * backoffMultiplier ** (attempt - 1), maxBackoffMs);
  const jitter = Number.parseInt(sha256(`${seed}/${attempt}`).slice(0, 8), 16) / 2 ** 32;
  return Math.round(full * (1 - jitter / 2));
}

/** Returns whether an attempt that failed with this error may be repeated. A `retryOn` function that throws, or returns anything
 *  but true, means no. */
export function mayRetry(error: AgentError, retryOn: Execution["retryOn"]): boolean {
  if (typeof retryOn !== "function") return retryOn === "all" || error.isRetryable;
  try {
    const answer: unknown = retryOn(error);
    return answer === true;
  } catch {
    return false;
  }
}

/** True if the function `retryOn` of an execution says that an attempt which ran out of time is not to be repeated. */
export function isTimeoutFinal(of: "model" | "tool", { retryOn, timeoutMs }: Execution): boolean {
  if (typeof retryOn !== "function" || timeoutMs === undefined) return false;
  const message = `The ${of} did not finish within its timeout of ${timeoutMs} ms.`;
  return !mayRetry(new AgentError(`${of}/timeout`, message, { isRetryable: true }), retryOn);
}

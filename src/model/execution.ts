import { hash } from "node:crypto";
import { shown, strangerIn } from "../base/options.ts";
import type { Execution, GenerateOptions } from "./port.ts";

/** What holds where an agent says nothing: models get 300 s, 3 attempts, 2 s back-off doubling up to 30 s and retry
 *  what the adapter calls retryable; tools get 300 s and one attempt. */
export const EXECUTION_DEFAULTS: { readonly model: Execution; readonly tool: Execution } = {
  model: {
    timeoutMs: 300_000,
    maxAttempts: 3,
    initialBackoffMs: 2_000,
    maxBackoffMs: 30_000,
    backoffMultiplier: 2,
    retryOn: "retryable",
  },
  tool: { timeoutMs: 300_000, maxAttempts: 1 },
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

/** The longest delay a Node timer takes, ms: about 24 days. A limit beyond it is none. */
export const LONGEST_DELAY_MS = 2 ** 31 - 1;

/** What of an execution the chart keeps: data, without a time-out that is no limit. */
export function executionData({ retryOn: _, timeoutMs, ...rest }: Execution): Omit<Execution, "retryOn"> {
  const isLimit = timeoutMs !== undefined && timeoutMs <= LONGEST_DELAY_MS;
  return isLimit ? { ...rest, timeoutMs } : rest;
}

const EXECUTION_SETTINGS: readonly (keyof Execution)[] = [
  "timeoutMs",
  "idleTimeoutMs",
  "maxAttempts",
  "initialBackoffMs",
  "maxBackoffMs",
  "backoffMultiplier",
  "retryOn",
];

/** What is wrong with time-outs and retries, as "`maxAttempts` is 0; …"; undefined if nothing is. */
export function executionProblem(execution: Execution | null | undefined): string | undefined {
  const given = (execution ?? {}) as { readonly [name in keyof Execution]?: unknown };
  const wrong = (name: keyof Execution, isRight: (value: number) => boolean, expected: string) => {
    const value = given[name] ?? undefined;
    const isFine = value === undefined || (typeof value === "number" && isRight(value));
    return isFine ? undefined : `\`${name}\` is ${shown(value)}; expected ${expected}.`;
  };
  const { retryOn = "all" } = given;
  return (
    strangerIn(given, EXECUTION_SETTINGS, "option") ??
    wrong("maxAttempts", (n) => Number.isInteger(n) && n >= 1, "a whole number of at least 1") ??
    wrong("timeoutMs", (ms) => ms > 0, "a number above 0") ??
    wrong("idleTimeoutMs", (ms) => ms > 0, "a number above 0") ??
    wrong("initialBackoffMs", (ms) => ms >= 0, "a number of at least 0") ??
    wrong("maxBackoffMs", (ms) => ms >= 0, "a number of at least 0") ??
    wrong("backoffMultiplier", (factor) => factor >= 1, "a number of at least 1") ??
    (retryOn === "all" || retryOn === "retryable" || typeof retryOn === "function"
      ? undefined
      : '`retryOn` must be "retryable", "all" or a function.')
  );
}

/** Field by field: what `primary` says wins, the rest comes from `fallback`. */
export function mergeExecution(primary?: Execution | null, fallback?: Execution | null): Execution {
  return mergeFields(primary, fallback);
}

/** Field by field as {@link mergeExecution}; the entries of `extraBody` and `extraHeaders` are merged too. */
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
  const jitter = hash("sha256", `${seed}/${attempt}`, "buffer").readUInt32BE() / 2 ** 32;
  return Math.round(full * (1 - jitter / 2));
}

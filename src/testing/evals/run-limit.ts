import { AgentError } from "../../core/base/error.ts";

/** The longest time of a run where nothing else is said, ms. */
export const RUN_LIMIT_MS = 1_800_000;
/** The time in which a run that is aborted should end, ms. */
const ABORT_MS = 2_000;

/** The limit of a run, and who aborts it. */
type Limits = { readonly runLimitMs?: number | undefined; readonly signal?: AbortSignal | undefined };

/**
 * Runs what may wait for a user's code that never answers. After `runLimitMs` its signal is aborted, and `late` is the result. Where
 * `signal` is aborted the run has 2 s to end by itself; then it rejects `run/aborted`.
 */
export async function withinLimit<T>(
  { runLimitMs = RUN_LIMIT_MS, signal }: Limits,
  run: (signal: AbortSignal) => Promise<T>,
  late: (error: AgentError) => T,
): Promise<T> {
  const stop = new AbortController();
  const ended = Promise.withResolvers<T>();
  let timer: NodeJS.Timeout;
  const abort = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => ended.reject(new AgentError("run/aborted", "The run was aborted.")), ABORT_MS);
    stop.abort();
  };
  timer = setTimeout(() => {
    ended.resolve(late(new AgentError("run/timeout", `The run took longer than ${runLimitMs} ms.`)));
    stop.abort();
  }, runLimitMs);
  if (signal?.aborted) abort();
  else signal?.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([ended.promise, run(stop.signal)]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}

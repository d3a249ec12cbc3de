import { delayOf } from "../core/base/time.ts";
import { AgentError } from "../core/base/error.ts";

/** The pause before a storage that is away is read again, ms. */
const RETRY_MS = 250;

/** The source from which {@link watchSeq} reads and by which it is woken. */
export type SeqSource = {
  /** Returns the session's current seq; undefined if the session does not exist. */
  readonly current: () => number | undefined | Promise<number | undefined>;
  /** Calls `wake` when the seq may have changed; returns a function that unsubscribes. */
  readonly subscribe: (wake: () => void) => () => void;
  /** Ends the iteration. */
  readonly signal: AbortSignal;
  /** True if a retryable failure of `current` does not end it. */
  readonly outlasts?: boolean;
};

/** Implements {@link SessionStore.watch} over any source of wake-ups. Wake-ups that come while it reads are one. */
export async function* watchSeq({
  current,
  subscribe,
  signal,
  outlasts = false,
}: SeqSource): AsyncGenerator<number> {
  let isDirty = true;
  let retry: NodeJS.Timeout | undefined;
  let wake = (): void => {};
  const wakeUp = (): void => {
    isDirty = true;
    wake();
  };
  const stop = subscribe(wakeUp);
  signal.addEventListener("abort", wakeUp);
  try {
    let last: number | undefined;
    while (!signal.aborted) {
      if (!isDirty) {
        await new Promise<void>((resolve) => (wake = resolve));
        continue;
      }
      isDirty = false;
      let seq: number | undefined;
      try {
        seq = await current();
      } catch (error) {
        if (!outlasts || !AgentError.is(error) || !error.isRetryable) throw error;
        clearTimeout(retry);
        retry = setTimeout(wakeUp, RETRY_MS);
      }
      if (seq === undefined || seq === last || signal.aborted) continue;
      last = seq;
      yield seq;
    }
  } finally {
    clearTimeout(retry);
    stop();
    signal.removeEventListener("abort", wakeUp);
  }
}

/** Wakes every `everyMs` ms, for stores that have no notifications. */
export function pollEvery(everyMs: number): SeqSource["subscribe"] {
  return (wake) => {
    const timer = setInterval(wake, delayOf(everyMs));
    return () => clearInterval(timer);
  };
}

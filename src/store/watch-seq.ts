/** Where a watcher gets its news from. */
export type SeqSource = {
  /** The session's seq now; undefined if it does not exist. */
  readonly current: () => number | undefined | Promise<number | undefined>;
  /** Calls `wake` when the seq may have changed; returns the way to stop. */
  readonly subscribe: (wake: () => void) => () => void;
  readonly signal: AbortSignal;
};

/** {@link SessionStore.watch} over any source of wake-ups; a lost wake-up never loses a seq that is followed by another. */
export async function* watchSeq({ current, subscribe, signal }: SeqSource): AsyncGenerator<number> {
  let isDirty = true;
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
      const seq = await current();
      if (seq === undefined || seq === last || signal.aborted) continue;
      last = seq;
      yield seq;
    }
  } finally {
    stop();
    signal.removeEventListener("abort", wakeUp);
  }
}

/** A wake-up every `everyMs`, for stores that nobody notifies. */
export function pollEvery(everyMs: number): SeqSource["subscribe"] {
  return (wake) => {
    const timer = setInterval(wake, everyMs);
    return () => clearInterval(timer);
  };
}

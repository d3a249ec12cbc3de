import type { CliIo } from "./cli-io.ts";

/** The time within which a signal after the same signal is the same one. Both npm and npx forward to their child a signal that the terminal
 *  sent to both. */
const SAME_SIGNAL_MS = 250;

/** Calls `onFirst` at the first signal and `onNext` at every later one. If `onFirst` returns false, it had no effect, and
 *  `onNext` is called immediately. Returns a function that removes the listener. */
export function onSignal(
  signal: "SIGINT" | "SIGTERM",
  onFirst: () => boolean,
  onNext: () => void,
): () => void {
  let handledAt: number | undefined;
  const listener = (): void => {
    const now = performance.now();
    if (handledAt === undefined && onFirst()) handledAt = now;
    else if (handledAt === undefined || now - handledAt > SAME_SIGNAL_MS) onNext();
  };
  process.on(signal, listener);
  return () => void process.off(signal, listener);
}

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** Runs a work that a signal aborts: Ctrl-C or SIGTERM. The second one ends the process with 130. */
export async function interruptible<T>(
  { exit, terminal }: CliIo,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const abort = (): boolean => (stop.abort(), true);
  const removers = SIGNALS.map((signal) => onSignal(signal, abort, () => exit(130)));
  try {
    return await work(stop.signal);
  } finally {
    terminal.status("");
    for (const remove of removers) remove();
  }
}

const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

/** Resolves at the first SIGTERM or SIGINT. The next one ends the process immediately, with 143 or 130. */
export function shutdownSignal(exit: (code: number) => void): Promise<keyof typeof EXIT_CODES> {
  const { promise, resolve } = Promise.withResolvers<keyof typeof EXIT_CODES>();
  let isFirst = true;
  for (const signal of SIGNALS) {
    const onFirst = (): boolean => {
      const wasFirst = isFirst;
      isFirst = false;
      resolve(signal);
      return wasFirst;
    };
    onSignal(signal, onFirst, () => exit(EXIT_CODES[signal]));
  }
  return promise;
}

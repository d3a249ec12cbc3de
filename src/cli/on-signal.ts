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

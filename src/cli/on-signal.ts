/** npm and npx pass a signal on that the terminal, or whoever ends them, has sent to their child already. */
const SAME_SIGNAL_MS = 250;

/** Calls `first` when the signal comes and `again` at the next one, or at once if `first` says that it did nothing.
 *  Returns the way back to the usual meaning of the signal. */
export function onSignal(signal: "SIGINT" | "SIGTERM", first: () => boolean, again: () => void): () => void {
  let cameAt: number | undefined;
  const listener = (): void => {
    const now = performance.now();
    if (cameAt === undefined && first()) cameAt = now;
    else if (cameAt === undefined || now - cameAt > SAME_SIGNAL_MS) again();
  };
  process.on(signal, listener);
  return () => void process.off(signal, listener);
}

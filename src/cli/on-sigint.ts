/** npm and npx pass a Ctrl-C on that the terminal has sent to their child already. */
const SAME_CTRL_C_MS = 250;

/** Calls `first` at the first Ctrl-C and `again` at the next one, or at once if `first` says that it did nothing.
 *  Returns the way back to the usual meaning of Ctrl-C. */
export function onSigint(first: () => boolean, again: () => void): () => void {
  let interruptedAt: number | undefined;
  const listener = (): void => {
    const now = performance.now();
    if (interruptedAt === undefined && first()) interruptedAt = now;
    else if (interruptedAt === undefined || now - interruptedAt > SAME_CTRL_C_MS) again();
  };
  process.on("SIGINT", listener);
  return () => void process.off("SIGINT", listener);
}

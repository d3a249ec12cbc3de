/** The place of a call among those of its agent that start. */
export type Start = {
  /** Resolves once each call that has started before runs, or has ended without. */
  readonly before: Promise<unknown> | undefined;
  /** Says that the call runs, or does not. */
  begun(): void;
};

const last = new WeakMap<object, Promise<unknown>>();

/** Returns the place of a call that starts now; aborting `signal` gives it up. Calls are judged in the order in which they start, so that
 *  none may overtake another one: arguments may be parsed slowly. */
export function startIn(agent: object, signal: AbortSignal): Start {
  const { promise, resolve } = Promise.withResolvers<void>();
  const before = last.get(agent);
  last.set(agent, Promise.all([before, promise]));
  signal.addEventListener("abort", () => resolve(), { once: true });
  return { before, begun: resolve };
}

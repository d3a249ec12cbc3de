/** Resolves with the error that a promise rejects with. Waits at once, so that a rejection is never unhandled, however late it is awaited;
 *  rejects if the promise resolves. */
export function failureOf(promise: Promise<unknown>): Promise<unknown> {
  const failure = promise.then(
    () => {
      throw new Error("Expected a promise that rejects; it resolved.");
    },
    (error: unknown) => error,
  );
  failure.catch(() => {}); // until somebody awaits it
  return failure;
}

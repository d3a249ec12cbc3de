import { AgentError } from "../base/error.ts";

/** Throws `run/aborted` if the signal has aborted. */
export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted)
    throw new AgentError("run/aborted", "The model call was aborted.", { cause: signal.reason });
}

/** Resolves with the promise's value, or rejects as soon as the signal aborts, also if a custom `fetch` ignores the signal. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason as Error);
    const settle = (): void => signal.removeEventListener("abort", onAbort);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).then(settle, settle);
  });
}

import { AgentError } from "../base/error.ts";

/** Throws `run/aborted` if the signal has aborted. */
export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted)
    throw new AgentError("run/aborted", "The model call was aborted.", { cause: signal.reason });
}

/** Resolves with the promise's value, or rejects as soon as the signal aborts, also if a custom `fetch` ignores the signal. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

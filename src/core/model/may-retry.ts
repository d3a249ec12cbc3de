import { AgentError } from "../base/error.ts";
import type { Execution } from "./port.ts";

/** Returns whether an attempt that failed with this error may be repeated. A `retryOn` function that throws, or returns anything
 *  but true, means no. */
export function mayRetry(error: AgentError, retryOn: Execution["retryOn"]): boolean {
  if (typeof retryOn !== "function") return retryOn === "all" || error.isRetryable;
  try {
    const answer: unknown = retryOn(error);
    return answer === true;
  } catch {
    return false;
  }
}

/** True if the function `retryOn` of an execution says that an attempt which ran out of time is not to be repeated. */
export function isTimeoutFinal(of: "model" | "tool", { retryOn, timeoutMs }: Execution): boolean {
  if (typeof retryOn !== "function" || timeoutMs === undefined) return false;
  const message = `The ${of} did not finish within its timeout of ${timeoutMs} ms.`;
  return !mayRetry(new AgentError(`${of}/timeout`, message, { isRetryable: true }), retryOn);
}

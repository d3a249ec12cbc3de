import type { AgentError } from "../base/error.ts";
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

import type { AgentError } from "../base/error.ts";
import type { Execution } from "./port.ts";

/** Whether an execution repeats what failed with this error. A function that throws, or says anything but true, says no. */
export function mayRetry(error: AgentError, retryOn: Execution["retryOn"]): boolean {
  if (typeof retryOn !== "function") return retryOn === "all" || error.isRetryable;
  try {
    const answer: unknown = retryOn(error);
    return answer === true;
  } catch {
    return false;
  }
}

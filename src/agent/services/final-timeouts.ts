import { AgentError } from "../../base/error.ts";
import { EXECUTION_DEFAULTS, mergeExecution } from "../../model/execution.ts";
import { mayRetry } from "../../model/may-retry.ts";
import type { Execution } from "../../model/port.ts";
import type { TimedAttempt } from "../../../machines/agent/services.ts";
import type { Host } from "./host.ts";
import { toolExecution } from "./run-call.ts";

function executionOf(host: Host, { id, tool: name }: TimedAttempt): Execution {
  if (name === undefined) return mergeExecution(host.config.modelExecution, EXECUTION_DEFAULTS.model);
  const found = host.find({ type: "tool_use", id, name, input: {} });
  return "tool" in found ? toolExecution(host, found.tool) : {};
}

/** Returns the ids of the attempts that have timed out by `at` and that a `retryOn` function does not want to repeat. */
export function finalTimeouts(host: Host, timed: readonly TimedAttempt[], at: number): readonly string[] {
  return timed.flatMap((attempt) => {
    const { retryOn = "all", timeoutMs } = executionOf(host, attempt);
    if (attempt.deadlineAt > at || typeof retryOn !== "function") return [];
    const code = attempt.tool === undefined ? "model/timeout" : "tool/timeout";
    const message = `The ${code.split("/")[0]} did not finish within its timeout of ${timeoutMs} ms.`;
    const error = new AgentError(code, message, { isRetryable: true });
    return mayRetry(error, retryOn) ? [] : [attempt.id];
  });
}

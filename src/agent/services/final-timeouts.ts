import { EXECUTION_DEFAULTS, mergeExecution, isTimeoutFinal } from "../../core/model/execution.ts";
import type { AgentContext } from "../../../machines/agent/context.ts";
import { expiredCalls } from "../../../machines/agent/updates/acting.ts";
import type { Host } from "./host.ts";
import { toolExecution } from "./run-call.ts";

/** The attempts that have run out of time at `at` and that the function `retryOn` does not want repeated: ids of calls, or "model". It
 *  is asked only about attempts that could be repeated. */
export function finalTimeouts(host: Host, context: AgentContext, at: number): readonly string[] {
  const { request, settings } = context;
  if (request.deadlineAt !== null) {
    const isLast = request.attempt >= (settings.model.maxAttempts ?? 1);
    const execution = mergeExecution(host.config.modelOptions?.execution, EXECUTION_DEFAULTS.model);
    const isFinal = !isLast && request.deadlineAt <= at && isTimeoutFinal("model", execution);
    return isFinal ? ["model"] : [];
  }
  return expiredCalls(context, at).flatMap(({ call, attempt, execution }) => {
    if (attempt >= (execution?.maxAttempts ?? 1)) return [];
    const found = host.find(call);
    return "tool" in found && isTimeoutFinal("tool", toolExecution(host, found.tool)) ? [call.id] : [];
  });
}

import { AgentError } from "../error/error.ts";
import { EXECUTION_DEFAULTS, mergeExecution } from "../model/execution.ts";
import type { Execution } from "../model/port.ts";
import { hashInput } from "../tool/hash.ts";
import { deniedResult, failedTool } from "../tool/results.ts";
import { chunkText, prepareInput, runTool } from "../tool/run.ts";
import type { Tool } from "../tool/types.ts";
import type { ToolInput, ToolRunOutcome } from "../turn/services.ts";
import { observe } from "./call-model.ts";
import type { Host } from "./host.ts";

/** Field by field: the tool's own, the agent's, the defaults. */
export function toolExecution(host: Host, tool: Tool<never>): Execution {
  return mergeExecution(tool.execution, mergeExecution(host.config.toolExecution, EXECUTION_DEFAULTS.tool));
}

function mayRetry(execution: Execution, message: string): boolean {
  const { retryOn = "all" } = execution;
  if (typeof retryOn === "function") return retryOn(new AgentError("tool/failed", message));
  return retryOn === "all";
}

/** False if a person approved other arguments than would run. */
async function isAsApproved(tool: Tool<never>, { call, argsHash }: ToolInput): Promise<boolean> {
  if (argsHash === undefined) return true;
  const prepared = await prepareInput(tool, call);
  return "result" in prepared || hashInput(prepared.input) === argsHash;
}

/** One attempt of one call. Never rejects. */
export async function runCall(host: Host, input: ToolInput, signal: AbortSignal): Promise<ToolRunOutcome> {
  const { call, attempt } = input;
  const found = host.find(call);
  if ("result" in found) return { at: host.now(), callId: call.id, attempt, result: found.result };
  const { tool } = found;
  if (!(await isAsApproved(tool, input))) {
    const text = `What tool '${call.name}' would be given has changed since it was approved, so it did not run.`;
    return { at: host.now(), callId: call.id, attempt, result: deniedResult(call, text) };
  }
  const hooks = host.hooks().filter((hook) => hook.actingChunk);
  let isOver = false;
  const run = await runTool(tool, call, {
    callId: call.id,
    idempotencyKey: `${host.sessionId}/${call.id}`,
    attempt,
    signal,
    deadlineAt: input.deadlineAt ?? Number.POSITIVE_INFINITY,
    context: host.context(),
    sessionId: host.sessionId,
    emit: (chunk) => {
      if (isOver || signal.aborted) return; // the call has ended, or has been told to
      const delta = chunkText(chunk);
      host.publish({ type: "tool.delta", callId: call.id, delta });
      const event = { ...host.at(input, signal), call, delta };
      for (const hook of hooks) observe(host, hook, () => hook.actingChunk?.(event));
    },
  });
  isOver = true;
  const at = host.now();
  if ("suspension" in run) return { at, callId: call.id, attempt, suspension: run.suspension };
  const { result } = run;
  const isThrow = result.code === "tool/failed" && result.state === "error" && !signal.aborted;
  const retry = isThrow && mayRetry(toolExecution(host, tool), failedTool(call, "").name);
  return { at, callId: call.id, attempt, result, retry };
}

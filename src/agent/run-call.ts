import { AgentError } from "../error/error.ts";
import type { ToolResultBlock } from "../message/types.ts";
import { EXECUTION_DEFAULTS, mergeExecution } from "../model/execution.ts";
import { mayRetry } from "../model/may-retry.ts";
import type { Execution } from "../model/port.ts";
import { hashInput } from "../tool/hash.ts";
import { deniedResult } from "../tool/results.ts";
import { chunkText, prepareInput, runTool, type ToolRun } from "../tool/run.ts";
import type { Tool } from "../tool/types.ts";
import type { ToolInput, ToolRunOutcome } from "../turn/services.ts";
import { observe } from "./call-model.ts";
import type { Host } from "./host.ts";

/** Field by field: the tool's own, the agent's, the defaults. */
export function toolExecution(host: Host, tool: Tool<never>): Execution {
  return mergeExecution(tool.execution, mergeExecution(host.config.toolExecution, EXECUTION_DEFAULTS.tool));
}

function textOf({ output }: ToolResultBlock): string {
  return output.map(chunkText).join("");
}

/** What went wrong, if trying again may help: the tool threw, or returned an error. */
function errorOf({ result, error }: Exclude<ToolRun, { suspension: unknown }>): AgentError | undefined {
  if (error) return error;
  const isFailed = result.code === "tool/failed" && result.state === "error";
  return isFailed ? new AgentError("tool/failed", textOf(result)) : undefined;
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
  const error = signal.aborted ? undefined : errorOf(run);
  const { retryOn = "all" } = toolExecution(host, tool);
  const retry = error !== undefined && mayRetry(error, retryOn);
  return { at, callId: call.id, attempt, result: run.result, retry };
}

import { truncated } from "../base/shown.ts";
import type { ErrorCode } from "../base/error.ts";
import { wellFormed, type JsonObject } from "../base/json.ts";
import type { ToolResultBlock, ToolResultState } from "../message/types.ts";
import type { ToolOutcome } from "./types.ts";

/** The part of a call that a result has to name. */
export type CallRef = { readonly id: string; readonly name: string };

function textResult(call: CallRef, state: ToolResultState, text: string, code?: ErrorCode): ToolResultBlock {
  return {
    type: "tool_result",
    id: call.id,
    name: call.name,
    output: [{ type: "text", text: text.toWellFormed() }],
    state,
    ...(code && { code }),
  };
}

/** An error result as the model reads it. The prefixes are AgentScope's. */
export function errorResult(call: CallRef, code: ErrorCode, text: string): ToolResultBlock {
  return textResult(call, "error", text, code);
}

export function unknownTool(call: CallRef): ToolResultBlock {
  return errorResult(call, "tool/unknown", `Error: Tool not found: ${truncated(call.name)}`);
}

export function unavailableTool(call: CallRef): ToolResultBlock {
  return errorResult(
    call,
    "tool/unavailable",
    `Error: Unauthorized tool call: '${call.name}' is not available`,
  );
}

export function badInput(call: CallRef, problems: string): ToolResultBlock {
  return errorResult(
    call,
    "tool/bad-input",
    `Error: Parameter validation failed for tool '${call.name}': ${problems}\nPlease correct the parameters and try again.`,
  );
}

export function failedTool(
  call: CallRef,
  message: string,
  code: "tool/failed" | "tool/outcome-unknown" = "tool/failed",
): ToolResultBlock {
  return errorResult(call, code, `Error: Tool execution failed: ${message}`);
}

export function timedOut(call: CallRef, timeoutMs: number): ToolResultBlock {
  return errorResult(
    call,
    "tool/timeout",
    `Error: Tool execution timeout after ${timeoutMs} ms. It may have taken effect.`,
  );
}

export function silentTool(call: CallRef, idleTimeoutMs: number): ToolResultBlock {
  return errorResult(
    call,
    "tool/timeout",
    `Error: Tool execution timeout: it said nothing for ${idleTimeoutMs} ms. It may have taken effect.`,
  );
}

export function noResult(call: CallRef): ToolResultBlock {
  return errorResult(
    call,
    "tool/no-result",
    `Error: Tool '${call.name}' completed without returning a result. It may have taken effect.`,
  );
}

/** The result of a call of an answer that ended at the length limit or by a content filter: its arguments may not be whole. */
export function truncatedCall(call: CallRef, reason: "length" | "content_filter"): ToolResultBlock {
  const [by, advice] =
    reason === "length"
      ? ["at the length limit", "Call it again with shorter arguments."]
      : ["by the content filter of the provider", "Call it again if it is still needed."];
  const text = `Error: The answer was cut off ${by}, so the call of '${call.name}' was not executed. ${advice}`;
  return errorResult(call, "tool/bad-input", text);
}

export function deniedResult(call: CallRef, reason: string): ToolResultBlock {
  return textResult(call, "denied", reason);
}

export function interruptedResult(call: CallRef, started: boolean): ToolResultBlock {
  const text = started
    ? `[ERROR] Tool execution was interrupted by the user. It may have taken effect. Tool: ${call.name}`
    : `[ERROR] Tool execution was interrupted before it could run. Tool: ${call.name}`;
  return textResult(call, "interrupted", text);
}

export function recoveredResult(call: CallRef): ToolResultBlock {
  return errorResult(
    call,
    "tool/outcome-unknown",
    `[ERROR] Previous tool execution failed or was interrupted. Tool: ${call.name}`,
  );
}

export function limitResult(call: CallRef, maxIters: number): ToolResultBlock {
  return errorResult(
    call,
    "tool/unavailable",
    `[ERROR] Tool execution cancelled because maximum iterations limit (${maxIters}) was reached`,
  );
}

export function overBudgetResult(call: CallRef, limit: string): ToolResultBlock {
  return errorResult(
    call,
    "tool/unavailable",
    `[ERROR] Tool execution cancelled because the budget of ${limit} is used up`,
  );
}

export function suspendedResult(call: CallRef, reason: string | undefined): ToolResultBlock {
  return textResult(call, "suspended", reason ?? "[Awaiting external execution]");
}

/** The result that a tool's own outcome stands for. */
export function outcomeResult(call: CallRef, outcome: ToolOutcome): ToolResultBlock {
  const state = outcome.state ?? "success";
  return {
    type: "tool_result",
    id: call.id,
    name: call.name,
    output: wellFormed(outcome.output),
    state,
    ...(state === "error" && { code: "tool/failed" as const }),
    ...(outcome.metadata && { metadata: outcome.metadata as JsonObject }),
  };
}

import { isObject, type JsonObject } from "../base/json.ts";
import { AgentError, messageOf, type ErrorCode } from "../base/error.ts";
import type {
  MediaBlock,
  TextBlock,
  ToolResultBlock,
  ToolUseBlock,
  ToolResultState,
} from "../message/types.ts";
import { outputProblem } from "../message/validate.ts";
import { outcomeProblem } from "./outcome.ts";
import { writtenSlots, type StoredSlots } from "./slot.ts";
import { readSuspension } from "./suspension.ts";
import type { CallInput, Suspension, AnyTool, AnyToolContext, ToolOutcome } from "./types.ts";
import { truncated } from "../base/shown.ts";

/** The outcome of a run of a tool; with `error` if it threw, and with the slots that it has written. */
export type ToolRun =
  | { readonly result: ToolResultBlock; readonly error?: AgentError; readonly slots?: StoredSlots }
  | { readonly suspension: Suspension };

const MEDIA = new Set(["text", "image", "audio", "video"]);

function isSuspension(value: unknown): value is Suspension {
  if (!isObject(value) || value["suspended"] !== true) return false;
  return value["reason"] === undefined || typeof value["reason"] === "string";
}

const SUSPENSION = ["suspended", "reason", "answerSchema", "then"];
const RESUMED = [...SUSPENSION, "state", "asks"];
const OUTCOME = ["output", "state", "metadata", "slots"];

const hasOnly = (value: object, keys: readonly string[]): boolean =>
  Object.keys(value).every((key) => keys.includes(key));

/** True for what was meant as a suspension: other JSON may be about something suspended too. */
function isReturnedSuspension(value: unknown): value is Suspension {
  return isSuspension(value) && hasOnly(value, value.then === "resume" ? RESUMED : SUSPENSION);
}

/** True for what was meant as an outcome: other JSON may have an `output` too. */
function isOutcome(value: unknown): value is ToolOutcome {
  if (!isObject(value) || !Array.isArray(value["output"])) return false;
  if (value["output"].length === 0) return hasOnly(value, OUTCOME);
  return value["output"].every((block) => isObject(block) && MEDIA.has(String(block["type"])));
}

type Steps = AsyncGenerator<string, unknown> | Generator<string, unknown>;

function isGenerator(value: unknown): value is Steps {
  if (!isObject(value) || typeof value["next"] !== "function" || typeof value["return"] !== "function")
    return false;
  return Symbol.asyncIterator in value || Symbol.iterator in value;
}

/** An outcome with the slots that it writes: all of them, or none and an error. */
function withSlots(
  call: ToolUseBlock,
  { writes = [] }: AnyTool,
  outcome: ToolOutcome,
  stored: StoredSlots,
): ToolRun {
  const result = outcomeResult(call, outcome);
  if (outcome.slots === undefined) return { result };
  const written = writtenSlots(writes, outcome.slots, stored);
  if ("slots" in written) return { result, ...written };
  return badReturn(call, written.problem);
}

/** Returns what a returned value is stored as: a string verbatim, any other value as its JSON text. */
function toRun(call: ToolUseBlock, tool: AnyTool, value: unknown, stored: StoredSlots): ToolRun {
  if (value === undefined) return { result: noResult(call) };
  if (isReturnedSuspension(value)) return toSuspension(call, value);
  if (isOutcome(value)) {
    const problem = outcomeProblem(value);
    return problem === undefined ? withSlots(call, tool, value, stored) : badReturn(call, problem);
  }
  try {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    if (text !== undefined)
      return { result: outcomeResult(call, { output: [{ type: "text", text: text.toWellFormed() }] }) };
    return badReturn(call, `a ${typeof value} has no JSON`);
  } catch (error) {
    return badReturn(call, messageOf(error)); // a bigint, a circle, or a `toJSON` that throws
  }
}

function toSuspension(call: ToolUseBlock, value: Suspension): ToolRun {
  const read = readSuspension(value);
  if ("suspension" in read) return read;
  const text = `it cannot be suspended so: ${read.problem} It may have taken effect.`;
  return { result: failedTool(call, text) };
}

function badReturn(call: ToolUseBlock, problem: string): ToolRun {
  return { result: failedTool(call, `the result cannot be stored: ${problem}. It may have taken effect.`) };
}

/** A suspension that was thrown, itself or as a cause (S6). */
function thrownSuspension(thrown: unknown): Suspension | undefined {
  for (
    let at = thrown, depth = 0;
    at !== undefined && depth < 8;
    at = (at as { cause?: unknown })?.cause, depth++
  ) {
    if (isSuspension(at)) return at;
  }
  return undefined;
}

async function execute(tool: AnyTool, value: unknown, ctx: AnyToolContext): Promise<unknown> {
  const returned = await tool.execute?.(value as never, ctx);
  if (!isGenerator(returned)) return returned;
  for (;;) {
    const step = await returned.next();
    if (step.done) return step.value;
    if (ctx.signal.aborted) {
      await returned.return(undefined);
      throw new AgentError("tool/failed", "The tool was aborted.");
    }
    ctx.emit(step.value);
  }
}

function toolError(thrown: unknown): AgentError {
  return AgentError.is(thrown) ? thrown : new AgentError("tool/failed", messageOf(thrown), { cause: thrown });
}

/** One attempt of one call, with its prepared input, in a session with these slots. Never rejects: a failing tool is a result. Does
 *  not retry. */
export async function runTool(
  tool: AnyTool,
  call: ToolUseBlock,
  prepared: CallInput,
  ctx: AnyToolContext,
  stored: StoredSlots,
): Promise<ToolRun> {
  if ("result" in prepared) return prepared;
  if (tool.external) return { suspension: { suspended: true } };
  if (ctx.signal.aborted) return { result: interruptedResult(call, false) };
  try {
    return toRun(call, tool, await execute(tool, prepared.value, ctx), stored);
  } catch (error) {
    const suspension = thrownSuspension(error);
    if (suspension) return toSuspension(call, suspension);
    if (ctx.signal.aborted) return { result: interruptedResult(call, true) };
    const failure = toolError(error);
    const code = failure.code === "tool/outcome-unknown" ? failure.code : "tool/failed";
    return { result: failedTool(call, messageOf(error), code), error: failure };
  }
}

function shown(chunk: unknown): string {
  try {
    return JSON.stringify(chunk) ?? String(chunk);
  } catch {
    return String(chunk); // holds itself, or a bigint
  }
}

/** Returns the text of one progress chunk; of another value, its JSON, since progress must not fail a call. */
export function chunkText(chunk: string | TextBlock | MediaBlock): string {
  if (typeof chunk === "string") return chunk;
  if (outputProblem([chunk]) !== undefined) return shown(chunk);
  if (chunk.type === "text") return chunk.text;
  return chunk.source.type === "url" ? chunk.source.url : `[${chunk.source.mediaType}]`;
}

/** The part of a call that a result has to name. */
export type CallRef = { readonly id: string; readonly name: string };

function textResult(call: CallRef, state: ToolResultState, text: string, code?: ErrorCode): ToolResultBlock {
  return {
    type: "tool_result",
    id: call.id,
    name: call.name,
    output: [{ type: "text", text }],
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
    output: outcome.output,
    state,
    ...(state === "error" && { code: "tool/failed" as const }),
    ...(outcome.metadata && { metadata: outcome.metadata as JsonObject }),
  };
}

import { isObject } from "../base/json.ts";
import { AgentError, messageOf } from "../base/error.ts";
import type { MediaBlock, TextBlock, ToolResultBlock, ToolUseBlock } from "../message/types.ts";
import { outputProblem } from "../message/validate.ts";
import { failedTool, interruptedResult, noResult, outcomeResult } from "./results.ts";
import { outcomeProblem } from "./outcome.ts";
import { writtenSlots } from "./slot.ts";
import type { StoredSlots } from "./stored-slots.ts";
import { readSuspension } from "./suspension.ts";
import type { CallInput, Suspension, AnyTool, AnyToolContext, ToolOutcome } from "./types.ts";

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

/** Returns a part of a result as JSON says it; what an error says is in no field of its own. Throws for what JSON shows as empty. */
function shownPart(_: string, part: unknown): unknown {
  if (part instanceof Error) return { name: part.name, message: part.message };
  for (const kind of HIDDEN)
    if (part instanceof kind) throw new TypeError(`a ${kind.name} has no JSON: return what it holds`);
  return part;
}
const HIDDEN = [Map, Set, Promise, WeakMap, WeakSet, ArrayBuffer];

/** Returns what a returned value is stored as: a string verbatim, any other value as its JSON text. */
function toRun(call: ToolUseBlock, tool: AnyTool, value: unknown, stored: StoredSlots): ToolRun {
  if (value === undefined) return { result: noResult(call) };
  if (isReturnedSuspension(value)) return toSuspension(call, value);
  if (isOutcome(value)) {
    const problem = outcomeProblem(value);
    return problem === undefined ? withSlots(call, tool, value, stored) : badReturn(call, problem);
  }
  if (value instanceof Error)
    return { result: failedTool(call, `it returned an error: ${messageOf(value)}`) };
  try {
    const text = typeof value === "string" ? value : JSON.stringify(value, shownPart);
    if (text !== undefined) return { result: outcomeResult(call, { output: [{ type: "text", text }] }) };
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

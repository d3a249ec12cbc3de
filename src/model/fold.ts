import { AgentError } from "../base/error.ts";
import { isTooDeep } from "../base/freeze.ts";
import { isObject } from "../base/is-object.ts";
import type { Json, JsonObject } from "../base/json.ts";
import type { Block, MediaBlock, ToolUseBlock, Usage } from "../message/types.ts";
import type { ChatModel, FinishReason, ModelRequest, StreamPart } from "./port.ts";

/** Options of {@link createFold}. */
export type FoldOptions = {
  /** Returns a new call id, unique in the session. */
  readonly newCallId: () => string;
  /** Returns true if the session has a call with this id already. Default: no id is taken. */
  readonly isTaken?: (id: string) => boolean;
};

/** One piece of an answer, as listeners receive it. */
export type FoldChunk = {
  /** Number of the block in this answer: one for all text, one for all thinking, and one for each tool call. */
  readonly index: number;
  readonly kind: "text" | "thinking" | "tool_use";
  /** The new characters: text, or a piece of the argument string of a call. */
  readonly delta: string;
  /** All characters of this block, `delta` included. */
  readonly soFar: string;
  /** The id that the tool call has in the message. */
  readonly callId?: string;
  readonly name?: string;
  /** True for the first chunk of its block. */
  readonly start: boolean;
};

/** A whole answer. */
export type Folded = {
  readonly content: readonly Block[];
  readonly finishReason: FinishReason;
  readonly raw?: string;
  readonly usage?: Usage;
  readonly responseId?: string;
};

/** An answer that is being put together. `push` never throws, and costs the same however long the answer is already. */
export interface Fold {
  /** Adds the next part. Returns the chunk for listeners, or undefined for a part without text. */
  push(part: StreamPart): FoldChunk | undefined;
  /** Returns the answer so far. It can be called at any time, such as after an interrupt, and repeatedly. */
  finish(): Folded;
}

type TextRun = { index: number; value: string; opaque: Json | undefined };
type CallRun = {
  index: number;
  started: boolean;
  readonly id: string;
  providerId: string | undefined;
  hasProviderId: boolean;
  name: string;
  args: string;
  input: JsonObject | undefined;
  opaque: Json | undefined;
};

/**
 * Folds the parts of one answer into the blocks of one message.
 *
 * V1 Order: thinking (merged), text (merged), media, then tool calls as first seen, as in AgentScope.
 * V2 A call has one id from its first part on: the provider's if it is not empty and not taken by the session or by this
 *    answer, else a new one, with the provider's id kept in `providerId`.
 * V3 The first non-empty id, the last non-empty name, the last opaque data and the last usage count.
 * V4 A complete argument string wins over parsed fragments. A JSON string that holds an object is read as that object. Any other
 *    string that is not a JSON object is kept in `rawInput`, unless there are fragments. A null in a later fragment does not
 *    replace a value. `input` is always a JSON object.
 * V5 No lone surrogate reaches a block.
 */
export function createFold({ newCallId, isTaken = () => false }: FoldOptions): Fold {
  const text: TextRun = { index: -1, value: "", opaque: undefined };
  const thinking: TextRun = { index: -1, value: "", opaque: undefined };
  const media: MediaBlock[] = [];
  const calls = new Map<string | number, CallRun>();
  const ids = new Set<string>();
  let blocks = 0;
  let usage: Usage | undefined;
  let end: Extract<StreamPart, { type: "finish" }> | undefined;

  const pushText = (run: TextRun, kind: "text" | "thinking", delta: string, opaque: Json | undefined) => {
    if (opaque !== undefined) run.opaque = opaque;
    if (delta === "") return undefined;
    const start = run.index < 0;
    if (start) run.index = blocks++;
    run.value += delta;
    return { index: run.index, kind, delta, soFar: run.value, start };
  };

  const openCall = (key: string | number, providerId: string | undefined): CallRun => {
    const isUsable = !!providerId && !ids.has(providerId) && !isTaken(providerId);
    const id = isUsable ? providerId : newCallId();
    ids.add(id);
    const call: CallRun = {
      index: blocks++,
      started: false,
      id,
      providerId: undefined,
      hasProviderId: isUsable,
      name: "",
      args: "",
      input: undefined,
      opaque: undefined,
    };
    calls.set(key, call);
    return call;
  };

  const pushCall = (part: Extract<StreamPart, { type: "tool.delta" }>): FoldChunk => {
    const call = calls.get(part.key) ?? openCall(part.key, part.id);
    if (part.id && !call.hasProviderId) {
      call.hasProviderId = true;
      call.providerId = part.id;
    }
    if (part.name) call.name = part.name;
    if (part.args) call.args += part.args;
    if (part.input) call.input = merged(call.input, part.input);
    if (part.opaque !== undefined) call.opaque = part.opaque;
    const start = !call.started;
    call.started = true;
    return {
      index: call.index,
      kind: "tool_use",
      delta: part.args ?? "",
      soFar: call.args,
      callId: call.id,
      name: call.name,
      start,
    };
  };

  return {
    push(part) {
      switch (part.type) {
        case "text.delta":
          return pushText(text, "text", part.delta, part.opaque);
        case "thinking.delta":
          return pushText(thinking, "thinking", part.delta, part.opaque);
        case "tool.delta":
          return pushCall(part);
        case "media":
          media.push(part.block);
          break;
        case "usage":
          usage = part.usage;
          break;
        case "finish":
          end = part;
      }
      return undefined;
    },
    finish() {
      const content: Block[] = [];
      if (thinking.value !== "" || thinking.opaque !== undefined) {
        content.push({ type: "thinking", thinking: thinking.value.toWellFormed(), ...opaqueOf(thinking) });
      }
      if (text.value !== "" || text.opaque !== undefined) {
        content.push({ type: "text", text: text.value.toWellFormed(), ...opaqueOf(text) });
      }
      content.push(...media);
      for (const call of calls.values()) content.push(toolUse(call));
      return {
        content,
        finishReason: end?.reason ?? "unknown",
        ...(end?.raw !== undefined && { raw: end.raw }),
        ...(usage && { usage }),
        ...(end?.responseId !== undefined && { responseId: end.responseId }),
      };
    },
  };
}

/** Options of {@link collect}. */
export type CollectOptions = { readonly signal: AbortSignal } & Partial<FoldOptions>;

/** Makes one model call and returns its whole answer. Rejects with what the model throws, and with `run/aborted` if the signal
 *  aborted. Without `newCallId`, calls that need an id get `call_1`, `call_2` … */
export async function collect(
  model: ChatModel,
  request: ModelRequest,
  options: CollectOptions,
): Promise<Folded> {
  let calls = 0;
  const { signal, newCallId = () => `call_${++calls}`, isTaken } = options;
  const fold = createFold({ newCallId, ...(isTaken && { isTaken }) });
  for await (const part of model.stream(request, { signal })) fold.push(part);
  if (signal.aborted)
    throw new AgentError("run/aborted", "The model call was aborted.", { cause: signal.reason });
  return fold.finish();
}

function opaqueOf({ opaque }: { readonly opaque: Json | undefined }): { readonly opaque?: Json } {
  return opaque === undefined ? {} : { opaque };
}

function toolUse(call: CallRun): ToolUseBlock {
  const parsed = jsonObjectOf(call.args);
  const isUnreadable = !parsed && !call.input && call.args.trim() !== "";
  return {
    type: "tool_use",
    id: call.id,
    name: call.name.toWellFormed(),
    input: parsed ?? (call.input ? wellFormedObject(call.input) : {}),
    ...(isUnreadable && { rawInput: call.args.toWellFormed() }),
    ...(call.providerId !== undefined && { providerId: call.providerId }),
    ...opaqueOf(call),
  };
}

/** The arguments with those of a later fragment, in which null stands for a value that is not there yet. */
function merged(known: JsonObject = {}, later: JsonObject): JsonObject {
  const given = Object.entries(later).filter(
    ([name, value]) => value !== null || !Object.hasOwn(known, name),
  );
  return { ...known, ...Object.fromEntries(given) };
}

const ESCAPED_SURROGATE = /\\ud[89a-f]/i;

/** The object that the text is, or that the JSON string in it holds: some models encode their arguments twice. */
function jsonObjectOf(text: string): JsonObject | undefined {
  try {
    const once = JSON.parse(text.toWellFormed()) as Json;
    const value = typeof once === "string" ? (JSON.parse(once.toWellFormed()) as Json) : once;
    if (!isObject(value) || isTooDeep(value)) return undefined;
    return ESCAPED_SURROGATE.test(text) ? wellFormedObject(value) : value;
  } catch {
    return undefined;
  }
}

function wellFormedObject(object: JsonObject): JsonObject {
  const entries = Object.entries(object).map(
    ([key, value]) => [key.toWellFormed(), wellFormed(value)] as const,
  );
  return Object.fromEntries(entries);
}

function wellFormed(value: Json): Json {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  return typeof value === "object" && value !== null ? wellFormedObject(value as JsonObject) : value;
}

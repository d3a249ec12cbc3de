import { AgentError } from "../base/error.ts";
import {
  parsedJson,
  frozenCopy,
  isTooDeep,
  isObject,
  wellFormed,
  type Json,
  type JsonObject,
} from "../base/json.ts";
import type {
  Block,
  FinishReason,
  MediaBlock,
  ProviderBlock,
  ToolUseBlock,
  Usage,
} from "../message/types.ts";
import { UsageSum } from "./usage.ts";
import type { ChatModel, ModelRequest, StreamPart } from "./port.ts";
import { systemMsg, textOf, userMsg } from "../message/msg.ts";
import { isMedia, isProviderBlock } from "../message/validate.ts";

/** Options of {@link createFold}. */
export type FoldOptions = {
  /** Returns a new call id, unique in the session. */
  readonly newCallId: () => string;
  /** Returns true if the session has a call with this id already. Default: no id is taken. */
  readonly isTaken?: (id: string) => boolean;
};

/** One piece of an answer, as listeners receive it. */
export type FoldChunk = {
  /** The number of the block in this answer. There is one for each block key, one for all text without a key, one for all thinking without
   *  a key, and one for each tool call. */
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
  readonly metadata?: JsonObject;
};

/** An answer that is being put together. `push` never throws, and costs the same however long the answer is already. */
export interface Fold {
  /** Adds the next part. Returns the chunk for listeners, or undefined for a part without text. */
  push(part: StreamPart): FoldChunk | undefined;
  /** Returns the answer so far, which shares nothing with the parts that is not frozen. It can be called at any time, such as after an
   *  interrupt, and repeatedly. */
  finish(): Folded;
}

type TextRun = {
  readonly kind: "text" | "thinking";
  index: number;
  value: string;
  opaque: Json | undefined;
};
type CallRun = {
  readonly kind: "tool_use";
  readonly index: number;
  started: boolean;
  readonly id: string;
  providerId: string | undefined;
  hasProviderId: boolean;
  name: string;
  args: string;
  input: JsonObject | undefined;
  opaque: Json | undefined;
};
type WholeBlock = { readonly kind: "whole"; readonly block: MediaBlock | ProviderBlock };
type Run = TextRun | CallRun | WholeBlock;

/** The order of blocks in an answer without block keys. */
const RANK: { readonly [K in Run["kind"]]: number } = { thinking: 0, text: 1, whole: 2, tool_use: 3 };

/**
 * Folds the parts of one answer into the blocks of one message.
 *
 * V1 Order: as first seen, if a part has a block key; else thinking (merged), text (merged), media, then tool calls as first seen,
 *    as in AgentScope.
 * V2 A call has one id from its first part on: the provider's if it is not empty and not taken by the session or by this
 *    answer, else a new one, with the provider's id in `providerId`.
 * V3 The first non-empty id, and the last non-empty name. Usages are put together as by {@link UsageSum}. Objects of opaque data of one block are merged, the
 *    later value of a key wins.
 * V4 A complete argument string wins over parsed fragments. A JSON string that holds an object is read as that object. Any other
 *    string that is not a JSON object is stored in `rawInput`, unless there are fragments. A null in a later fragment does not
 *    replace a value. `input` is always a JSON object.
 * V5 No lone surrogate reaches a block.
 */
export function createFold(options: FoldOptions): Fold {
  return new OpenFold(options);
}

type Key = string | number;
type TextRuns = Map<Key | undefined, TextRun>;

/** The fold of an open answer, in which the parts that most answers do not have are made when they are first needed. */
class OpenFold implements Fold {
  readonly #options: FoldOptions;
  readonly #runs: Run[] = [];
  #texts: TextRuns | undefined;
  #thoughts: TextRuns | undefined;
  #calls: Map<Key, CallRun> | undefined;
  #ids: Set<string> | undefined;
  #isKeyed = false;
  #blocks = 0;
  #usage: UsageSum | undefined;
  #end: Extract<StreamPart, { type: "finish" }> | undefined;

  constructor(options: FoldOptions) {
    this.#options = options;
  }

  push(part: StreamPart): FoldChunk | undefined {
    switch (part.type) {
      case "text.delta":
        return this.#pushText("text", (this.#texts ??= new Map()), part);
      case "thinking.delta":
        return this.#pushText("thinking", (this.#thoughts ??= new Map()), part);
      case "tool.delta":
        return this.#pushCall(part);
      case "media":
      case "provider":
        this.#runs.push({ kind: "whole", block: part.block });
        break;
      case "usage":
        (this.#usage ??= new UsageSum()).add(part.usage);
        break;
      case "finish":
        this.#end = part;
        break;
      case "ping":
    }
    return undefined;
  }

  finish(): Folded {
    const runs = this.#runs;
    const end = this.#end;
    const usage = this.#usage;
    const inOrder = this.#isKeyed ? runs : runs.toSorted((a, b) => RANK[a.kind] - RANK[b.kind]);
    return {
      content: inOrder.flatMap(blockOf).slice(), // of its exact length: a list that grew keeps room for more
      finishReason: end?.reason ?? "unknown",
      ...(end?.raw !== undefined && { raw: end.raw }),
      ...(usage && { usage: frozenCopy(usage.all) }),
      ...(end?.responseId !== undefined && { responseId: end.responseId }),
      ...(end?.metadata && { metadata: frozenCopy(end.metadata) }),
    };
  }

  #pushText(
    kind: TextRun["kind"],
    known: TextRuns,
    { block, delta, opaque }: Extract<StreamPart, { type: "text.delta" | "thinking.delta" }>,
  ): FoldChunk | undefined {
    let run = known.get(block);
    if (!run) {
      known.set(block, (run = { kind, index: -1, value: "", opaque: undefined }));
      this.#runs.push(run);
      this.#isKeyed ||= block !== undefined;
    }
    if (opaque !== undefined) run.opaque = mergedOpaque(run.opaque, opaque);
    if (delta === "") return undefined;
    const start = run.index < 0;
    if (start) run.index = this.#blocks++;
    run.value += delta;
    return { index: run.index, kind, delta, soFar: run.value, start };
  }

  #openCall(key: Key, providerId: string | undefined): CallRun {
    const { newCallId, isTaken } = this.#options;
    const ids = (this.#ids ??= new Set());
    const isUsable = !!providerId && !ids.has(providerId) && !isTaken?.(providerId);
    const id = isUsable ? providerId : newCallId();
    ids.add(id);
    const call: CallRun = {
      kind: "tool_use",
      index: this.#blocks++,
      started: false,
      id,
      providerId: undefined,
      hasProviderId: isUsable,
      name: "",
      args: "",
      input: undefined,
      opaque: undefined,
    };
    (this.#calls ??= new Map()).set(key, call);
    this.#runs.push(call);
    return call;
  }

  #pushCall(part: Extract<StreamPart, { type: "tool.delta" }>): FoldChunk {
    const call = this.#calls?.get(part.key) ?? this.#openCall(part.key, part.id);
    if (part.id && !call.hasProviderId) {
      call.hasProviderId = true;
      call.providerId = part.id;
    }
    if (part.name) call.name = part.name;
    if (part.args) call.args += part.args;
    if (part.input) call.input = merged(call.input, part.input);
    if (part.opaque !== undefined) call.opaque = mergedOpaque(call.opaque, part.opaque);
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
  }
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

/** Asks a model one question without tools, and returns the text of its answer. Rejects as {@link collect}. */
export async function answerTo(
  model: ChatModel,
  { system, question }: { readonly system: string; readonly question: string },
  signal: AbortSignal,
): Promise<string> {
  const messages = [systemMsg(system), userMsg(question)];
  const request = { messages, tools: [], options: {}, execution: {} };
  const { content } = await collect(model, request, { signal });
  return textOf({ ...messages[1]!, content });
}

function opaqueOf({ opaque }: { readonly opaque: Json | undefined }): { readonly opaque?: Json } {
  return opaque === undefined ? {} : { opaque: frozenCopy(opaque) };
}

function blockOf(run: Run): readonly Block[] {
  if (run.kind === "whole") return [frozenCopy(run.block)];
  if (run.kind === "tool_use") return [toolUse(run)];
  if (run.value === "" && run.opaque === undefined) return [];
  const value = run.value.toWellFormed();
  return run.kind === "text"
    ? [{ type: "text", text: value, ...opaqueOf(run) }]
    : [{ type: "thinking", thinking: value, ...opaqueOf(run) }];
}

function toolUse(call: CallRun): ToolUseBlock {
  const parsed = jsonObjectOf(call.args);
  const isUnreadable = !parsed && !call.input && call.args.trim() !== "";
  return {
    type: "tool_use",
    id: call.id,
    name: call.name.toWellFormed(),
    input: parsed ?? (call.input ? frozenCopy(wellFormed(call.input)) : {}),
    ...(isUnreadable && { rawInput: call.args.toWellFormed() }),
    ...(call.providerId !== undefined && { providerId: call.providerId }),
    ...opaqueOf(call),
  };
}

/** The arguments with those of a later fragment, in which null stands for a value that is not there yet. */
function merged(known: JsonObject = {}, later: JsonObject): JsonObject {
  const present = Object.entries(later).filter(
    ([name, value]) => value !== null || !Object.hasOwn(known, name),
  );
  return { ...known, ...Object.fromEntries(present) };
}

/** Opaque data that a provider sends in pieces: objects are merged key by key, the later value wins. */
function mergedOpaque(known: Json | undefined, later: Json): Json {
  if (!isObject(known) || !isObject(later)) return later;
  const keys = Object.entries(later).map(([key, value]) => [
    key,
    Object.hasOwn(known, key) ? mergedOpaque(known[key], value) : value,
  ]);
  return { ...known, ...(Object.fromEntries(keys) as JsonObject) };
}

/** The object that the text is, or that the JSON string in it holds: some models encode their arguments twice. */
function jsonObjectOf(text: string): JsonObject | undefined {
  const once = parsedJson(text.toWellFormed());
  const value = typeof once === "string" ? parsedJson(once.toWellFormed()) : once;
  if (!isObject(value) || isTooDeep(value)) return undefined;
  return wellFormed(value);
}

type Fields = { readonly [key: string]: unknown };

const isStringOrAbsent = (value: unknown): boolean => value === undefined || typeof value === "string";

const isCount = (value: unknown): boolean => Number.isFinite(value) && (value as number) >= 0;

/** True for a usage whose counts are numbers from 0 on. */
export function isUsage(usage: unknown): usage is Usage {
  if (!isObject(usage)) return false;
  const { estimated, ...counts } = usage;
  const areCounts = Object.values(counts).every((count) => count === undefined || isCount(count));
  return areCounts && (estimated === undefined || typeof estimated === "boolean");
}

const isKey = (value: unknown): boolean => typeof value === "string" || typeof value === "number";

function isToolDelta({ key, id, name, args, input }: Fields): boolean {
  if (!isKey(key)) return false;
  return [id, name, args].every(isStringOrAbsent) && (input === undefined || isObject(input));
}

function isPart(part: Fields): boolean {
  switch (part["type"]) {
    case "text.delta":
    case "thinking.delta":
      return typeof part["delta"] === "string" && (part["block"] === undefined || isKey(part["block"]));
    case "tool.delta":
      return isToolDelta(part);
    case "media":
      return isMedia(part["block"]);
    case "provider":
      return isProviderBlock(part["block"]);
    case "ping":
      return true;
    case "usage":
      return isUsage(part["usage"]);
    case "finish":
      return (
        typeof part["reason"] === "string" &&
        isStringOrAbsent(part["responseId"]) &&
        (part["metadata"] === undefined || isObject(part["metadata"]))
      );
    default:
      return false;
  }
}

/** True for a part of a stream. */
export const isStreamPart = (value: unknown): value is StreamPart => isObject(value) && isPart(value);

/** Throws `model/bad-response` for a value that is not a {@link StreamPart}. */
export function checkPart(part: StreamPart): void {
  if (isStreamPart(part)) return;
  const found = (JSON.stringify(part) ?? typeof part).slice(0, 200);
  throw new AgentError("model/bad-response", `The model streamed a value that is not a StreamPart: ${found}`);
}

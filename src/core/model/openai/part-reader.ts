import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import type { FinishReason, MediaBlock } from "../../message/types.ts";
import { failedBy, finishWordOf, toFinishReason } from "../finish-reason.ts";
import type { StreamPart } from "../port.ts";
import { WireError } from "../wire-error.ts";
import { AnswerMetadata } from "./answer-metadata.ts";
import { toOpaque } from "./provider-data.ts";
import { errorOf, saysMore, strayErrorOf } from "./stream-error.ts";
import { StreamedCalls, type KnownCall } from "./streamed-calls.ts";
import { usageOf } from "./usage.ts";
import type { WireChunk, WireContentPart, WireDelta, WireToolDelta } from "./wire.ts";

/** Converts the chunks of one answer into stream parts. */
export interface PartReader {
  /** Returns the parts of one chunk; an answer that is not streamed is one chunk. Throws a {@link WireError} for an error within the
   *  stream, and `UnclearCalls`. */
  read(chunk: WireChunk): StreamPart[];
  /** Takes note of the mark with which the server ends the stream. */
  done(): void;
  /** Returns the last parts of the stream. Throws `UnclearCalls`. */
  finish(): StreamPart[];
  /** True once text, thinking or a tool call was received. */
  hasContent(): boolean;
  /** True once the server has said why the answer ended. What comes after it is not an answer. */
  hasFinished(): boolean;
  /** Returns the statement of the server instead of an answer, or about the reason for which it ended the answer early. */
  serverFailure(): unknown;
}

/**
 * Creates a reader for one answer of the server `host`. Only the first choice is read, since requests ask for one.
 *
 * All text is one block, and all thinking; where a server sends both as parts of `content`, as Mistral does, each change from one to
 * the other begins a new block.
 */
export function createPartReader(host?: string): PartReader {
  return new ChatPartReader(host);
}

class ChatPartReader implements PartReader {
  #hasContent = false;
  readonly #host: string | undefined;
  readonly #metadata = new AnswerMetadata();
  #calls: StreamedCalls | undefined;
  #details: ReasoningDetails | undefined;
  #responseId: string | undefined;
  /** The finish reason, as the server calls it. */
  #raw: string | undefined;
  #isRefusal = false;
  /** True if the answer went on after its finish reason: then only the mark of the end ends it. */
  #goesOn = false;
  #isDone = false;
  #isStreamed = false;
  #failure: unknown;
  /** A chunk that may say why there is no finish reason. */
  #oddChunk: unknown;
  /** True once `content` was a list of parts. */
  #isInParts = false;
  #block = 0;
  #kind: string | undefined;
  /** The blocks of thinking that have said where they came from. */
  #marked: Set<number> | undefined;

  constructor(host: string | undefined) {
    this.#host = host;
  }

  read(chunk: WireChunk): StreamPart[] {
    const parts: StreamPart[] = [];
    const usage = usageOf(chunk);
    if (!this.hasFinished()) this.#refuseErrors(chunk, usage !== undefined);
    if (chunk.id && this.#responseId === undefined) this.#responseId = chunk.id;
    const choice = chunk.choices?.find(isFirst);
    const isStreamed = !!choice?.delta;
    const delta = choice?.delta ?? (this.#isStreamed ? undefined : choice?.message);
    const word = finishWordOf(choice?.finish_reason);
    if (delta) {
      this.#readDelta(delta, parts, !isStreamed);
      if (parts.length > 0) {
        this.#hasContent = true;
        this.#isStreamed ||= isStreamed;
        if (this.#raw !== undefined) this.#goesOn = true;
      }
    }
    if (word !== undefined) {
      this.#raw = word;
      if (toFinishReason(word) === undefined) this.#failure ??= choice?.error || failedBy(word);
    }
    this.#failure ??= choice?.error || chunk.x_groq?.error || undefined;
    if (usage) parts.push({ type: "usage", usage });
    this.#metadata.add(chunk, choice, delta);
    return parts;
  }

  done(): void {
    this.#isDone = true;
  }

  finish(): StreamPart[] {
    const raw = this.#raw;
    const known: FinishReason = (raw !== undefined && toFinishReason(raw)) || "unknown";
    const reason = this.#isRefusal ? "refusal" : known;
    if (known !== "length" && known !== "content_filter") this.#calls?.check();
    const all = this.#metadata.all;
    const end: StreamPart = {
      type: "finish",
      reason,
      ...(raw !== undefined && { raw }),
      ...(this.#responseId !== undefined && { responseId: this.#responseId }),
      ...(all && { metadata: all }),
    };
    const details = this.#details?.all ?? [];
    if (details.length === 0) return [end];
    const opaque = toOpaque({ reasoning_details: details }, this.#host);
    return [{ type: "thinking.delta", delta: "", block: 0, opaque }, end];
  }

  hasContent(): boolean {
    return this.#hasContent;
  }

  hasFinished(): boolean {
    return this.#raw !== undefined && (!this.#goesOn || this.#isDone);
  }

  serverFailure(): unknown {
    return this.#failure ?? (this.hasFinished() ? undefined : this.#oddChunk);
  }

  #refuseErrors(chunk: WireChunk, hasUsage: boolean): void {
    const { choices } = chunk;
    const hasList = Array.isArray(choices);
    const isPart = hasUsage || (hasList && choices.length > 0);
    const error = errorOf(chunk) ?? (isPart ? undefined : strayErrorOf(chunk, hasList));
    if (error !== undefined) throw new WireError(error);
    if (!isPart && saysMore(chunk)) this.#oddChunk ??= chunk;
  }

  #readDelta(delta: WireDelta, parts: StreamPart[], isWhole: boolean): void {
    if (typeof delta !== "object") throw new TypeError("A delta is an object.");
    const thinking = delta.reasoning_content || delta.reasoning;
    if (typeof thinking === "string" && thinking !== "")
      this.#pushThinking(thinking, parts, delta.reasoning_content ? undefined : "reasoning");
    if (delta.reasoning_details) this.#addDetails(delta.reasoning_details, parts);
    if (typeof delta.content === "string") {
      if (delta.content !== "") this.#pushText(delta.content, parts);
    } else if (delta.content) {
      this.#isInParts = true;
      for (const part of delta.content) if (part) this.#readPart(part, parts);
    }
    if (delta.refusal) {
      this.#isRefusal = true;
      this.#pushText(delta.refusal, parts);
    }
    for (const image of delta.images ?? NONE) {
      const block = imageOf(image?.image_url?.url);
      if (block) parts.push({ type: "media", block });
    }
    for (const fragment of delta.tool_calls ?? NONE) if (fragment) this.#readCall(fragment, parts, isWhole);
    if (delta.function_call) this.#readCall({ function: delta.function_call }, parts, isWhole);
  }

  #readCall(fragment: WireToolDelta, parts: StreamPart[], isWhole: boolean): void {
    if (this.#raw !== undefined) this.#goesOn = true;
    const calls = (this.#calls ??= new StreamedCalls());
    const call = isWhole ? calls.addWhole(fragment) : calls.add(fragment);
    if (call) parts.push(callPart(fragment, call, this.#host));
  }

  #addDetails(added: unknown, parts: StreamPart[]): void {
    const details = (this.#details ??= new ReasoningDetails());
    const hadDetails = details.all.length > 0;
    details.add(added);
    if (!hadDetails && details.all.length > 0) parts.push({ type: "thinking.delta", delta: "", block: 0 });
  }

  #readPart(part: WireContentPart, parts: StreamPart[]): void {
    const thinking = thinkingOf(part);
    if (thinking !== "") this.#pushThinking(thinking, parts, "content");
    else if (part.text) this.#pushText(part.text, parts);
    else if (part.type !== "text" && part.type !== "thinking") {
      this.#kind = undefined;
      const kind = `openai.content.${part.type ?? "part"}`;
      parts.push({
        type: "provider",
        block: { type: "provider", kind, opaque: toOpaque({ part: part as Json }, this.#host) },
      });
    }
  }

  #pushThinking(delta: string, parts: StreamPart[], field?: "reasoning" | "content"): void {
    const block = this.#blockOf("thinking");
    const isNew = field !== undefined && !this.#marked?.has(block);
    if (isNew) (this.#marked ??= new Set()).add(block);
    parts.push({
      type: "thinking.delta",
      delta,
      block,
      ...(isNew && { opaque: toOpaque({ field }, this.#host) }),
    });
  }

  #pushText(delta: string, parts: StreamPart[]): void {
    parts.push({ type: "text.delta", delta, block: this.#blockOf("text") });
  }

  #blockOf(kind: "text" | "thinking"): number {
    if (!this.#isInParts) return 0;
    if (this.#kind !== kind) {
      this.#kind = kind;
      this.#block++;
    }
    return this.#block;
  }
}

const NONE: readonly never[] = [];

const isFirst = ({ index }: { readonly index?: unknown }): boolean => Number(index ?? 0) === 0;

function thinkingOf({ thinking = "" }: WireContentPart): string {
  return typeof thinking === "string" ? thinking : thinking.map(({ text = "" }) => text).join("");
}

function imageOf(url: string | undefined): MediaBlock | undefined {
  if (!url) return undefined;
  const [, mediaType, data] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
  return mediaType && data !== undefined
    ? { type: "image", source: { type: "base64", mediaType, data } }
    : { type: "image", source: { type: "url", url } };
}

function callPart(fragment: WireToolDelta, { key, id }: KnownCall, host: string | undefined): StreamPart {
  const { name, arguments: args } = fragment.function ?? {};
  return {
    type: "tool.delta",
    key,
    ...(id !== "" && { id }),
    ...(name && { name }),
    ...(typeof args === "string" && args !== "" && { args }),
    ...(isObject(args) && { input: args }),
    ...(Array.isArray(args) && { args: JSON.stringify(args) }),
    ...(fragment.extra_content && {
      opaque: toOpaque({ extra_content: fragment.extra_content }, host),
    }),
  };
}

/** Collects the signed or encrypted thinking that OpenRouter streams beside its text, and expects to be sent back unchanged. */
class ReasoningDetails {
  readonly #all: JsonObject[] = [];

  /** The details so far, with the pieces of one detail joined. */
  get all(): readonly JsonObject[] {
    return this.#all;
  }

  /** Adds the details of one chunk; anything that is not an array of objects is ignored. */
  add(details: unknown): void {
    if (!Array.isArray(details)) return;
    for (const detail of details) if (isObject(detail)) this.#addOne(detail);
  }

  #addOne(detail: JsonObject): void {
    const last = this.#all.at(-1);
    if (last && continues(last, detail)) this.#all[this.#all.length - 1] = joined(last, detail);
    else this.#all.push(detail);
  }
}

const TEXTS: { readonly [type: string]: string } = {
  "reasoning.text": "text",
  "reasoning.summary": "summary",
};

/** A signature ends a text. */
function continues(last: JsonObject, next: JsonObject): boolean {
  const { type, index, signature } = last;
  const isSame = type === next["type"] && index === next["index"];
  return isSame && Object.hasOwn(TEXTS, String(type)) && !signature;
}

function joined(last: JsonObject, next: JsonObject): JsonObject {
  const field = TEXTS[String(last["type"])]!;
  const present = Object.entries(next).filter(([, value]) => value !== null);
  const text = [last[field], next[field]].filter((part) => typeof part === "string").join("");
  return { ...last, ...Object.fromEntries(present), [field]: text };
}

import { isObject } from "../../base/is-object.ts";
import type { Json } from "../../base/json.ts";
import type { MediaBlock } from "../../message/types.ts";
import type { FinishReason, StreamPart } from "../port.ts";
import { AnswerMetadata } from "./answer-metadata.ts";
import { isServerFailure, toFinishReason } from "./finish-reason.ts";
import { toOpaque } from "./provider-data.ts";
import { ReasoningDetails } from "./reasoning-details.ts";
import { createToolCallKeys, type ToolCallKeys } from "./tool-call-keys.ts";
import { usageOf } from "./usage.ts";
import type { WireChunk, WireContentPart, WireDelta, WireToolDelta } from "./wire.ts";

/** Converts the chunks of one answer into stream parts. */
export interface PartReader {
  /** Returns the parts of one chunk; an answer that is not streamed is one chunk. */
  read(chunk: WireChunk): StreamPart[];
  /** Returns the last parts of the stream. */
  finish(): StreamPart[];
  /** True once text, thinking or a tool call was received. */
  hasContent(): boolean;
  /** True once the server has sent a finish reason. */
  hasFinished(): boolean;
  /** What the server says instead of an answer, or about why it ended the answer early. */
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
  #keyOf: ToolCallKeys | undefined;
  #details: ReasoningDetails | undefined;
  #responseId: string | undefined;
  /** The finish reason, as the server calls it. */
  #raw: string | undefined;
  #isRefusal = false;
  #failure: unknown;
  #unknownChunk: unknown;
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
    if (chunk.id && this.#responseId === undefined) this.#responseId = chunk.id;
    const choice = chunk.choices?.find(({ index }) => !index);
    const delta = choice?.delta ?? choice?.message;
    if (delta) this.#readDelta(delta, parts);
    if (parts.length > 0) this.#hasContent = true;
    if (choice?.finish_reason) this.#raw = choice.finish_reason;
    this.#failure ??= choice?.error ?? chunk.x_groq?.error ?? undefined;
    const usage = usageOf(chunk);
    if (usage) parts.push({ type: "usage", usage });
    else if (!chunk.choices) this.#unknownChunk ??= chunk;
    this.#metadata.add(chunk, choice, delta);
    return parts;
  }

  finish(): StreamPart[] {
    const raw = this.#raw;
    const reason: FinishReason = this.#isRefusal ? "refusal" : toFinishReason(raw);
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
    return this.#raw !== undefined;
  }

  serverFailure(): unknown {
    if (this.#failure !== undefined) return this.#failure;
    if (isServerFailure(this.#raw)) return this.#raw;
    return this.#hasContent || this.hasFinished() ? undefined : this.#unknownChunk;
  }

  #readDelta(delta: WireDelta, parts: StreamPart[]): void {
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
    for (const fragment of delta.tool_calls ?? NONE)
      if (fragment)
        parts.push(readCall(fragment, (this.#keyOf ??= createToolCallKeys())(fragment), this.#host));
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

function readCall(fragment: WireToolDelta, key: number, host: string | undefined): StreamPart {
  const { name, arguments: args } = fragment.function ?? {};
  return {
    type: "tool.delta",
    key,
    ...(fragment.id && { id: fragment.id }),
    ...(name && { name }),
    ...(typeof args === "string" && args !== "" && { args }),
    ...(isObject(args) && { input: args }),
    ...(Array.isArray(args) && { args: JSON.stringify(args) }),
    ...(fragment.extra_content && {
      opaque: toOpaque({ extra_content: fragment.extra_content }, host),
    }),
  };
}

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
  readonly hasContent: boolean;
  /** True once the server has sent a finish reason. */
  readonly hasFinished: boolean;
  /** What the server says instead of an answer, or about why it ended the answer early. */
  readonly serverFailure: unknown;
}

/**
 * Creates a reader for one answer of the server `host`. Only the first choice is read, since requests ask for one.
 *
 * All text is one block, and all thinking; where a server sends both as parts of `content`, as Mistral does, each change from one to
 * the other begins a new block.
 */
export function createPartReader(host?: string): PartReader {
  let keyOf: ToolCallKeys | undefined;
  const details = new ReasoningDetails();
  const metadata = new AnswerMetadata();
  let responseId: string | undefined;
  let raw: string | undefined;
  let hasContent = false;
  let isRefusal = false;
  let failure: unknown;
  let unknownChunk: unknown;
  let isInParts = false;
  let run = { block: 0, kind: "" };
  let marked: Set<number> | undefined;

  const blockOf = (kind: "text" | "thinking"): number => {
    if (!isInParts) return 0;
    if (run.kind !== kind) run = { block: run.block + 1, kind };
    return run.block;
  };

  const pushThinking = (delta: string, parts: StreamPart[], field?: "reasoning" | "content"): void => {
    const block = blockOf("thinking");
    const isNew = field !== undefined && !marked?.has(block);
    if (isNew) (marked ??= new Set()).add(block);
    parts.push({
      type: "thinking.delta",
      delta,
      block,
      ...(isNew && { opaque: toOpaque({ field }, host) }),
    });
  };

  const pushText = (delta: string, parts: StreamPart[]): void => {
    parts.push({ type: "text.delta", delta, block: blockOf("text") });
  };

  const readPart = (part: WireContentPart, parts: StreamPart[]): void => {
    const thinking = thinkingOf(part);
    if (thinking !== "") pushThinking(thinking, parts, "content");
    else if (part.text) pushText(part.text, parts);
    else if (part.type !== "text" && part.type !== "thinking") {
      run = { ...run, kind: "" };
      const kind = `openai.content.${part.type ?? "part"}`;
      parts.push({
        type: "provider",
        block: { type: "provider", kind, opaque: toOpaque({ part: part as Json }, host) },
      });
    }
  };

  const readDelta = (delta: WireDelta, parts: StreamPart[]): void => {
    const thinking = delta.reasoning_content || delta.reasoning;
    if (typeof thinking === "string" && thinking !== "")
      pushThinking(thinking, parts, delta.reasoning_content ? undefined : "reasoning");
    const hadDetails = details.all.length > 0;
    details.add(delta.reasoning_details);
    if (!hadDetails && details.all.length > 0) parts.push({ type: "thinking.delta", delta: "", block: 0 });
    if (typeof delta.content === "string") {
      if (delta.content !== "") pushText(delta.content, parts);
    } else if (delta.content) {
      isInParts = true;
      for (const part of delta.content) if (part) readPart(part, parts);
    }
    if (delta.refusal) {
      isRefusal = true;
      pushText(delta.refusal, parts);
    }
    for (const image of delta.images ?? []) {
      const block = imageOf(image?.image_url?.url);
      if (block) parts.push({ type: "media", block });
    }
    for (const fragment of delta.tool_calls ?? [])
      if (fragment) parts.push(readCall(fragment, (keyOf ??= createToolCallKeys())(fragment), host));
  };

  return {
    read(chunk) {
      const parts: StreamPart[] = [];
      if (chunk.id && responseId === undefined) responseId = chunk.id;
      const choice = chunk.choices?.find(({ index }) => !index);
      const delta = choice?.delta ?? choice?.message;
      if (delta) readDelta(delta, parts);
      if (parts.length > 0) hasContent = true;
      if (choice?.finish_reason) raw = choice.finish_reason;
      failure ??= choice?.error ?? chunk.x_groq?.error ?? undefined;
      const usage = usageOf(chunk);
      if (usage) parts.push({ type: "usage", usage });
      else if (!chunk.choices) unknownChunk ??= chunk;
      metadata.add(chunk, choice, delta);
      return parts;
    },
    finish() {
      const reason: FinishReason = isRefusal ? "refusal" : toFinishReason(raw);
      const all = metadata.all;
      const end: StreamPart = {
        type: "finish",
        reason,
        ...(raw !== undefined && { raw }),
        ...(responseId !== undefined && { responseId }),
        ...(all && { metadata: all }),
      };
      if (details.all.length === 0) return [end];
      const opaque = toOpaque({ reasoning_details: details.all }, host);
      return [{ type: "thinking.delta", delta: "", block: 0, opaque }, end];
    },
    get hasContent() {
      return hasContent;
    },
    get hasFinished() {
      return raw !== undefined;
    },
    get serverFailure() {
      if (failure !== undefined) return failure;
      if (isServerFailure(raw)) return raw;
      return hasContent || raw !== undefined ? undefined : unknownChunk;
    },
  };
}

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

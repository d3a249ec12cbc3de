import { isObject } from "../../base/is-object.ts";
import type { FinishReason, StreamPart } from "../port.ts";
import { isServerFailure, toFinishReason } from "./finish-reason.ts";
import { ReasoningDetails } from "./reasoning-details.ts";
import { createToolCallKeys } from "./tool-call-keys.ts";
import { usageOf } from "./usage.ts";
import type { WireChunk, WireContent, WireContentPart, WireDelta, WireToolDelta } from "./wire.ts";

/** Converts the chunks of one answer into stream parts. */
export interface PartReader {
  /** Returns the parts of one chunk; an answer that is not streamed is one chunk. */
  read(chunk: WireChunk): StreamPart[];
  /** Returns the last parts of the stream. */
  finish(): StreamPart[];
  /** True once text, thinking or a tool call was received. */
  readonly hasContent: boolean;
  /** True once the server has given a finish reason. */
  readonly hasFinished: boolean;
  /** The finish reason, if it says that the server ended the answer early. */
  readonly serverFailure: string | undefined;
}

/** Creates a reader for one answer. Only the first choice is read, since requests ask for one. */
export function createPartReader(): PartReader {
  const keyOf = createToolCallKeys();
  let responseId: string | undefined;
  let raw: string | undefined;
  let hasContent = false;
  let isRefusal = false;
  let field: typeof REASONING_FIELD | undefined;
  const details = new ReasoningDetails();

  const readDelta = (delta: WireDelta, parts: StreamPart[]) => {
    const thinking = delta.reasoning_content || delta.reasoning;
    if (typeof thinking === "string" && thinking !== "") {
      if (!delta.reasoning_content) field = REASONING_FIELD;
      parts.push({
        type: "thinking.delta",
        delta: thinking,
        ...(!delta.reasoning_content && { opaque: REASONING_FIELD }),
      });
    }
    details.add(delta.reasoning_details);
    if (delta.content) readContent(delta.content, parts);
    if (delta.refusal) {
      isRefusal = true;
      parts.push({ type: "text.delta", delta: delta.refusal });
    }
    for (const fragment of delta.tool_calls ?? [])
      if (fragment) parts.push(readCall(fragment, keyOf(fragment)));
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
      const usage = usageOf(chunk);
      if (usage) parts.push({ type: "usage", usage });
      return parts;
    },
    finish() {
      const reason: FinishReason = isRefusal ? "refusal" : toFinishReason(raw);
      const end: StreamPart = {
        type: "finish",
        reason,
        ...(raw !== undefined && { raw }),
        ...(responseId !== undefined && { responseId }),
      };
      if (details.all.length === 0) return [end];
      return [
        { type: "thinking.delta", delta: "", opaque: { ...field, reasoning_details: details.all } },
        end,
      ];
    },
    get hasContent() {
      return hasContent;
    },
    get hasFinished() {
      return raw !== undefined;
    },
    get serverFailure() {
      return isServerFailure(raw) ? raw : undefined;
    },
  };
}

/** Marks thinking that was received in the field `reasoning` (Groq, OpenRouter, Cerebras), so that it is sent back in it. */
const REASONING_FIELD = { field: "reasoning" } as const;

function readContent(content: Exclude<WireContent, null>, parts: StreamPart[]): void {
  if (typeof content === "string") {
    parts.push({ type: "text.delta", delta: content });
    return;
  }
  for (const part of content) {
    if (!part) continue;
    const thinking = thinkingOf(part);
    if (thinking !== "") parts.push({ type: "thinking.delta", delta: thinking });
    else if (part.text) parts.push({ type: "text.delta", delta: part.text });
  }
}

function thinkingOf({ thinking = "" }: WireContentPart): string {
  return typeof thinking === "string" ? thinking : thinking.map(({ text = "" }) => text).join("");
}

function readCall(fragment: WireToolDelta, key: number): StreamPart {
  const { name, arguments: args } = fragment.function ?? {};
  return {
    type: "tool.delta",
    key,
    ...(fragment.id && { id: fragment.id }),
    ...(name && { name }),
    ...(typeof args === "string" && args !== "" && { args }),
    ...(isObject(args) && { input: args }),
    ...(Array.isArray(args) && { args: JSON.stringify(args) }),
    ...(fragment.extra_content && { opaque: { extra_content: fragment.extra_content } }),
  };
}

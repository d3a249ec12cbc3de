import type { Json, JsonObject } from "../../base/json.ts";
import type { Usage } from "../../message/types.ts";
import type { FinishReason, StreamPart } from "../port.ts";
import { usageFrom } from "../usage.ts";
import type { PartReader } from "./part-reader.ts";
import { toResponsesOpaque, type ResponsesData } from "./responses-data.ts";
import type { WireEvent, WireItem, WireResponse, WireResponsesUsage } from "./responses-wire.ts";

/** Deltas by the name of their event: the kind of block, and the index of the part within its item. */
const DELTAS: {
  readonly [type: string]: readonly ["text" | "thinking", "summary" | "content", Partial<ResponsesData>];
} = {
  "response.output_text.delta": ["text", "content", {}],
  "response.refusal.delta": ["text", "content", { refusal: true }],
  "response.reasoning_summary_text.delta": ["thinking", "summary", { part: "summary" }],
  "response.reasoning_text.delta": ["thinking", "content", { part: "content" }],
};

/** What is known of an item while it is streamed. */
type OpenItem = { hasArguments: boolean; readonly deltas: Set<string> };

/**
 * Creates a reader for one answer of the server `host`. Each part of an item is a block, with the id of the item, so that the item can
 * be put together again. What an item had no deltas for comes when it is done.
 */
export function createResponsesReader(host?: string): PartReader {
  const items = new Map<number, OpenItem>();
  const annotations: Json[] = [];
  const logprobs: Json[] = [];
  let response: WireResponse = {};
  let hasContent = false;
  let hasCalls = false;
  let isRefusal = false;
  let isOver = false;
  let failure: unknown;
  let unknownEvent: unknown;

  const opaque = (data: ResponsesData) => ({ opaque: toResponsesOpaque(data, host) });

  const openItem = (index: number): OpenItem => {
    const item = items.get(index) ?? { hasArguments: false, deltas: new Set<string>() };
    items.set(index, item);
    return item;
  };

  const callPart = (index: number, item: WireItem, args: string | undefined): StreamPart => {
    hasCalls = true;
    return {
      type: "tool.delta",
      key: index,
      ...(item.call_id && { id: item.call_id }),
      ...(item.name && { name: item.name }),
      ...(args && { args }),
      ...(item.id && opaque({ item: item.id })),
    };
  };

  const startItem = (index: number, item: WireItem): readonly StreamPart[] => {
    openItem(index);
    return item.type === "function_call" ? [callPart(index, item, undefined)] : [{ type: "ping" }];
  };

  const delta = ({ type = "", output_index: index = 0, ...event }: WireEvent): readonly StreamPart[] => {
    const [kind, place, data] = DELTAS[type]!;
    const at = (place === "summary" ? event.summary_index : event.content_index) ?? 0;
    const block = blockKey(index, place, at);
    openItem(index).deltas.add(block);
    if (data.refusal) isRefusal = true;
    return [
      { type: `${kind}.delta`, delta: String(event.delta ?? ""), block, ...(data.refusal && opaque(data)) },
    ];
  };

  const messageParts = (index: number, item: WireItem, { deltas }: OpenItem): readonly StreamPart[] =>
    listOf(item.content).map((part, at): StreamPart => {
      const isPartRefusal = part.type === "refusal";
      if (isPartRefusal) isRefusal = true;
      annotations.push(...(part.annotations ?? []));
      logprobs.push(...(part.logprobs ?? []));
      const block = blockKey(index, "content", at);
      const text = isPartRefusal ? part.refusal : part.text;
      const data: ResponsesData = {
        ...(item.id && { item: item.id }),
        ...(item.phase && { phase: item.phase }),
        ...(isPartRefusal && { refusal: true }),
      };
      return { type: "text.delta", delta: deltas.has(block) ? "" : (text ?? ""), block, ...opaque(data) };
    });

  const reasoningParts = (index: number, item: WireItem, { deltas }: OpenItem): readonly StreamPart[] => {
    const parts = (["summary", "content"] as const).flatMap((part) =>
      listOf(item[part]).map((each, at) => ({ part, at, text: each.text ?? "" })),
    );
    if (parts.length === 0) parts.push({ part: "summary", at: 0, text: "" });
    return parts.map(({ part, at, text }, position): StreamPart => {
      const block = blockKey(index, part, at);
      const isLast = position === parts.length - 1;
      const data: ResponsesData = {
        ...(item.id && { item: item.id }),
        part,
        ...(isLast && item.encrypted_content && { encrypted_content: item.encrypted_content }),
      };
      return { type: "thinking.delta", delta: deltas.has(block) ? "" : text, block, ...opaque(data) };
    });
  };

  const wholeItem = (item: WireItem): readonly StreamPart[] => {
    const { result, ...rest } = item;
    const { type = "item" } = item;
    if (type === "image_generation_call" && typeof result === "string") {
      const mediaType = `image/${item.output_format ?? "png"}`;
      const source = { type: "base64", mediaType, data: result } as const;
      return [{ type: "media", block: { type: "image", source, ...opaque({ whole: rest as JsonObject }) } }];
    }
    const kind = `openai.${type}`;
    return [
      { type: "provider", block: { type: "provider", kind, ...opaque({ whole: item as JsonObject }) } },
    ];
  };

  const endItem = (index: number, item: WireItem): readonly StreamPart[] => {
    const open = openItem(index);
    switch (item.type) {
      case "message":
        return messageParts(index, item, open);
      case "reasoning":
        return reasoningParts(index, item, open);
      case "function_call":
        return [callPart(index, item, open.hasArguments ? undefined : (item.arguments ?? undefined))];
      default:
        return wholeItem(item);
    }
  };

  const endResponse = (whole: WireResponse): readonly StreamPart[] => {
    response = { ...response, ...whole };
    isOver = true;
    if (whole.status === "failed" || whole.status === "cancelled")
      failure = whole.error ?? { message: `The response was ${whole.status}.` };
    // What was not streamed, as by servers that answer with one document.
    const missing = listOf(whole.output).flatMap((item, index) =>
      items.has(index) ? [] : endItem(index, item),
    );
    const usage = whole.usage ? usageOf(whole.usage) : undefined;
    return usage ? [...missing, { type: "usage", usage }] : missing;
  };

  const partsOf = (event: WireEvent): readonly StreamPart[] => {
    const { type = "", output_index: index = 0, item } = event;
    if (Object.hasOwn(DELTAS, type)) return delta(event);
    switch (type) {
      case "response.created":
      case "response.in_progress":
      case "response.queued":
        response = { ...response, ...event.response };
        return [{ type: "ping" }];
      case "response.output_item.added":
        return item ? startItem(index, item) : [];
      case "response.function_call_arguments.delta": {
        openItem(index).hasArguments = true;
        return [{ type: "tool.delta", key: index, args: String(event.delta ?? "") }];
      }
      case "response.output_item.done":
        return item ? endItem(index, item) : [];
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
      case "response.cancelled":
        return endResponse({ status: type.slice("response.".length), ...event.response });
      default:
        if (type !== "") return [{ type: "ping" }];
        unknownEvent ??= event;
        return [];
    }
  };

  return {
    read(chunk) {
      const event = chunk as WireEvent & WireResponse;
      const parts = event.object === "response" ? endResponse(event) : partsOf(event);
      if (parts.some(({ type }) => type !== "ping" && type !== "usage")) hasContent = true;
      return [...parts];
    },
    finish() {
      const { id, status, incomplete_details: incomplete } = response;
      const raw = incomplete?.reason ?? status ?? undefined;
      const metadata = metadataOf(response, annotations, logprobs);
      return [
        {
          type: "finish",
          reason: isRefusal ? "refusal" : reasonOf(raw, hasCalls),
          ...(raw !== undefined && { raw }),
          ...(id && { responseId: id }),
          ...(metadata && { metadata }),
        },
      ];
    },
    hasContent: () => hasContent,
    hasFinished: () => isOver,
    serverFailure: () => failure ?? (hasContent || isOver ? undefined : unknownEvent),
  };
}

const blockKey = (index: number, place: string, at: number): string => `${index}.${place}.${at}`;

function listOf<T>(list: readonly (T | null)[] | null | undefined): readonly T[] {
  return (list ?? []).filter((each): each is T & {} => each !== null);
}

function reasonOf(raw: string | undefined, hasCalls: boolean): FinishReason {
  if (raw === "max_output_tokens") return "length";
  if (raw === "content_filter") return "content_filter";
  if (raw !== "completed") return "unknown";
  return hasCalls ? "tool_calls" : "stop";
}

function metadataOf(
  { model, service_tier }: WireResponse,
  annotations: readonly Json[],
  logprobs: readonly Json[],
): JsonObject | undefined {
  const metadata = {
    ...(model && { model }),
    ...(service_tier && { service_tier }),
    ...(annotations.length > 0 && { annotations }),
    ...(logprobs.length > 0 && { logprobs }),
  };
  return Object.keys(metadata).length === 0 ? undefined : metadata;
}

function usageOf(wire: WireResponsesUsage): Usage | undefined {
  const { input_tokens_details: input, output_tokens_details: output } = wire;
  return usageFrom({
    inputTokens: wire.input_tokens,
    outputTokens: wire.output_tokens,
    cachedInputTokens: input?.cached_tokens,
    cacheWriteTokens: input?.cache_write_tokens ?? input?.cache_creation_input_tokens,
    reasoningTokens: output?.reasoning_tokens,
    totalTokens: wire.total_tokens,
  });
}

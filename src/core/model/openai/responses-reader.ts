import type { Json, JsonObject } from "../../base/json.ts";
import type { FinishReason, Usage } from "../../message/types.ts";
import { failedBy, toFinishReason } from "../finish-reason.ts";
import type { StreamPart } from "../port.ts";
import { usageFrom } from "../usage.ts";
import { WireError } from "../wire-error.ts";
import type { PartReader } from "./part-reader.ts";
import { ResponsesCalls, type CallPiece } from "./responses-calls.ts";
import { toResponsesOpaque, type ResponsesData } from "./responses-data.ts";
import type { WireEvent, WireItem, WireResponse, WireResponsesUsage } from "./responses-wire.ts";
import { errorOf, strayErrorOf } from "./stream-error.ts";

/** Deltas by the name of their event: the kind of block, and the index of the part within its item. */
const DELTAS: {
  readonly [type: string]: readonly ["text" | "thinking", "summary" | "content", Partial<ResponsesData>];
} = {
  "response.output_text.delta": ["text", "content", {}],
  "response.refusal.delta": ["text", "content", { refusal: true }],
  "response.reasoning_summary_text.delta": ["thinking", "summary", { part: "summary" }],
  "response.reasoning_text.delta": ["thinking", "content", { part: "content" }],
};

/** The state of an item while it is streamed. */
type OpenItem = { readonly at: string; readonly deltas: Set<string> };

/**
 * Creates a reader for one answer of the server `host`. Each part of an item is a block, with the id of the item, so that the item can
 * be put together again. What an item had no deltas for comes when it is done.
 */
export function createResponsesReader(host?: string): PartReader {
  const items = new Map<string, OpenItem>();
  const calls = new ResponsesCalls();
  /** The keys of the calls that a part has told of. */
  const known = new Set<number>();
  const annotations: Json[] = [];
  const logprobs: Json[] = [];
  let response: WireResponse = {};
  let place = "0";
  let hasContent = false;
  let isRefusal = false;
  let isOver = false;
  let failure: unknown;

  const opaque = (data: ResponsesData) => ({ opaque: toResponsesOpaque(data, host) });

  /** The place of the item of an event: its index, else its id, else the place of the event before. */
  const placeOf = ({ output_index: index, item_id: id, item }: WireEvent): string => {
    const known = [index, id, item?.id].find((each) => each !== undefined && each !== null && each !== "");
    return (place = known === undefined ? place : String(known));
  };

  const openItem = (at: string): OpenItem => {
    const item = items.get(at) ?? { at, deltas: new Set<string>() };
    items.set(at, item);
    return item;
  };

  /** The item that ends. Its deltas may have said neither its index nor its id. */
  const endedItem = (event: WireEvent, { id }: WireItem): OpenItem => {
    const at = placeOf(event);
    const item = openItem(at === id && !items.has(at) && items.has("0") ? "0" : at);
    if (id) items.set(id, item);
    return item;
  };

  const callPart = ({ call, args }: CallPiece): readonly StreamPart[] => {
    known.add(call.key);
    return [
      {
        type: "tool.delta",
        key: call.key,
        ...(call.id !== "" && { id: call.id }),
        ...(call.name !== "" && { name: call.name }),
        ...(args !== "" && { args }),
        ...(call.item !== "" && opaque({ item: call.item })),
      },
    ];
  };

  /** A part with no more than the arguments, since there are as many as words. */
  const pieceOf = (piece: CallPiece): readonly StreamPart[] =>
    known.has(piece.call.key)
      ? [{ type: "tool.delta", key: piece.call.key, args: piece.args }]
      : callPart(piece);

  const startItem = (event: WireEvent, item: WireItem): readonly StreamPart[] => {
    if (item.type === "function_call") return callPart(calls.begin(event, item));
    openItem(placeOf(event));
    return [{ type: "ping" }];
  };

  const delta = ({ type = "", ...event }: WireEvent): readonly StreamPart[] => {
    const item = openItem(placeOf(event));
    const [kind, part, data] = DELTAS[type]!;
    const at = (part === "summary" ? event.summary_index : event.content_index) ?? 0;
    const block = blockKey(item, part, at);
    item.deltas.add(block);
    if (data.refusal) isRefusal = true;
    return [
      { type: `${kind}.delta`, delta: String(event.delta ?? ""), block, ...(data.refusal && opaque(data)) },
    ];
  };

  const messageParts = (item: WireItem, open: OpenItem): readonly StreamPart[] =>
    listOf(item.content).map((part, at): StreamPart => {
      const isPartRefusal = part.type === "refusal";
      if (isPartRefusal) isRefusal = true;
      annotations.push(...(part.annotations ?? []));
      logprobs.push(...(part.logprobs ?? []));
      const block = blockKey(open, "content", at);
      const text = isPartRefusal ? part.refusal : part.text;
      const data: ResponsesData = {
        ...(item.id && { item: item.id }),
        ...(item.phase && { phase: item.phase }),
        ...(isPartRefusal && { refusal: true }),
      };
      const delta = open.deltas.has(block) ? "" : (text ?? "");
      return { type: "text.delta", delta, block, ...opaque(data) };
    });

  const reasoningParts = (item: WireItem, open: OpenItem): readonly StreamPart[] => {
    const parts = (["summary", "content"] as const).flatMap((part) =>
      listOf(item[part]).map((each, at) => ({ part, at, text: each.text ?? "" })),
    );
    if (parts.length === 0) parts.push({ part: "summary", at: 0, text: "" });
    return parts.map(({ part, at, text }, position): StreamPart => {
      const block = blockKey(open, part, at);
      const isLast = position === parts.length - 1;
      const data: ResponsesData = {
        ...(item.id && { item: item.id }),
        part,
        ...(isLast && item.encrypted_content && { encrypted_content: item.encrypted_content }),
      };
      return { type: "thinking.delta", delta: open.deltas.has(block) ? "" : text, block, ...opaque(data) };
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

  const endItem = (event: WireEvent, item: WireItem): readonly StreamPart[] => {
    if (item.type === "function_call") return callPart(calls.end(event, item));
    const open = endedItem(event, item);
    switch (item.type) {
      case "message":
        return messageParts(item, open);
      case "reasoning":
        return reasoningParts(item, open);
      default:
        return wholeItem(item);
    }
  };

  const endResponse = (whole: WireResponse): readonly StreamPart[] => {
    response = { ...response, ...whole };
    isOver = whole.status !== undefined && whole.status !== null;
    failure = failureOf(whole);
    if (failure !== undefined) return [];
    let next = 0;
    // What was not streamed, as by servers that answer with one document.
    const output = listOf(whole.output);
    const told = calls.tell(output.filter(({ type }) => type === "function_call"));
    const missing = output.flatMap((item, index) => {
      if (item.type === "function_call") return callPart(told[next++]!);
      const isKnown = items.has(String(index)) || items.has(item.id ?? "");
      return isKnown ? [] : endItem({ output_index: index, item }, item);
    });
    const usage = whole.usage ? usageOf(whole.usage) : undefined;
    return usage ? [...missing, { type: "usage", usage }] : missing;
  };

  const partsOf = (event: WireEvent): readonly StreamPart[] => {
    const { type = "", item } = event;
    if (Object.hasOwn(DELTAS, type)) return delta(event);
    switch (type) {
      case "response.created":
      case "response.in_progress":
      case "response.queued":
        response = { ...response, ...event.response };
        return [{ type: "ping" }];
      case "response.output_item.added":
        return item ? startItem(event, item) : [];
      case "response.function_call_arguments.delta":
        return pieceOf(calls.add(event));
      case "response.function_call_arguments.done":
        return callPart(calls.complete(event));
      case "response.output_item.done":
        return item ? endItem(event, item) : [];
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
      case "response.cancelled":
        return endResponse({ status: type.slice("response.".length), ...event.response });
      case "response.error":
        throw new WireError(event.error ?? event);
      default:
        return otherEvent(event);
    }
  };

  return {
    read(chunk) {
      if (isOver) return [];
      const event = chunk as WireEvent & WireResponse;
      const parts = event.object === "response" ? endResponse(event) : partsOf(event);
      if (parts.some(({ type }) => type !== "ping" && type !== "usage")) hasContent = true;
      return [...parts];
    },
    done() {
      // The mark of the end says nothing here: an answer ends by its status.
    },
    finish() {
      const { id, status, incomplete_details: incomplete } = response;
      const raw = incomplete?.reason ?? status ?? undefined;
      const metadata = metadataOf(response, annotations, logprobs);
      const reason = reasonOf(raw, calls.size > 0);
      if (reason === "stop" || reason === "tool_calls") calls.check();
      return [
        {
          type: "finish",
          reason: isRefusal ? "refusal" : reason,
          ...(raw !== undefined && { raw }),
          ...(id && { responseId: id }),
          ...(metadata && { metadata }),
        },
      ];
    },
    hasContent: () => hasContent,
    hasFinished: () => isOver,
    serverFailure: () => failure,
  };
}

const blockKey = ({ at: item }: OpenItem, part: string, at: number): string => `${item}.${part}.${at}`;

function listOf<T>(list: readonly (T | null)[] | null | undefined): readonly T[] {
  return (list ?? []).filter((each): each is T & {} => each !== null);
}

/** Reads over an event of another kind. Throws one that says an error. */
function otherEvent(event: WireEvent): readonly StreamPart[] {
  const { type = "" } = event;
  const isOwn = type.startsWith("response.");
  const error = isOwn ? undefined : (errorOf(event) ?? strayErrorOf(event, type !== ""));
  if (error !== undefined) throw new WireError(error);
  return type === "" ? [] : [{ type: "ping" }];
}

/** Returns the error of an answer that is not a whole one, and was not cut for a reason that is known. */
function failureOf({ status, error, incomplete_details: incomplete }: WireResponse): unknown {
  if (!status) return error ?? undefined;
  if (status === "failed" || status === "cancelled")
    return error ?? { message: `The response was ${status}.` };
  if (error) return error;
  if (status === "completed") return undefined;
  const word = (status === "incomplete" && incomplete?.reason) || status;
  const reason = toFinishReason(word);
  return reason === "length" || reason === "content_filter" ? undefined : failedBy(word);
}

function reasonOf(raw: string | undefined, hasCalls: boolean): FinishReason {
  if (raw === "completed") return hasCalls ? "tool_calls" : "stop";
  return (raw !== undefined && toFinishReason(raw)) || "unknown";
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

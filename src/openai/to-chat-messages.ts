import { resultText, textOf } from "../message/query.ts";
import type {
  Json,
  JsonObject,
  MediaBlock,
  Msg,
  TextBlock,
  ToolResultBlock,
  ToolUseBlock,
} from "../message/types.ts";
import type { ChatDialect } from "./dialect.ts";
import type { ChatContentPart, ChatMessage, ChatToolCall } from "./wire.ts";

/** How messages are converted. Default: thinking goes back, media in tool results are content parts, names are kept. */
export type ToChatMessagesOptions = Partial<Pick<ChatDialect, "sendReasoning" | "toolMedia" | "strictNames">>;

type WireForm = {
  readonly messages: readonly ChatMessage[];
  readonly calls: readonly ToolUseBlock[];
  readonly hasProviderId: boolean;
};
const caches = new Map<string, WeakMap<Msg, WireForm>>();

/**
 * The messages of a Chat Completions request for these messages. Pure and total; the wire form of each message object
 * is computed once and shared, so do not change what comes back.
 *
 * V1 One wire message per tool result, whatever the message held (F21).
 * V2 An assistant message always has `content` (S22), and its arguments are always JSON objects (S17).
 * V3 A call goes under its provider's id if no other call here has that id, else under ours; its result likewise.
 */
export function toChatMessages(messages: readonly Msg[], options: ToChatMessagesOptions = {}): ChatMessage[] {
  const { sendReasoning = true, toolMedia = "parts", strictNames = false } = options;
  const dialect = { sendReasoning, toolMedia, strictNames };
  const cache = cacheOf(`${sendReasoning} ${toolMedia} ${strictNames}`);
  const wire: ChatMessage[] = [];
  let hasProviderId = false;
  for (const msg of messages) {
    let form = cache.get(msg);
    if (!form) cache.set(msg, (form = wireFormOf(msg, dialect)));
    for (const message of form.messages) wire.push(message);
    hasProviderId ||= form.hasProviderId;
  }
  if (!hasProviderId) return wire;
  const wireIds = wireIdsOf(messages.flatMap((msg) => cache.get(msg)!.calls));
  return wire.map((message) => withIds(message, wireIds));
}

function cacheOf(key: string): WeakMap<Msg, WireForm> {
  const cache = caches.get(key) ?? new WeakMap<Msg, WireForm>();
  caches.set(key, cache);
  return cache;
}

type Dialect = Required<ToChatMessagesOptions>;

function wireFormOf(msg: Msg, dialect: Dialect): WireForm {
  const calls = msg.content.filter((block) => block.type === "tool_use");
  const results = msg.content
    .filter((block) => block.type === "tool_result")
    .map((block) => toolMessage(block, dialect));
  const isOnlyResults = msg.role === "tool" || (results.length > 0 && results.length === msg.content.length);
  const plain = isOnlyResults ? [] : [plainMessage(msg, dialect)];
  return {
    messages: msg.role === "assistant" ? [...plain, ...results] : [...results, ...plain],
    calls,
    hasProviderId: calls.some(({ providerId }) => providerId !== undefined),
  };
}

function plainMessage(msg: Msg, dialect: Dialect): ChatMessage {
  if (msg.role === "system") return { role: "system", content: textOf(msg) };
  if (msg.role === "assistant") return assistantMessage(msg, dialect);
  const parts = msg.content.filter((block) => isTextOrMedia(block)).map(contentPart);
  const isPlain = parts.length <= 1 && parts.every(({ type }) => type === "text");
  return { role: "user", content: isPlain ? textOf(msg) : parts };
}

function assistantMessage(msg: Msg, { sendReasoning, strictNames }: Dialect): ChatMessage {
  const content = msg.content.filter((block) => isTextOrMedia(block)).map(asText);
  const thinking = msg.content.filter((block) => block.type === "thinking");
  const reasoning = sendReasoning ? thinking.map((block) => block.thinking).join("\n") : "";
  const field = thinking.some(({ opaque }) => objectOf(opaque)?.["field"] === "reasoning")
    ? "reasoning"
    : "reasoning_content";
  const calls = msg.content.filter((block) => block.type === "tool_use");
  return {
    role: "assistant",
    content: content.join("\n"),
    ...(reasoning !== "" && { [field]: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls.map((call) => toolCall(call, strictNames)) }),
  };
}

function toolCall({ id, name, input, opaque }: ToolUseBlock, strictNames: boolean): ChatToolCall {
  const extra = objectOf(opaque)?.["extra_content"];
  return {
    id,
    type: "function",
    function: { name: wireName(name, strictNames), arguments: JSON.stringify(input) },
    ...(extra !== undefined && { extra_content: extra }),
  };
}

/** A name that the server takes: a model may have made up one that would be refused in every later request. */
function wireName(name: string, strictNames: boolean): string {
  if (name === "") return "unknown";
  return strictNames ? name.replace(/[^\w-]/g, "_").slice(0, 64) : name;
}

function toolMessage(result: ToolResultBlock, { toolMedia }: Dialect): ChatMessage {
  const isText = result.output.every(({ type }) => type === "text");
  const asParts = toolMedia === "parts" && !isText;
  const content = asParts ? result.output.map(contentPart) : result.output.map(asText).join("\n");
  return { role: "tool", tool_call_id: result.id, content: isText ? resultText(result) : content };
}

function isTextOrMedia(block: Msg["content"][number]): block is TextBlock | MediaBlock {
  return block.type !== "thinking" && block.type !== "tool_use" && block.type !== "tool_result";
}

function asText(block: TextBlock | MediaBlock): string {
  if (block.type === "text") return block.text;
  const { type, source } = block;
  if (source.type === "url") return `The returned ${type} can be found at: ${source.url}`;
  return `[${type}, ${source.mediaType}: not shown]`;
}

function contentPart(block: TextBlock | MediaBlock): ChatContentPart {
  if (block.type === "text") return { type: "text", text: block.text };
  if (block.type === "audio") return { type: "input_audio", input_audio: audioOf(block) };
  const url = urlOf(block);
  return block.type === "image"
    ? { type: "image_url", image_url: { url } }
    : { type: "video_url", video_url: { url } };
}

function urlOf({ source }: MediaBlock): string {
  return source.type === "url" ? source.url : `data:${source.mediaType};base64,${source.data}`;
}

function audioOf({ source }: MediaBlock): { readonly data: string; readonly format: string } {
  if (source.type === "url")
    return { data: source.url, format: /\.(\w+)(?:[?#]|$)/.exec(source.url)?.[1] ?? "wav" };
  const subtype = source.mediaType.replace(/^audio\/(x-)?/, "").replace(/;.*$/, "");
  return { data: source.data, format: subtype === "mpeg" ? "mp3" : subtype };
}

function objectOf(value: Json | undefined): JsonObject | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : undefined;
}

/** Call id → wire id, for the calls whose provider id no other call has. */
function wireIdsOf(calls: readonly ToolUseBlock[]): ReadonlyMap<string, string> {
  const claimed = new Set(calls.map(({ id }) => id));
  const wireIds = new Map<string, string>();
  for (const { id, providerId } of calls) {
    if (providerId === undefined || claimed.has(providerId)) continue;
    claimed.add(providerId);
    wireIds.set(id, providerId);
  }
  return wireIds;
}

function withIds(message: ChatMessage, wireIds: ReadonlyMap<string, string>): ChatMessage {
  if (message.role === "tool") {
    const id = wireIds.get(message.tool_call_id);
    return id === undefined ? message : { ...message, tool_call_id: id };
  }
  if (message.role !== "assistant" || !message.tool_calls) return message;
  return {
    ...message,
    tool_calls: message.tool_calls.map((call) => ({ ...call, id: wireIds.get(call.id) ?? call.id })),
  };
}

import { isObject } from "../../base/is-object.ts";
import { textOf } from "../../message/query.ts";
import type { Json, JsonObject } from "../../base/json.ts";
import type {
  MediaBlock,
  Msg,
  TextBlock,
  ThinkingBlock,
  ToolResultBlock,
  ToolUseBlock,
} from "../../message/types.ts";
import type { ChatDialect } from "./dialect.ts";
import { mergeConversations } from "./merge-conversations.ts";
import type { ChatContentPart, ChatMessage, ChatToolCall } from "./wire.ts";

/** `chat`: each message for itself. `multiAgent`: where several agents speak, what users and agents say in a row is one user
 *  message that names the speaker of each part (AgentScope's `OpenAIMultiAgentFormatter`), without their thinking. A message with
 *  `_bypass_multiagent_history_merge: true` in its metadata stays one of its own. */
export type ChatFormatter = "chat" | "multiAgent";

/** How messages are converted. Default: each for itself, thinking goes back, media in tool results are content parts, tool
 *  names are kept, and speakers are named. */
export type ToChatMessagesOptions = Partial<
  Pick<ChatDialect, "sendReasoning" | "toolMedia" | "strictNames" | "sendNames">
> & { readonly formatter?: ChatFormatter };

type WireForm = {
  readonly messages: readonly ChatMessage[];
  readonly calls: readonly ToolUseBlock[];
  readonly hasProviderId: boolean;
};

/** A converted list, and where in `wire` each of its messages ends. */
type Conversion = {
  readonly messages: readonly Msg[];
  readonly wire: readonly ChatMessage[];
  readonly ends: readonly number[];
  readonly hasProviderId: boolean;
};

type Cache = {
  readonly forms: WeakMap<Msg, WireForm>;
  /** The last conversion of each session, by the first message that is its own. */
  readonly last: WeakMap<Msg, Conversion>;
};
const caches = new Map<string, Cache>();

/**
 * The messages of a Chat Completions request for these messages. Pure and total; the wire form of each message object
 * is computed once and shared, so do not change what comes back.
 *
 * O1 One wire message per tool result, whatever the message held (F21).
 * O2 An assistant message always has `content` (S22), and its arguments are always JSON objects (S17).
 * O3 A call goes under its provider's id if no other call here has that id, else under ours; its result likewise.
 */
export function toChatMessages(given: readonly Msg[], options: ToChatMessagesOptions = {}): ChatMessage[] {
  const { sendReasoning = true, toolMedia = "parts", strictNames = false, sendNames = true } = options;
  const dialect = { sendReasoning, toolMedia, strictNames, sendNames };
  const messages = options.formatter === "multiAgent" ? mergeConversations(given) : given;
  const { forms, last } = cacheOf(`${sendReasoning} ${toolMedia} ${strictNames} ${sendNames}`);
  const key = messages.find(({ role }) => role !== "system");
  const formOf = (msg: Msg): WireForm => {
    let form = forms.get(msg);
    if (!form) forms.set(msg, (form = wireFormOf(msg, dialect)));
    return form;
  };
  const converted = convert(messages, key && last.get(key), formOf);
  if (key) last.set(key, converted);
  if (!converted.hasProviderId) return [...converted.wire];
  const wireIds = wireIdsOf(messages.flatMap((msg) => formOf(msg).calls));
  return converted.wire.map((message) => withIds(message, wireIds));
}

/** A request mostly repeats the one before it and adds a little: what both begin with is taken over as it is. */
function convert(
  messages: readonly Msg[],
  before: Conversion | undefined,
  formOf: (msg: Msg) => WireForm,
): Conversion {
  const same = before ? commonPrefix(before.messages, messages) : 0;
  const wire = before?.wire.slice(0, before.ends[same - 1] ?? 0) ?? [];
  const ends = before?.ends.slice(0, same) ?? [];
  let hasProviderId = before?.hasProviderId ?? false;
  for (const msg of messages.slice(same)) {
    const form = formOf(msg);
    wire.push(...form.messages);
    ends.push(wire.length);
    hasProviderId ||= form.hasProviderId;
  }
  return { messages, wire, ends, hasProviderId };
}

function commonPrefix(one: readonly Msg[], other: readonly Msg[]): number {
  const end = Math.min(one.length, other.length);
  let same = 0;
  while (same < end && one[same] === other[same]) same++;
  return same;
}

function cacheOf(key: string): Cache {
  const cache = caches.get(key) ?? { forms: new WeakMap(), last: new WeakMap() };
  caches.set(key, cache);
  return cache;
}

type Dialect = Required<Omit<ToChatMessagesOptions, "formatter">>;

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
  return { role: "user", ...speaker(msg, dialect), content: isPlain ? textOf(msg) : parts };
}

/** Who speaks, in the characters that OpenAI takes. */
function speaker({ name, role }: Msg, { sendNames }: Dialect): { readonly name?: string } {
  return sendNames && name !== role && name !== "" ? { name: name.replace(/[^\w-]/g, "_").slice(0, 64) } : {};
}

function assistantMessage(msg: Msg, dialect: Dialect): ChatMessage {
  const { sendReasoning, strictNames } = dialect;
  const content = msg.content.filter((block) => isTextOrMedia(block)).map(asText);
  const thinking = msg.content.filter((block) => block.type === "thinking");
  const reasoning = sendReasoning ? thinking.map((block) => block.thinking).join("\n") : "";
  const field = thinking.some(({ opaque }) => objectOf(opaque)?.["field"] === "reasoning")
    ? "reasoning"
    : "reasoning_content";
  const details = sendReasoning ? thinking.flatMap(detailsOf) : [];
  const calls = msg.content.filter((block) => block.type === "tool_use");
  return {
    role: "assistant",
    ...speaker(msg, dialect),
    content: content.join("\n"),
    ...(reasoning !== "" && { [field]: reasoning }),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(calls.length > 0 && { tool_calls: calls.map((call) => toolCall(call, strictNames)) }),
  };
}

function detailsOf({ opaque }: ThinkingBlock): readonly Json[] {
  const details = objectOf(opaque)?.["reasoning_details"];
  return Array.isArray(details) ? details : [];
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

function toolMessage({ id, output }: ToolResultBlock, { toolMedia }: Dialect): ChatMessage {
  const isText = output.every(({ type }) => type === "text");
  const asParts = toolMedia === "parts" && !isText;
  const content = asParts ? output.map(contentPart) : listed(output.map(asText));
  return { role: "tool", tool_call_id: id, content };
}

/** Several outputs are told apart as a list; one stands as it is. */
function listed(texts: readonly string[]): string {
  return texts.length > 1 ? texts.map((text) => `- ${text}`).join("\n") : texts.join("");
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
  return isObject(value) ? value : undefined;
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

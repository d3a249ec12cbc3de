import { isObject } from "../../base/json.ts";
import * as s from "../../base/option-schema.ts";
import { check } from "../../base/options.ts";
import { isTextOrMedia, textOf, toolResultsOf, toolUsesOf } from "../../message/msg.ts";
import type { MediaBlock, Msg, TextBlock, ToolResultBlock, ToolUseBlock } from "../../message/types.ts";
import type { ChatDialect } from "./dialect.ts";
import { asText, audioOf, urlOf } from "./media.ts";
import { mergeConversations } from "./merge-conversations.ts";
import { ownData } from "./provider-data.ts";
import { BRIDGES, bridgeBetween, EMPTY_MESSAGE, isFree, withBridges, type WireRole } from "../bridges.ts";
import type { DialectName, HostRules } from "../host-rules.ts";
import { DIALECT_NAMES, HOSTS } from "../hosts.ts";
import type { Piece } from "../request.ts";
import { wireId, wireIdsOf, wireName } from "../wire-ids.ts";
import type { ChatAnswerPart, ChatContentPart, ChatMessage, ChatToolCall } from "./wire.ts";

/** `chat` (default) converts each message on its own. `multiAgent` is for conversations of several agents: consecutive messages of
 *  users and agents become one user message that names the speaker of each part and leaves out thinking, as AgentScope's
 *  `OpenAIMultiAgentFormatter` does. A message with `_bypass_multiagent_history_merge: true` in its metadata is not merged. */
export type ChatFormatter = "chat" | "multiAgent";

/** Options of {@link toChatMessages}. By default each message is converted on its own, thinking is sent back, media in tool results
 *  are content parts, tool names are kept, and speakers are named. */
export type ToChatMessagesOptions = Partial<
  Pick<
    ChatDialect,
    "sendReasoning" | "reasoningField" | "toolMedia" | "audioData" | "strictNames" | "sendNames"
  >
> & {
  readonly formatter?: ChatFormatter | undefined;
  /** Whose rules of ids and of the order of messages are kept. Default: `plain`, those that most hosts have. */
  readonly dialect?: DialectName | undefined;
};

/** The schemas of {@link ToChatMessagesOptions}. */
export const messageShape = s.lazily((): s.ShapeOf<ToChatMessagesOptions> => ({
  sendReasoning: s.optional(s.boolean()),
  reasoningField: s.optional(
    s.oneOf<ChatDialect["reasoningField"]>("reasoning_content", "reasoning", "content"),
  ),
  toolMedia: s.optional(s.oneOf("parts", "text")),
  audioData: s.optional(s.oneOf("base64", "url")),
  strictNames: s.optional(s.boolean()),
  sendNames: s.optional(s.boolean()),
  formatter: s.optional(s.oneOf("chat", "multiAgent")),
  dialect: s.optional(s.oneOf<DialectName>(...DIALECT_NAMES)),
}));

/** The schema of {@link ToChatMessagesOptions}. */
export const messagesSchema = s.lazily(() => s.options<ToChatMessagesOptions>(messageShape()));

type WireForm = {
  readonly messages: readonly ChatMessage[];
  readonly hasProviderId: boolean;
  /** The JSON of the messages, without the brackets of a list, once it was asked for. */
  text?: string;
};

type Kept = Pick<ChatFormat, "forms" | "by">;

/** The cache of each dialect, since most messages of a request were in the request before. Without it, the tasks of `npm run bench` take 30
 *  % more CPU. */
const keptOf = new Map<string, Kept>();

/**
 * Converts messages into those of a Chat Completions request. A pure function; the results of many messages are cached for their
 * objects, so do not change them.
 *
 * O1 Each tool result becomes one wire message, also if a message has several (F21).
 * O2 An assistant message always has `content` (S22), and its arguments are always JSON objects (S17).
 * O3 A call has its provider's id if no other call here has that id, else ours, and its result has the same id. An id that the host
 *    does not take is replaced by one that is made of it.
 * O4 Where the host takes no message of this role, a short one stands before it; what it takes at no place is left out.
 *
 * @example
 * ```ts
 * import { userMsg } from "agentchart";
 * import { toChatMessages } from "agentchart/openai";
 *
 * console.log(toChatMessages([userMsg("Hello!")])); // [{ role: "user", content: "Hello!" }]
 * ```
 */
export function toChatMessages(
  transcript: readonly Msg[],
  options: ToChatMessagesOptions = {},
): ChatMessage[] {
  check(messagesSchema(), options, "toChatMessages");
  return chatMessagesOf(transcript, chatFormatOf(options));
}

/** The number of messages from which on what is made of them is cached. The few of a short conversation are made again sooner, since what a
 *  weak map retains outlives the collections of young objects. */
export const KEEP_FROM = 12;

/** The format into which messages are converted, with what was converted before. */
export type ChatFormat = {
  readonly formatter: ChatFormatter;
  readonly dialect: Dialect;
  /** The wire form of each message. */
  readonly forms: WeakMap<Msg, WireForm>;
  /** Names what is made of messages in this dialect. */
  readonly by: symbol;
};

/** Returns the format of options that were checked before. Data that other servers than `host` want back is left out; without `host`,
 *  none is. */
export function chatFormatOf(
  {
    formatter = "chat",
    sendReasoning = true,
    reasoningField = "reasoning_content",
    toolMedia = "parts",
    audioData = "base64",
    strictNames = false,
    sendNames = true,
    dialect: name = "plain",
  }: ToChatMessagesOptions,
  host?: string,
): ChatFormat {
  const fields = { sendReasoning, reasoningField, toolMedia, audioData, strictNames, sendNames };
  const dialect = { ...fields, name, host };
  return { formatter, dialect, ...keptFor(JSON.stringify(dialect)) };
}

/** As {@link toChatMessages}, in a format. */
export function chatMessagesOf(
  transcript: readonly Msg[],
  { formatter, dialect, forms }: ChatFormat,
): ChatMessage[] {
  const messages = formatter === "multiAgent" ? mergeConversations(transcript) : transcript;
  const wire: ChatMessage[] = [];
  let hasProviderId = false;
  const areFew = messages.length < KEEP_FROM;
  for (const msg of messages) {
    let form = areFew ? wireFormOf(msg, dialect) : forms.get(msg);
    if (!form) forms.set(msg, (form = wireFormOf(msg, dialect)));
    for (const message of form.messages) wire.push(message);
    hasProviderId ||= form.hasProviderId;
  }
  const { ids, order } = HOSTS[dialect.name];
  const whole = withBridges(wire, order, bridge, true);
  if (!hasProviderId) return [...whole];
  const wireIds = wireIdsOf(messages.flatMap(toolUsesOf));
  const byWireId = new Map(Array.from(wireIds, ([id, other]) => [wireId(id, ids), wireId(other, ids)]));
  return whole.map((message) => withIds(message, byWireId));
}

/** The message that stands between two others. */
const bridge = (role: keyof typeof BRIDGES): ChatMessage => ({ role, content: BRIDGES[role] });
const BRIDGE_TEXTS = {
  user: JSON.stringify(bridge("user")),
  assistant: JSON.stringify(bridge("assistant")),
} as const;

function keptFor(dialect: string): Kept {
  let kept = keptOf.get(dialect);
  if (!kept) keptOf.set(dialect, (kept = { forms: new WeakMap(), by: Symbol("wire form") }));
  return kept;
}

/** The JSON of some messages, without the brackets of a list, with the roles at both ends; without them if there is no message. */
export type PieceText = { readonly text: string; readonly first?: WireRole; readonly last?: WireRole };

/** Returns the JSON of a piece of a request; null if it depends on other pieces. The messages of a piece that stays are cached as one
 *  text. */
export function textOfPiece({ messages, known }: Piece, { dialect, forms }: ChatFormat): PieceText | null {
  const texts: PieceText[] = [];
  for (const msg of messages) {
    let form = forms.get(msg);
    if (!form) forms.set(msg, (form = wireFormOf(msg, dialect)));
    if (form.hasProviderId) return null;
    form.text ??= form.messages.map((message) => JSON.stringify(message)).join(",");
    if (form.text === "") continue;
    texts.push({ text: form.text, first: form.messages[0]!.role, last: form.messages.at(-1)!.role });
  }
  if (known) for (const msg of messages) forms.delete(msg);
  return joined(texts, dialect, false);
}

/** Returns the JSON of all pieces of a request. */
export function textOfPieces(pieces: readonly PieceText[], { dialect }: ChatFormat): string {
  const texts = pieces.filter(({ text }) => text !== "");
  return joined(texts, dialect, true).text;
}

/** Joins texts, with the messages that must stand between them; with `isWhole`, also at both ends. */
function joined(texts: readonly PieceText[], { name }: Dialect, isWhole: boolean): PieceText {
  const { order } = HOSTS[name];
  const [start, end] = [texts[0], texts.at(-1)];
  const ends = { ...(start?.first && { first: start.first }), ...(end?.last && { last: end.last }) };
  if (isFree(order)) return { text: texts.map(({ text }) => text).join(","), ...ends };
  const all: string[] = [];
  for (let at = 0; at <= texts.length; at++) {
    const isEnd = at === 0 || at === texts.length;
    const role = isEnd && !isWhole ? undefined : bridgeBetween(texts[at - 1]?.last, texts[at]?.first, order);
    if (role) all.push(BRIDGE_TEXTS[role]);
    if (at < texts.length) all.push(texts[at]!.text);
  }
  return { text: all.join(","), ...ends };
}

type Dialect = Required<Omit<ToChatMessagesOptions, "formatter" | "dialect">> & {
  readonly name: DialectName;
  readonly host: string | undefined;
};

const rulesOf = ({ name }: Dialect): HostRules => HOSTS[name];

function wireFormOf(msg: Msg, dialect: Dialect): WireForm {
  const results = toolResultsOf(msg).map((block) => toolMessage(block, dialect));
  const isOnlyResults = msg.role === "tool" || (results.length > 0 && results.length === msg.content.length);
  const plain = isOnlyResults ? [] : [plainMessage(msg, dialect)];
  const said = plain.filter((message) => !isLeftOut(message, dialect));
  const messages = msg.role === "assistant" ? [...said, ...results] : [...results, ...said];
  return {
    messages: withBridges(messages, rulesOf(dialect).order, bridge, false),
    hasProviderId: toolUsesOf(msg).some(({ providerId }) => providerId !== undefined),
  };
}

/** True for an answer that says and asks nothing, of a host that refuses it. */
function isLeftOut(message: ChatMessage, dialect: Dialect): boolean {
  if (message.role !== "assistant" || rulesOf(dialect).order.emptyTexts) return false;
  const { content } = message;
  return (typeof content === "string" ? content.trim() : content).length === 0 && !message.tool_calls;
}

function plainMessage(msg: Msg, dialect: Dialect): ChatMessage {
  if (msg.role === "system") return { role: "system", content: textOf(msg) };
  if (msg.role === "assistant") return assistantMessage(msg, dialect);
  const parts = msg.content.filter(isTextOrMedia).map((block) => contentPart(block, dialect));
  const isPlain = parts.length <= 1 && parts.every(({ type }) => type === "text");
  const said = isPlain ? textOf(msg) : parts;
  const isEmpty = typeof said === "string" && said.trim() === "" && !rulesOf(dialect).order.emptyTexts;
  return { role: "user", ...speaker(msg, dialect), content: isEmpty ? EMPTY_MESSAGE : said };
}

/** The name of the speaker, with the characters that OpenAI accepts. */
function speaker({ name, role }: Msg, { sendNames }: Dialect): { readonly name?: string } {
  return sendNames && name !== role && name !== "" ? { name: name.replace(/[^\w-]/g, "_").slice(0, 64) } : {};
}

function assistantMessage(msg: Msg, dialect: Dialect): ChatMessage {
  const calls = toolUsesOf(msg);
  const said = { role: "assistant", ...speaker(msg, dialect), ...contentOf(msg, dialect) } as const;
  if (calls.length === 0) return said;
  return {
    ...said,
    ...neededThinking(said, dialect),
    tool_calls: calls.map((call) => toolCall(call, dialect)),
  };
}

/** The thinking of an answer with calls that has none, of a host that refuses such an answer: another model may have given it. */
function neededThinking(
  { reasoning_content: own }: AnswerFields,
  dialect: Dialect,
): { readonly reasoning_content?: string } {
  const isNeeded = own === undefined && dialect.sendReasoning && rulesOf(dialect).thinking.isNeeded;
  return isNeeded ? { reasoning_content: " " } : {};
}

type AnswerFields = Pick<
  Extract<ChatMessage, { role: "assistant" }>,
  "content" | "reasoning_content" | "reasoning" | "reasoning_details"
>;

/** The text of an answer and its thinking, in the form that the server takes. */
function contentOf({ content }: Msg, { sendReasoning, reasoningField, host }: Dialect): AnswerFields {
  const text = content.filter(isTextOrMedia).map(asText).join("\n");
  if (!sendReasoning) return { content: text };
  const thinking = content.filter((block) => block.type === "thinking");
  const own = thinking.map(({ opaque }) => ownData(opaque, host));
  const came = own.find((data) => data !== undefined);
  const field = came ? (came.field ?? "reasoning_content") : reasoningField;
  const parts = field === "content" || thinking.length === 0 ? answerParts(content, host) : undefined;
  if (parts) return { content: parts };
  const reasoning = thinking.map((block) => block.thinking).join("\n");
  const details = own.flatMap((data) =>
    Array.isArray(data?.reasoning_details) ? data.reasoning_details : [],
  );
  return {
    content: text,
    ...(reasoning !== "" && { [field]: reasoning }),
    ...(details.length > 0 && { reasoning_details: details }),
  };
}

/** The blocks of an answer as parts, in their order; undefined if all are text or media. */
function answerParts(content: Msg["content"], host: string | undefined): ChatAnswerPart[] | undefined {
  const parts = content.flatMap((block): ChatAnswerPart[] => {
    if (isTextOrMedia(block)) return [{ type: "text", text: asText(block) }];
    if (block.type === "thinking" && block.thinking !== "")
      return [{ type: "thinking", thinking: [{ type: "text", text: block.thinking }] }];
    const part = block.type === "provider" ? ownData(block.opaque, host)?.part : undefined;
    return isObject(part) ? [part] : [];
  });
  return parts.some(({ type }) => type !== "text") ? parts : undefined;
}

function toolCall({ id, name, input, opaque }: ToolUseBlock, dialect: Dialect): ChatToolCall {
  const { strictNames, host } = dialect;
  const { ids, tools } = rulesOf(dialect);
  const extra = ownData(opaque, host)?.extra_content;
  return {
    id: wireId(id, ids),
    type: "function",
    function: { name: wireName(name, strictNames, tools.names), arguments: JSON.stringify(input) },
    ...(extra !== undefined && { extra_content: extra }),
  };
}

function toolMessage({ id, output }: ToolResultBlock, dialect: Dialect): ChatMessage {
  const isText = output.every(({ type }) => type === "text");
  const asParts = dialect.toolMedia === "parts" && !isText;
  const content = asParts ? output.map((block) => contentPart(block, dialect)) : bulleted(output.map(asText));
  return { role: "tool", tool_call_id: wireId(id, rulesOf(dialect).ids), content };
}

/** Several outputs become a bulleted list; a single one stays as it is. */
function bulleted(texts: readonly string[]): string {
  return texts.length > 1 ? texts.map((text) => `- ${text}`).join("\n") : texts.join("");
}

function contentPart(block: TextBlock | MediaBlock, { audioData }: Dialect): ChatContentPart {
  if (block.type === "text") return { type: "text", text: block.text };
  if (block.type === "audio") return { type: "input_audio", input_audio: audioOf(block, audioData) };
  const url = urlOf(block);
  return block.type === "image"
    ? { type: "image_url", image_url: { url } }
    : { type: "video_url", video_url: { url } };
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

import { AgentError } from "../base/error.ts";
import type {
  Msg,
  Role,
  ToolResultState,
  Block,
  FinishReason,
  MediaBlock,
  TextBlock,
  ToolResultBlock,
  ToolUseBlock,
  Usage,
} from "./types.ts";
import { isObject, type Json } from "../base/json.ts";

function textMsg(role: Role, text: string, fields: Partial<Msg> | undefined): Msg {
  return {
    id: newId(),
    role,
    name: role,
    content: [{ type: "text", text }],
    metadata: {},
    timestamp: Date.now(),
    ...fields,
  };
}

/**
 * Returns a user message with one text block, a new UUID as its id, and the current time. `fields` replace any of these: give
 * `name` where several users speak, `content` for images, `metadata` for data of your own.
 *
 * @example
 * ```ts
 * import { userMsg } from "agentchart";
 *
 * const question = userMsg("How much is a ticket to Oslo?", { name: "ada", metadata: { ticket: 42 } });
 * ```
 */
export function userMsg(text: string, fields?: Partial<Msg>): Msg {
  return textMsg("user", text, fields);
}

/**
 * Returns an assistant message, otherwise as {@link userMsg}: for an initial transcript, or as a reply in tests and hooks.
 *
 * @example
 * ```ts
 * import { assistantMsg, userMsg } from "agentchart";
 *
 * const messages = [userMsg("Hello!"), assistantMsg("Hello, how can I help?")];
 * ```
 */
export function assistantMsg(text: string, fields?: Partial<Msg>): Msg {
  return textMsg("assistant", text, fields);
}

/**
 * Returns a system message, otherwise as {@link userMsg}: for requests to a model that you make yourself. An agent has its
 * system prompt in `sysPrompt`, and refuses system messages as input with `message/invalid`.
 *
 * @example
 * ```ts
 * import { systemMsg, userMsg } from "agentchart";
 *
 * const messages = [systemMsg("Answer in one sentence."), userMsg("What is a statechart?")];
 * ```
 */
export function systemMsg(text: string, fields?: Partial<Msg>): Msg {
  return textMsg("system", text, fields);
}

/**
 * Returns a tool message with one result for each open call: the input with which `call` resumes a turn that is suspended on
 * external tools. `state` defaults to `success`. Throws `message/invalid` if `results` is not an array.
 *
 * @example
 * ```ts
 * import { toolResultMsg, type Agent } from "agentchart";
 *
 * async function answerAll(agent: Agent, text: string) {
 *   const results = agent.status().pending.map(({ callId, name }) => ({ callId, name, text }));
 *   return agent.call(toolResultMsg(results));
 * }
 * ```
 */
export function toolResultMsg(
  results: readonly {
    readonly callId: string;
    readonly name: string;
    readonly text: string;
    readonly state?: ToolResultState | undefined;
  }[],
): Msg {
  if (!Array.isArray(results))
    throw new AgentError("message/invalid", "toolResultMsg takes an array of { callId, name, text }.");
  return {
    id: newId(),
    role: "tool",
    name: "tool",
    content: results.map(({ callId, name, text, state = "success" }) => ({
      type: "tool_result",
      id: callId,
      name,
      output: [{ type: "text", text }],
      state,
    })),
    metadata: {},
    timestamp: Date.now(),
  };
}

/** The bytes of 256 ids: to ask the platform for few costs as much as to ask for many. */
const random = new Uint8Array(4_096);
let used = random.length;

const DIGITS = new TextEncoder().encode("0123456789abcdef");
const text = new TextEncoder().encode("00000000-0000-4000-8000-000000000000");
/** Places of the two digits of each byte in the text. */
const PLACES = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];

/** Returns a random UUID (version 4) in one piece. `crypto.randomUUID` is not there in a page that came over plain HTTP; that of Node
 *  joins twenty strings, which take 600 bytes until somebody reads them. */
export function newId(): string {
  if (used === random.length) {
    crypto.getRandomValues(random);
    used = 0;
  }
  PLACES.forEach((place, index) => {
    const byte = versioned(random[used + index]!, index);
    text[place] = DIGITS[byte >> 4]!;
    text[place + 1] = DIGITS[byte & 15]!;
  });
  used += PLACES.length;
  return String.fromCharCode.apply(null, text as unknown as number[]);
}

/** The byte with the bits that say which version and variant of UUID it is. */
function versioned(byte: number, index: number): number {
  if (index === 6) return (byte & 0x0f) | 0x40;
  return index === 8 ? (byte & 0x3f) | 0x80 : byte;
}

/**
 * Returns the text blocks of a message, joined by newlines; "" if it has none. Thinking is not text.
 *
 * @example
 * ```ts
 * import { textOf, userMsg } from "agentchart";
 *
 * console.log(textOf(userMsg("Hello!"))); // Hello!
 * ```
 */
export function textOf(msg: Msg): string {
  return msg.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

/**
 * Returns the tool calls of a message, in the order in which the model asked for them; empty if it has none.
 *
 * @example
 * ```ts
 * import { defineHook, toolUsesOf } from "agentchart";
 *
 * const logCalls = defineHook({
 *   name: "log-calls",
 *   postReasoning: ({ message }) => {
 *     for (const { name, input } of toolUsesOf(message)) console.log(name, input);
 *   },
 * });
 * ```
 */
export function toolUsesOf(msg: Msg): ToolUseBlock[] {
  return msg.content.filter((block) => block.type === "tool_use");
}

/**
 * Returns the tool results of a message, in their order; empty if it has none.
 *
 * @example
 * ```ts
 * import { toolResultsOf, type Agent } from "agentchart";
 *
 * async function failedCalls(agent: Agent): Promise<string[]> {
 *   const results = (await agent.messages()).flatMap(toolResultsOf);
 *   return results.filter(({ state }) => state === "error").map(({ name }) => name);
 * }
 * ```
 */
export function toolResultsOf(msg: Msg): ToolResultBlock[] {
  return msg.content.filter((block) => block.type === "tool_result");
}

/** Returns true if a message has a block of this type. Makes no list and no function: it is asked of each message of a long history,
 *  and few have such a block. */
export function hasBlock({ content }: Msg, type: Block["type"]): boolean {
  for (let index = 0; index < content.length; index++) if (content[index]!.type === type) return true;
  return false;
}

/** True for an image, a sound or a film. */
export const isMediaBlock = (block: Block): block is MediaBlock =>
  block.type === "image" || block.type === "audio" || block.type === "video";

/** True for what a result can hold: text and media. */
export const isTextOrMedia = (block: Block): block is TextBlock | MediaBlock =>
  block.type === "text" || isMediaBlock(block);

/** Returns true if a user would see the block: text that is not blank, or media. */
export const isVisible = (block: Block): block is TextBlock | MediaBlock =>
  block.type === "text" ? block.text.trim() !== "" : isMediaBlock(block);

/** Returns true if a user would see something. */
export const hasVisibleContent = (content: readonly Block[]): boolean => content.some(isVisible);

/** Returns the reason for which the model ended a message of its; undefined for a message that is not of a model. */
export function finishReasonOf(message: Msg): FinishReason | undefined {
  if (message.role !== "assistant" || !message.usage) return undefined;
  return message.finishReason ?? (toolUsesOf(message).length > 0 ? "tool_calls" : "stop");
}

/** Adds two usages. A count that neither has stays unknown; a cost is known only if both are. */
export function addUsage(total: Usage, usage: Usage | undefined): Usage {
  if (!usage) return total;
  if (Object.keys(total).length === 0) return usage;
  const sum: { -readonly [K in keyof Usage]: number | boolean } = { ...total };
  for (const key of [
    "inputTokens",
    "outputTokens",
    "cachedInputTokens",
    "cacheWriteTokens",
    "reasoningTokens",
    "durationMs",
  ] as const) {
    const added = usage[key];
    if (added !== undefined) sum[key] = (total[key] ?? 0) + added;
  }
  if (total.cost !== undefined && usage.cost !== undefined) sum.cost = total.cost + usage.cost;
  else delete sum.cost;
  if (usage.estimated) sum.estimated = true;
  return sum as Usage;
}

/** The source on which an answer may rest. It is a passage of a document or a memory, because the model was shown it, or what its provider
 *  names, such as a page that it has found on the web. */
export type AnswerSource = {
  readonly kind: "knowledge" | "memory" | "provider";
  /** The id of the passage or of the memory in its store, or the id that the provider gave it. */
  readonly id: string;
  /** The document, such as a path or a URL; absent if it is not known. */
  readonly document?: string;
  /** The title of the document, if the provider says it. */
  readonly title?: string;
  /** The page of the document, from 1. */
  readonly page?: number;
  /** The time at which a memory was put last, epoch ms. */
  readonly at?: number;
  /** The relevance to what was searched for, from 0 to 1. */
  readonly score?: number;
};

/** The name of the field of `metadata` that holds the sources of a message or of a result. */
export const SOURCES = "sources";

const KINDS: ReadonlySet<unknown> = new Set<AnswerSource["kind"]>(["knowledge", "memory", "provider"]);

function isSource(value: unknown): value is AnswerSource {
  if (!isObject(value)) return false;
  const { kind, id, document = "", title = "", page = 1, at = 0, score = 0 } = value as Partial<AnswerSource>;
  const isText = [id, document, title].every((text) => typeof text === "string");
  return KINDS.has(kind) && isText && [page, at, score].every((each) => Number.isFinite(each));
}

const NONE: readonly AnswerSource[] = [];

/** Providers count again in each answer: what they name is the same if its document is. */
const keyOf = ({ kind, id, document }: AnswerSource): string =>
  `${kind} ${kind === "provider" ? (document ?? id) : id}`;

const listIn = (metadata: { readonly [name: string]: unknown } | undefined): readonly AnswerSource[] => {
  const found = metadata?.[SOURCES];
  return Array.isArray(found) ? found.filter(isSource) : NONE;
};

/** Returns the `metadata` of what shows these sources to a model; empty for none. */
export const sourceMetadata = (sources: readonly AnswerSource[]): { readonly [SOURCES]?: Json } =>
  sources.length > 0 ? { [SOURCES]: sources as unknown as Json } : {};

/**
 * Returns what messages say that answers may rest on, each source once, in the order in which the model was shown them. Of a whole turn it
 * is `reply.sources`. A hook or a tool of your own names sources by `metadata: { sources: [{ kind, id }] }` on its message or its result.
 *
 * @example
 * ```ts
 * import { sourcesOf, type Agent } from "agentchart";
 *
 * export async function documentsOf(agent: Agent): Promise<readonly string[]> {
 *   return sourcesOf(await agent.messages()).flatMap(({ document }) => document ?? []);
 * }
 * ```
 */
export function sourcesOf(messages: readonly Msg[]): readonly AnswerSource[] {
  const all: AnswerSource[] = [];
  for (const { metadata, content } of messages) {
    all.push(...listIn(metadata));
    for (const block of content) if (block.type === "tool_result") all.push(...listIn(block.metadata));
  }
  if (all.length < 2) return all; // most turns have none
  const first = new Map<string, AnswerSource>();
  for (const source of all) if (!first.has(keyOf(source))) first.set(keyOf(source), source);
  return [...first.values()];
}

/** Returns those of the sources that the messages do not name. */
export function newSources(
  sources: readonly AnswerSource[],
  messages: readonly Msg[],
): readonly AnswerSource[] {
  if (sources.length === 0) return sources;
  const known = new Set(sourcesOf(messages).map(keyOf));
  return sources.filter((source) => !known.has(keyOf(source)));
}

const DAY = "0000-00-00".length;

/** Returns what people call a source: its title, its document with the page, or the day of a memory. */
export function sourceTitle({ kind, document, title, page, at }: AnswerSource): string {
  if (title !== undefined) return title;
  if (document !== undefined) return page === undefined ? document : `${document}, page ${page}`;
  if (kind === "knowledge") return "Knowledge";
  if (kind === "provider") return "Source";
  const isDate = at !== undefined && !Number.isNaN(new Date(at).getTime());
  return isDate ? `Memory of ${new Date(at).toISOString().slice(0, DAY)}` : "Memory";
}

import type { JsonObject } from "../../base/json.ts";
import { isMediaBlock, toolUsesOf, textOf } from "../../message/msg.ts";
import {
  BYPASS_KEY,
  type Block,
  type MediaBlock,
  type Msg,
  type ToolResultBlock,
} from "../../message/types.ts";
import { BRIDGES, EMPTY_MESSAGE, withBridges } from "../bridges.ts";
import type { DialectName, HostRules } from "../host-rules.ts";
import { HOSTS } from "../hosts.ts";
import { wireId, wireIdsOf, wireName } from "../wire-ids.ts";
import { ownData } from "./own-data.ts";
import type { ProviderMetadata, Version } from "./sdk-types.ts";

/** A message of the prompt. */
export type SdkMessage = {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string | readonly object[];
  readonly providerOptions?: ProviderMetadata;
};

type Target = {
  readonly version: Version;
  readonly provider: string;
  readonly rules: HostRules;
  /** The ids that the provider gave to its calls, in a form that it takes. */
  readonly idOf: (id: string) => string;
};

/**
 * Converts messages into the prompt of a language model.
 *
 * Data of a block goes back with the very part that it came on, and only to the provider that sent it. Thinking, media and other
 * parts of another provider's answers are left out, since many providers refuse them or show thinking as text.
 */
export function promptOf(
  messages: readonly Msg[],
  {
    version,
    provider,
    dialect,
  }: { readonly version: Version; readonly provider: string; readonly dialect: DialectName },
): SdkMessage[] {
  const ids = wireIdsOf(messages.flatMap(toolUsesOf));
  const rules = HOSTS[dialect];
  const target: Target = { version, provider, rules, idOf: (id) => wireId(ids.get(id) ?? id, rules.ids) };
  return withJoinedResults(messages.flatMap((message) => messagesOf(message, target)));
}

/** Puts the results of one answer into one message, as the AI SDK does: Gemini wants them together. */
function withJoinedResults(prompt: readonly SdkMessage[]): SdkMessage[] {
  const all: SdkMessage[] = [];
  for (const message of prompt) {
    const last = all.at(-1);
    if (message.role === "tool" && last?.role === "tool")
      all[all.length - 1] = {
        ...last,
        content: [...(last.content as object[]), ...(message.content as object[])],
      };
    else all.push(message);
  }
  return all;
}

/** Returns the prompt with the messages that must stand between those of others. */
export function withBridgesFor(prompt: readonly SdkMessage[], dialect: DialectName): readonly SdkMessage[] {
  const make = (role: keyof typeof BRIDGES): SdkMessage => ({
    role,
    content: [{ type: "text", text: BRIDGES[role] }],
  });
  return withBridges(prompt, HOSTS[dialect].order, make, true);
}

/** Marks the system message and the last message that stays, as Anthropic's cache needs it. */
export function withCacheMarks(prompt: readonly SdkMessage[], messages: readonly Msg[]): SdkMessage[] {
  const passing =
    messages.length - 1 - messages.findLastIndex(({ metadata }) => metadata[BYPASS_KEY] !== true);
  const last = prompt.length - 1 - passing;
  const mark = { anthropic: { cacheControl: { type: "ephemeral" } } };
  return prompt.map((message, index) =>
    message.role === "system" || index === last ? { ...message, providerOptions: mark } : message,
  );
}

function messagesOf(message: Msg, target: Target): SdkMessage[] {
  const { role, content } = message;
  if (role === "system") return [{ role, content: textOf(message) }];
  const results = content.flatMap((block) =>
    block.type === "tool_result" ? [resultPart(block, target)] : [],
  );
  const answered: SdkMessage[] = results.length > 0 ? [{ role: "tool", content: results }] : [];
  const parts = content
    .filter((block) => !isLeftOut(block, target))
    .flatMap((block) => (role === "assistant" ? answerPart(block, target) : userPart(block, target)));
  if (role === "tool" || (parts.length === 0 && (results.length > 0 || role === "assistant")))
    return answered;
  if (parts.length === 0) parts.push({ type: "text", text: EMPTY_MESSAGE });
  if (lacksThinking(parts, target)) parts.unshift({ type: "reasoning", text: " " });
  const said: SdkMessage = { role, content: parts };
  return role === "assistant" ? [said, ...answered] : [...answered, said];
}

/** True for an answer with calls and without thinking, of a provider that refuses it: another model may have given it. */
function lacksThinking(parts: readonly object[], { rules }: Target): boolean {
  const has = (type: string): boolean =>
    parts.some((part) => (part as { readonly type: string }).type === type);
  return rules.thinking.isNeeded && has("tool-call") && !has("reasoning");
}

/** True for a text without a character that can be seen, of a provider that refuses it. One that carries data of the provider stays. */
function isLeftOut(block: Block, { rules, provider }: Target): boolean {
  if (block.type !== "text" || rules.order.emptyTexts || block.text.trim() !== "") return false;
  return ownData(block.opaque, provider)?.metadata === undefined;
}

function userPart(block: Block, { version }: Target): object[] {
  if (block.type === "text") return [{ type: "text", text: block.text }];
  return isMediaBlock(block) ? [filePart(block, version)] : [];
}

function answerPart(block: Block, { version, provider, rules, idOf }: Target): object[] {
  if (block.type === "tool_result") return [];
  const data = ownData(block.opaque, provider);
  const options = data?.metadata && { providerOptions: data.metadata };
  switch (block.type) {
    case "text":
      return [{ type: "text", text: block.text, ...options }];
    case "thinking":
      return data ? [{ type: "reasoning", text: block.thinking, ...options }] : [];
    case "tool_use": {
      const { id, input } = block;
      const toolName = wireName(block.name, true, rules.tools.names);
      return [{ type: "tool-call", toolCallId: idOf(id), toolName, input, ...options }];
    }
    case "provider":
      return data?.part ? [wholePart(data.part, version)] : [];
    default:
      return data ? [{ ...filePart(block, version), ...options }] : [];
  }
}

/** A stored part, with its bytes in the form of this version. */
function wholePart(part: JsonObject, version: Version): object {
  const { data } = part;
  return typeof data === "string" && version === "v4" ? { ...part, data: { type: "data", data } } : part;
}

function filePart({ type, source }: MediaBlock, version: Version): object {
  const mediaType = source.type === "base64" ? source.mediaType : `${type}/*`;
  if (version === "v4") return { type: "file", mediaType, data: dataOf(source) };
  return { type: "file", mediaType, data: source.type === "base64" ? source.data : new URL(source.url) };
}

function dataOf(source: MediaBlock["source"]): object {
  return source.type === "base64"
    ? { type: "data", data: source.data }
    : { type: "url", url: new URL(source.url) };
}

function resultPart(block: ToolResultBlock, { version, rules, idOf }: Target): object {
  return {
    type: "tool-result",
    toolCallId: idOf(block.id),
    toolName: wireName(block.name, true, rules.tools.names),
    output: outputOf(block, version),
  };
}

function outputOf({ output, state }: ToolResultBlock, version: Version): object {
  const texts = output.flatMap((block) => (block.type === "text" ? [block.text] : []));
  const text = texts.join("\n");
  if (state === "denied" && version !== "v2") return { type: "execution-denied", reason: text };
  if (state !== "success")
    return { type: "error-text", value: text || `The call was not successful (${state}).` };
  if (texts.length === output.length && texts.length <= 1) return { type: "text", value: text };
  return {
    type: "content",
    value: output.map((block) =>
      block.type === "text" ? { type: "text", text: block.text } : resultFile(block, version),
    ),
  };
}

function resultFile(block: MediaBlock, version: Version): object {
  const { type, source } = block;
  if (version === "v4") return filePart(block, version);
  if (source.type === "base64") {
    const { data, mediaType } = source;
    if (version === "v2") return { type: "media", data, mediaType };
    return { type: type === "image" ? "image-data" : "file-data", data, mediaType };
  }
  if (version === "v2") return { type: "text", text: `The returned ${type} can be found at: ${source.url}` };
  return { type: type === "image" ? "image-url" : "file-url", url: source.url };
}

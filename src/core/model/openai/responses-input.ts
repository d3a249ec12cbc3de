import { isTextOrMedia, textOf, toolUsesOf } from "../../message/msg.ts";
import type {
  Block,
  MediaBlock,
  Msg,
  TextBlock,
  ToolResultBlock,
  ToolUseBlock,
} from "../../message/types.ts";
import { EMPTY_MESSAGE } from "../bridges.ts";
import { asText, audioOf, urlOf } from "./media.ts";
import { mergeConversations } from "./merge-conversations.ts";
import { responsesData } from "./responses-data.ts";
import type { InputItem, InputPart, OutputPart } from "./responses-wire.ts";
import type { ToChatMessagesOptions } from "./to-chat-messages.ts";
import type { DialectName, IdRule } from "../host-rules.ts";
import { HOSTS } from "../hosts.ts";
import { wireId, wireIdsOf, wireName } from "../wire-ids.ts";

type InputOptions = Pick<ToChatMessagesOptions, "formatter" | "strictNames"> & {
  readonly host: string | undefined;
  readonly dialect?: DialectName | undefined;
};
type Assistant = {
  readonly host: string | undefined;
  readonly strictNames: boolean;
  readonly keepsIds: boolean;
};

/**
 * Converts messages into the input of a Responses request.
 *
 * Blocks that one item of an answer was cut into become one item again, and items of built-in tools go back as they came. What
 * comes before the last compacted conversation is left out, but not the system message: the server has it in there. Thinking of
 * other servers is left out.
 */
export function inputItemsOf(transcript: readonly Msg[], options: InputOptions): InputItem[] {
  const { host, strictNames = false } = options;
  const messages = options.formatter === "multiAgent" ? mergeConversations(transcript) : transcript;
  const ids = wireIdsOf(messages.flatMap(toolUsesOf));
  const rule = idRuleOf(options.dialect ?? "plain");
  const idOf = (id: string): string => wireId(ids.get(id) ?? id, rule);
  const items = messages.flatMap((msg) => itemsOf(msg, { host, strictNames }, idOf));
  const from = items.findLastIndex((item) => "type" in item && item["type"] === "compaction");
  if (from <= 0) return items;
  return items.filter((item, index) => index >= from || ("role" in item && item["role"] === "system"));
}

/** The ids of Responses may be longer than those of Chat Completions. */
function idRuleOf(dialect: DialectName): IdRule {
  const { ids } = HOSTS[dialect];
  return ids.most === undefined ? ids : { ...ids, most: Math.max(ids.most, 64) };
}

type IdOf = (id: string) => string;

function itemsOf(msg: Msg, options: Omit<Assistant, "keepsIds">, idOf: IdOf): InputItem[] {
  if (msg.role === "system") return [{ role: "system", content: textOf(msg) }];
  const results = msg.content.flatMap((block) =>
    block.type === "tool_result" ? [resultOf(block, idOf)] : [],
  );
  if (msg.role === "assistant") return [...answerItems(msg.content, options, idOf), ...results];
  const parts = msg.content.filter(isTextOrMedia).map(partOf);
  if (msg.role === "tool" || (parts.length === 0 && results.length > 0)) return results;
  const [first] = parts;
  const isText = parts.length === 1 && first?.type === "input_text";
  const text = isText ? first.text : EMPTY_MESSAGE;
  return [...results, { role: "user", content: isText || parts.length === 0 ? text : parts }];
}

function partOf(block: TextBlock | MediaBlock): InputPart {
  if (block.type === "text") return { type: "input_text", text: block.text };
  if (block.type === "image") return { type: "input_image", detail: "auto", image_url: urlOf(block) };
  if (block.type === "audio") return { type: "input_audio", input_audio: audioOf(block) };
  return { type: "input_text", text: asText(block) };
}

function resultOf({ id, output }: ToolResultBlock, idOf: IdOf): InputItem {
  const isText = output.every(({ type }) => type === "text");
  const text =
    output.length === 1 ? asText(output[0]!) : output.map((block) => `- ${asText(block)}`).join("\n");
  return { type: "function_call_output", call_id: idOf(id), output: isText ? text : output.map(partOf) };
}

/** Ids of messages and calls go back only beside the thinking of their answer: the server refuses one without the other. */
function answerItems(
  content: readonly Block[],
  { host, strictNames }: Omit<Assistant, "keepsIds">,
  idOf: IdOf,
): InputItem[] {
  const keepsIds = content.some(
    (block) => block.type === "thinking" && responsesData(block.opaque, host)?.item !== undefined,
  );
  const items: InputItem[] = [];
  for (let at = 0; at < content.length; at++) {
    const block = content[at]!;
    if (block.type === "tool_use") items.push(callOf(block, { host, strictNames, keepsIds }, idOf));
    else if (block.type === "thinking" || isTextOrMedia(block) || block.type === "provider") {
      const group = groupAt(content, at, host);
      at += group.length - 1;
      items.push(...itemOf(group, { host, strictNames, keepsIds }));
    }
  }
  return items;
}

/** The block at this place, with those after it that are parts of the same item. */
function groupAt(content: readonly Block[], at: number, host: string | undefined): readonly Block[] {
  const first = content[at]!;
  if (first.type !== "text" && first.type !== "thinking") return [first];
  const item = responsesData(first.opaque, host)?.item;
  const isOther = (block: Block): boolean =>
    block.type !== first.type || responsesData(block.opaque, host)?.item !== item;
  const rest = content.slice(at + 1);
  const other = rest.findIndex(isOther);
  return [first, ...(other < 0 ? rest : rest.slice(0, other))];
}

function itemOf(group: readonly Block[], { host, keepsIds }: Assistant): readonly InputItem[] {
  const [first] = group;
  if (first?.type === "provider") return wholeOf(first, host);
  if (first?.type === "thinking") return reasoningOf(group, host);
  if (first?.type === "image") {
    const whole = wholeOf(first, host);
    const { source } = first;
    if (whole.length > 0)
      return [{ ...whole[0]!, result: source.type === "base64" ? source.data : source.url }];
  }
  const data = responsesData((first as TextBlock).opaque, host);
  const parts = (group as readonly (TextBlock | MediaBlock)[]).map((block): OutputPart => {
    const text = asText(block);
    return responsesData(block.opaque, host)?.refusal
      ? { type: "refusal", refusal: text }
      : { type: "output_text", text, annotations: [] };
  });
  const { item, phase } = data ?? {};
  return [
    {
      type: "message",
      role: "assistant",
      ...(keepsIds && item !== undefined && { id: item }),
      ...(phase !== undefined && { phase }),
      status: "completed",
      content: parts,
    },
  ];
}

function wholeOf(
  { opaque }: { readonly opaque?: TextBlock["opaque"] },
  host: string | undefined,
): readonly InputItem[] {
  const whole = responsesData(opaque, host)?.whole;
  return whole ? [whole] : [];
}

function reasoningOf(group: readonly Block[], host: string | undefined): readonly InputItem[] {
  const parts = group.flatMap((block) => {
    const data = block.type === "thinking" ? responsesData(block.opaque, host) : undefined;
    return data?.item !== undefined && block.type === "thinking" ? [{ ...data, text: block.thinking }] : [];
  });
  const id = parts[0]?.item;
  if (id === undefined) return [];
  const textsOf = (kind: "summary" | "content") =>
    parts.filter(({ part, text }) => part === kind && text !== "").map(({ text }) => text);
  const content = textsOf("content").map((text) => ({ type: "reasoning_text", text }) as const);
  const encrypted = parts.findLast((part) => part.encrypted_content !== undefined)?.encrypted_content;
  return [
    {
      type: "reasoning",
      id,
      summary: textsOf("summary").map((text) => ({ type: "summary_text", text }) as const),
      ...(content.length > 0 && { content }),
      ...(encrypted !== undefined && { encrypted_content: encrypted }),
    },
  ];
}

function callOf(
  { id, name, input, opaque }: ToolUseBlock,
  { host, strictNames, keepsIds }: Assistant,
  idOf: IdOf,
): InputItem {
  const item = responsesData(opaque, host)?.item;
  return {
    type: "function_call",
    ...(keepsIds && item !== undefined && { id: item }),
    call_id: idOf(id),
    name: wireName(name, strictNames),
    arguments: JSON.stringify(input),
  };
}

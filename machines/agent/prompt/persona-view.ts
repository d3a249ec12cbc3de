import { freeze } from "../../../src/core/base/json.ts";
import type { Block, Msg, ToolResultBlock, ToolUseBlock } from "../../../src/core/message/types.ts";
import { resultText } from "./shown.ts";

/** The maximum length of the result of a call that is shown as text, in characters. */
const SHOWN = 2_000;

function callAsText({ name, input }: ToolUseBlock, result: ToolResultBlock | undefined): Block {
  const said = result ? resultText(result) : "";
  const short = said.length > SHOWN ? `${said.slice(0, SHOWN)} …` : said;
  return { type: "text", text: `[called ${name} ${JSON.stringify(input)}: ${short}]`.toWellFormed() };
}

/** Returns messages in which calls of tools that are not known are text of the message that asked for them. A model must not believe that
 *  it has these tools. Thinking that belongs to such calls is left out. */
export function seenAsText(messages: readonly Msg[], isKnown: (tool: string) => boolean): readonly Msg[] {
  const isForeign = (block: Block): block is ToolUseBlock =>
    block.type === "tool_use" && !isKnown(block.name);
  const foreign = new Set(messages.flatMap(({ content }) => content.filter(isForeign).map(({ id }) => id)));
  if (foreign.size === 0) return messages;
  const results = new Map(
    messages.flatMap(({ content }) =>
      content.flatMap((block) => (block.type === "tool_result" ? [[block.id, block] as const] : [])),
    ),
  );
  return messages.flatMap((message) => {
    const isRewritten = message.content.some(
      (block) => isForeign(block) || (block.type === "tool_result" && foreign.has(block.id)),
    );
    if (!isRewritten) return [message];
    const content = message.content.flatMap((block): Block[] => {
      if (block.type === "thinking") return [];
      if (block.type === "tool_result") return foreign.has(block.id) ? [] : [block];
      return [isForeign(block) ? callAsText(block, results.get(block.id)) : block];
    });
    return content.length > 0 ? [freeze<Msg>({ ...message, content })] : [];
  });
}

/** The maximum number of characters of a result in a request that holds the history as text. */
const RESULT_CHARACTERS = 2_000;

function shortResult(text: string): string {
  const short = text.length > RESULT_CHARACTERS ? `${text.slice(0, RESULT_CHARACTERS)}…` : text;
  return short.toWellFormed();
}

function blockAsText(block: Block): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "tool_use":
      return `[calls ${block.name}, id ${block.id}: ${JSON.stringify(block.input)}]`;
    case "tool_result":
      return `[result of ${block.name}, id ${block.id}, ${block.state}: ${shortResult(resultText(block))}]`;
    case "thinking":
      return "";
    default:
      return `[${block.type}]`;
  }
}

/** Returns messages as one text. No message can end it: the tags of the form are escaped. */
export function historyText(messages: readonly Msg[]): string {
  const lines = messages.map(({ role, name, content }) => {
    const text = content.map(blockAsText).filter((part) => part !== "");
    return `${role}${name === role ? "" : ` (${name})`}: ${text.join("\n")}`;
  });
  return lines.join("\n\n").replaceAll(/<(\/?)(history|summary)\b/gi, "&lt;$1$2");
}

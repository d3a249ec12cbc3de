import type { Block, Msg } from "../../src/message/types.ts";
import { resultText } from "./shown.ts";

/** How many characters of a result are in a request that holds the history as text. */
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

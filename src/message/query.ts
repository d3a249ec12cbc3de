import type { Block, Msg, ToolResultBlock, ToolUseBlock } from "./types.ts";

/** The text blocks of a message, joined by "\n"; "" if it has none. */
export function textOf(msg: Msg): string {
  return msg.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

/** The tool calls of a message, in the order asked. */
export function toolUsesOf(msg: Msg): ToolUseBlock[] {
  return msg.content.filter((block) => block.type === "tool_use");
}

/** The tool results of a message, in their order. */
export function toolResultsOf(msg: Msg): ToolResultBlock[] {
  return msg.content.filter((block) => block.type === "tool_result");
}

/** True if a person would see something: text that is not blank, or media. */
export function hasVisibleContent(content: readonly Block[]): boolean {
  return content.some(
    (block) =>
      (block.type === "text" && block.text.trim() !== "") ||
      block.type === "image" ||
      block.type === "audio" ||
      block.type === "video",
  );
}

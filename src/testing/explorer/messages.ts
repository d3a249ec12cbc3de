import type { Block, Msg, Role, ToolResultBlock, ToolUseBlock } from "../../core/message/types.ts";

/** An image that no provider need read. */
export const IMAGE: Block = { type: "image", source: { type: "url", url: "https://example.com/a.png" } };

/** Messages whose ids and times say all that matters, so that a path through the chart can be replayed. */
export function message(id: string, role: Role, content: readonly Block[]): Msg {
  return { id, role, name: role, content: [...content], metadata: {}, timestamp: 0 };
}

export const text = (words: string): Block => ({ type: "text", text: words });
export const thinking = (words: string): Block => ({ type: "thinking", thinking: words });
export const toolUse = (id: string): ToolUseBlock => ({ type: "tool_use", id, name: "tool", input: {} });

export function toolResult(
  id: string,
  words: string,
  state: ToolResultBlock["state"] = "success",
): ToolResultBlock {
  return { type: "tool_result", id, name: "tool", output: [{ type: "text", text: words }], state };
}

export const user = (id: string): Msg => message(id, "user", [text(id)]);
export const results = (id: string, callIds: readonly string[]): Msg =>
  message(
    id,
    "tool",
    callIds.map((callId) => toolResult(callId, `given by ${id}`)),
  );

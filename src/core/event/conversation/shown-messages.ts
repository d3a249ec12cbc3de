import type { Json } from "../../base/json.ts";
import { toolResultsOf } from "../../message/msg.ts";
import type { Msg, TextBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock } from "../../message/types.ts";
import { OUTPUT_TOOL } from "../../tool/reserved-names.ts";

/** True for what a user has said; reminders of the agent itself have a name of their own. */
export const isSaid = ({ role, name }: Msg): boolean => role === "user" && name !== "system";

/** The blocks of an answer that a page shows: text and thinking, and calls but the one that gives a structured answer. */
export function shownBlocks({ content }: Msg): readonly (TextBlock | ThinkingBlock | ToolUseBlock)[] {
  return content.filter((block): block is TextBlock | ThinkingBlock | ToolUseBlock => {
    if (block.type === "text") return block.text !== "";
    if (block.type === "thinking") return block.thinking !== "";
    return block.type === "tool_use" && block.name !== OUTPUT_TOOL;
  });
}

/** The results in a message that a page shows: those of calls that it shows, once they wait no more. */
export function shownResults(message: Msg): readonly ToolResultBlock[] {
  return toolResultsOf(message).filter(({ name, state }) => name !== OUTPUT_TOOL && state !== "suspended");
}

/** The output of a call as a page shows it: its text, or its blocks if it has others. */
export function shownOutput({ output }: ToolResultBlock): Json {
  if (output.some(({ type }) => type !== "text")) return output as unknown as Json;
  return output.map((block) => (block.type === "text" ? block.text : "")).join("");
}

/** A place among messages, with its message and the results of its calls, wherever they are stored. A message of nothing but results of calls
 *  before it is shown with those. */
export type ShownPlace = {
  readonly at: number;
  readonly shown?: { readonly message: Msg; readonly results: ReadonlyMap<string, ToolResultBlock> };
};

const callIds = ({ content }: Msg): readonly string[] =>
  content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));

/** Yields the places of a conversation from the newest message to the oldest. The newest messages cost as much in a long one as in a short
 *  one. `messageAt` returns undefined for what is not a message. */
export function* fromNewest(
  count: number,
  messageAt: (index: number) => Msg | undefined,
): Generator<ShownPlace> {
  const behind = new Map<string, ToolResultBlock>();
  for (let at = count - 1; at >= 0; at--) {
    const message = messageAt(at);
    for (const result of message ? toolResultsOf(message) : [])
      if (!behind.has(result.id)) behind.set(result.id, result);
    if (!message || isShownWithCalls(message, at, messageAt)) yield { at };
    else {
      const results = callIds(message).flatMap((id) => {
        const result = behind.get(id);
        return result ? [[id, result] as const] : [];
      });
      yield { at, shown: { message, results: new Map(results) } };
    }
  }
}

function isShownWithCalls(
  { role, content }: Msg,
  at: number,
  messageAt: (index: number) => Msg | undefined,
): boolean {
  if (role !== "tool" || content.length === 0) return false;
  const results = content.filter((block) => block.type === "tool_result");
  if (results.length < content.length) return false;
  const missing = new Set(results.map(({ id }) => id));
  for (let before = at - 1; before >= 0 && missing.size > 0; before--) {
    const message = messageAt(before);
    if (message) for (const id of callIds(message)) missing.delete(id);
  }
  return missing.size === 0;
}

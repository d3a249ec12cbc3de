import { toolResultsOf, textOf } from "../core/message/msg.ts";
import type { Msg, ToolResultBlock } from "../core/message/types.ts";
import { changedInput } from "../core/message/account.ts";
import { isSaid, shownBlocks, shownOutput, shownResults } from "../core/event/conversation/shown-messages.ts";
import type { AgUiMessage } from "./ag-ui-event.ts";

type Assistant = Extract<AgUiMessage, { readonly role: "assistant" }>;

/** The id of the message that holds the result of a call. */
export const resultIdOf = (callId: string): string => `${callId}:result`;

/** The id of a block of reasoning, by its number among those of its message. */
export const reasoningIdOf = (messageId: string, index: number): string => `${messageId}:reasoning-${index}`;

export function resultText(result: ToolResultBlock): string {
  const output = shownOutput(result);
  return typeof output === "string" ? output : JSON.stringify(output);
}

/** True for what a user has said in words. */
export const hasWords = (message: Msg): boolean => isSaid(message) && textOf(message) !== "";

function answerOf(message: Msg): readonly AgUiMessage[] {
  const { id } = message;
  const messages: AgUiMessage[] = [];
  const own = (change: (message: Assistant) => Assistant): void => {
    const at = messages.findIndex(({ role }) => role === "assistant");
    const before = at < 0 ? { id, role: "assistant" as const } : (messages[at] as Assistant);
    messages.splice(at < 0 ? messages.length : at, 1, change(before));
  };
  let reasonings = 0;
  for (const block of shownBlocks(message)) {
    if (block.type === "thinking")
      messages.push({ id: reasoningIdOf(id, reasonings++), role: "reasoning", content: block.thinking });
    else if (block.type === "text")
      own((before) => ({ ...before, content: (before.content ?? "") + block.text }));
    else {
      const { id: callId, name, input } = block;
      const call = {
        id: callId,
        type: "function" as const,
        function: { name, arguments: JSON.stringify(input) },
      };
      own((before) => ({ ...before, toolCalls: [...(before.toolCalls ?? []), call] }));
    }
  }
  return messages;
}

/** Returns the messages that a page shows with one more message of a transcript. A call that has its result is shown with the arguments
 *  with which it ran. */
export function withAgUiMessage(shown: readonly AgUiMessage[], message: Msg): readonly AgUiMessage[] {
  const ran = new Map(
    toolResultsOf(message).flatMap(({ id, account }) => {
      const now = changedInput(account);
      return now ? [[id, "input" in now ? JSON.stringify(now.input) : "null"] as const] : [];
    }),
  );
  const before = ran.size === 0 ? shown : shown.map((each) => withArguments(each, ran));
  return [...before, ...agUiMessagesOf(message)];
}

function withArguments(message: AgUiMessage, ran: ReadonlyMap<string, string>): AgUiMessage {
  if (message.role !== "assistant" || !message.toolCalls?.some(({ id }) => ran.has(id))) return message;
  const toolCalls = message.toolCalls.map((call) => {
    const { name, arguments: asked } = call.function;
    return { ...call, function: { name, arguments: ran.get(call.id) ?? asked } };
  });
  return { ...message, toolCalls };
}

/** Returns the messages that a page shows for one message of a transcript. */
function agUiMessagesOf(message: Msg): readonly AgUiMessage[] {
  if (message.role === "assistant") return answerOf(message);
  if (message.role === "tool")
    return shownResults(message).map((result): AgUiMessage => {
      const { id: toolCallId } = result;
      return { id: resultIdOf(toolCallId), role: "tool", toolCallId, content: resultText(result) };
    });
  return hasWords(message) ? [{ id: message.id, role: "user", content: textOf(message) }] : [];
}

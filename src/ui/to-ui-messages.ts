import type { AgentEvent } from "../core/event/types.ts";
import { ConversationFold } from "../core/event/conversation/conversation-fold.ts";
import type { TurnMessage } from "../core/event/conversation/message-fold.ts";

/**
 * Makes the messages that a page begins with of the stored events of a session: one for each input of the user and one for each turn.
 * They are those that `useChat` has made of the streams of these turns, so that a page that is loaded again shows the same, and can
 * answer what waits. The transcript of a session in which messages were compacted is whole.
 *
 * @example
 * ```ts
 * import { openSession } from "agentchart/session";
 * import { fileStore } from "agentchart/store/file";
 * import { toUIMessages } from "agentchart/ui";
 *
 * const stored = await openSession(fileStore({ dir: "./sessions" }), "customer-42");
 * const messages = await toUIMessages(stored.events());
 * console.log(messages.length); // useChat({ messages, … })
 * ```
 */
export async function toUIMessages(
  events: AsyncIterable<AgentEvent> | Iterable<AgentEvent>,
): Promise<readonly TurnMessage[]> {
  const conversation = new ConversationFold();
  for await (const event of events) conversation.push(event);
  return conversation.messages;
}

import { toolResultsOf } from "../message/query.ts";
import type { Msg } from "../message/types.ts";
import { countMessage } from "../model/tokens.ts";
import type { AgentConfig } from "./types.ts";

type ContextWindow = NonNullable<AgentConfig["contextWindow"]>;

/** The end of the messages that fits: at least the last one, and never a result without its call. Returns where it begins. */
function startOfEnd(messages: readonly Msg[], { maxMessages = Infinity, maxTokens }: ContextWindow): number {
  let start = Math.max(0, messages.length - maxMessages);
  if (maxTokens !== undefined) {
    let tokens = 0;
    let first = messages.length;
    while (first > start && (tokens += countMessage(messages[first - 1]!)) <= maxTokens) first--;
    start = Math.min(first, messages.length - 1);
  }
  const isResult = (index: number): boolean => toolResultsOf(messages[index]!).length > 0;
  const asked = start;
  while (start < messages.length && start > 0 && isResult(start)) start++;
  if (start < messages.length) return start;
  start = asked;
  while (start > 0 && isResult(start)) start--;
  return start;
}

/** The index of the message that a turn answers, which began at `turnAt`: the last one of a user before the first answer. A turn
 *  without input answers that of an earlier turn. -1 if there is none. */
function questionAt(messages: readonly Msg[], turnAt: number): number {
  const answer = messages.findIndex(({ role }, index) => index >= turnAt && role === "assistant");
  const end = answer < 0 ? messages.length : answer;
  return messages.slice(0, end).findLastIndex(({ role }) => role === "user");
}

/** What a model sees of a long transcript: the message that began the turn, and the end, at most `maxMessages` and about
 *  `maxTokens` together, at least the last message, and never a result without its call. */
export function boundedView(
  messages: readonly Msg[],
  contextWindow: ContextWindow = {},
  turnAt: number = messages.length,
): readonly Msg[] {
  const start = startOfEnd(messages, contextWindow);
  if (start <= 0) return messages;
  const asked = questionAt(messages, turnAt);
  if (asked < 0 || asked >= start) return messages.slice(start);
  const question = messages[asked]!;
  const { maxMessages, maxTokens } = contextWindow;
  const room = {
    ...(maxMessages !== undefined && { maxMessages: Math.max(1, maxMessages - 1) }),
    ...(maxTokens !== undefined && { maxTokens: maxTokens - countMessage(question) }),
  };
  return [question, ...messages.slice(startOfEnd(messages, room))];
}

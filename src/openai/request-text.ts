import type { ChatMessage, ChatRequest } from "./wire.ts";

const texts = new WeakMap<ChatMessage, string>();

/** The JSON of a request. A request mostly repeats the messages of the one before: the JSON of each is made once and kept
 *  as long as the message. */
export function requestText({ messages, ...rest }: ChatRequest): string {
  const head = JSON.stringify(rest).slice(0, -1);
  return `${head},"messages":[${messages.map(textOf).join(",")}]}`;
}

function textOf(message: ChatMessage): string {
  let text = texts.get(message);
  if (text === undefined) texts.set(message, (text = JSON.stringify(message)));
  return text;
}

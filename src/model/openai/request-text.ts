import { KEEP_FROM } from "./to-chat-messages.ts";
import type { ChatMessage, ChatRequest } from "./wire.ts";

/** The JSON of each message, since most messages of a request were in the request before: without it, the "usual" task of
 *  `npm run bench` takes 8 % more CPU. */
const texts = new WeakMap<ChatMessage, string>();

/** Returns the JSON of a request. */
export function requestText(request: ChatRequest): string {
  if (request.messages.length < KEEP_FROM) return JSON.stringify(request);
  const head = JSON.stringify({ ...request, messages: undefined }).slice(0, -1);
  return `${head},"messages":[${request.messages.map(textOf).join(",")}]}`;
}

function textOf(message: ChatMessage): string {
  let text = texts.get(message);
  if (text === undefined) texts.set(message, (text = JSON.stringify(message)));
  return text;
}

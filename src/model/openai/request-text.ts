import type { ChatMessage, ChatRequest } from "./wire.ts";

/** Messages whose JSON is put together once. */
const BLOCK = 32;

type Block = { readonly messages: readonly ChatMessage[]; readonly text: string };

const texts = new WeakMap<ChatMessage, string>();
/** By the last message of each. */
const blocks = new WeakMap<ChatMessage, Block>();

/** The JSON of a request. A request mostly repeats the messages of the one before: the JSON of each, and of every block of
 *  them, is made once and kept as long as the message. */
export function requestText({ messages, ...rest }: ChatRequest): string {
  const head = JSON.stringify(rest).slice(0, -1);
  const parts: string[] = [];
  for (let at = 0; at < messages.length; at += BLOCK) parts.push(blockText(messages, at));
  return `${head},"messages":[${parts.join(",")}]}`;
}

function blockText(messages: readonly ChatMessage[], at: number): string {
  const last = messages[at + BLOCK - 1];
  const known = last && blocks.get(last);
  if (known?.messages.every((message, index) => message === messages[at + index])) return known.text;
  const own = messages.slice(at, at + BLOCK);
  const text = own.map(textOf).join(",");
  if (last) blocks.set(last, { messages: own, text });
  return text;
}

function textOf(message: ChatMessage): string {
  let text = texts.get(message);
  if (text === undefined) texts.set(message, (text = JSON.stringify(message)));
  return text;
}

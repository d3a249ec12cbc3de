import { defineTool, type Tool } from "agentchart";
import type {
  ChatCompletionsAnswer,
  ChatCompletionsFailure,
  ChatCompletionsRequest,
} from "agentchart/testing";

/** A model server with a window of its own, which it measures with a tokenizer of its own: so many characters are a token. */
export type Window = { readonly tokens: number; readonly charactersPerToken: number };

/** The tokenizers: about 17 % more and fewer tokens than the library estimates. */
export const TOKENIZERS = { finer: 3, coarser: 4.2 } as const;

export const SYSTEM = "You keep codes, and read steps with the tool look.";
/** What must be in the last request: said by the person, by a tool before the first cut, and by the summary itself. */
export const CODES = ["CODE-1-red", "CODE-2-green", "CODE-3-blue"] as const;
const FILLER = "and nothing else of note happened in it. ";
const filled = (text: string, characters: number): string => text.padEnd(characters, FILLER);

/** The person asks once, and the model reads `rounds` steps of 2 KB each before it answers. */
export const askForSteps = (rounds: number): string =>
  `Remember ${CODES[0]}. Read ${rounds} steps, then say all codes.`;
/** What the person says in a turn of a conversation; the last one asks for the codes. */
export function sayInTurn(turn: number, last: number): string {
  if (turn === last) return "Which codes do you know?";
  return filled(`Turn ${turn}. ${turn === 1 ? `Remember ${CODES[0]}. ` : ""}`, 200);
}

export const look: Tool = defineTool({
  name: "look",
  description: "Reads a step.",
  input: { type: "object", properties: { step: { type: "integer" } }, required: ["step"] },
  onRestart: "retry",
  execute: ({ step }) => filled(`Step ${String(step)}. ${step === 3 ? `It says ${CODES[1]}. ` : ""}`, 2_048),
}) as Tool;

function sizeOf({ messages, tools = [] }: ChatCompletionsRequest): number {
  return JSON.stringify(messages).length + JSON.stringify(tools).length;
}

export function tokensOf(request: ChatCompletionsRequest, { charactersPerToken }: Window): number {
  return Math.ceil(sizeOf(request) / charactersPerToken);
}

const calls = (name: string, id: string, input: object): ChatCompletionsAnswer => ({
  tool_calls: [{ id, function: { name, arguments: JSON.stringify(input) } }],
});

function textOf(content: unknown): string {
  return typeof content === "string" ? content : JSON.stringify(content ?? "");
}

/** What the model answers: a function of the request alone, so that a request that is made again gets the same answer. */
export function answerTo(
  request: ChatCompletionsRequest,
  window: Window,
): ChatCompletionsAnswer | ChatCompletionsFailure {
  const tokens = tokensOf(request, window);
  if (tokens > window.tokens) {
    const message = `This model's maximum context length is ${window.tokens} tokens. However, your messages have ${tokens} tokens.`;
    return { status: 400, code: "context_length_exceeded", message };
  }
  const { messages } = request;
  const last = messages.at(-1)!;
  const said = textOf(last.content);
  const all = JSON.stringify(messages);
  const codes = CODES.filter((code) => all.includes(code));
  const askedFor = Number(/Read (\d+) steps/.exec(all)?.[1] ?? 0);
  if (said.includes("Another model will go on")) {
    const known = [...new Set([...codes, CODES[2]])].join(", ");
    const task = askedFor > 0 ? `Read ${askedFor} steps, then say all codes. ` : "";
    return { content: `${task}The codes so far: ${known}. The result look-3 can be read.` };
  }
  const isRead = last.tool_call_id === "read-1";
  const step = isRead ? 0 : Number(/^Step (\d+)\./.exec(said)?.[1] ?? 0);
  const turn = Number(/^Turn (\d+)\./.exec(said)?.[1] ?? 0);
  if (last.role === "tool" && step < askedFor && step > 0)
    return calls("look", `look-${step + 1}`, { step: step + 1 });
  if (last.role === "user" && askedFor > 0) return calls("look", "look-1", { step: 1 });
  if (last.role === "user" && turn === 3) return calls("look", "look-3", { step: 3 });
  if (last.role === "user" && turn > 0) return { content: filled(`Answer ${turn}. `, 200) };
  if (last.role === "tool" && askedFor === 0 && step > 0) return { content: `Read step ${step}.` };
  if (!codes.includes(CODES[1]) && !isRead && all.includes("look-3"))
    return calls("read_result", "read-1", { id: "look-3" });
  return { content: `The codes are ${codes.join(", ")}.` };
}

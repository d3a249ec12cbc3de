import { AgentError } from "../base/error.ts";
import type { Msg, Role, ToolResultState } from "./types.ts";

function textMsg(role: Role, text: string, fields: Partial<Msg> | undefined): Msg {
  return {
    id: newId(),
    role,
    name: role,
    content: [{ type: "text", text }],
    metadata: {},
    timestamp: Date.now(),
    ...fields,
  };
}

/**
 * Returns a user message with one text block, a new UUID as its id, and the current time. `fields` replace any of these: give
 * `name` where several users speak, `content` for images, `metadata` for data of your own.
 *
 * @example
 * ```ts
 * import { userMsg } from "agentchart";
 *
 * const question = userMsg("How much is a ticket to Oslo?", { name: "ada", metadata: { ticket: 42 } });
 * ```
 */
export function userMsg(text: string, fields?: Partial<Msg>): Msg {
  return textMsg("user", text, fields);
}

/**
 * Returns an assistant message, otherwise as {@link userMsg}: for an initial transcript, or as a reply in tests and hooks.
 *
 * @example
 * ```ts
 * import { assistantMsg, userMsg } from "agentchart";
 *
 * const messages = [userMsg("Hello!"), assistantMsg("Hello, how can I help?")];
 * ```
 */
export function assistantMsg(text: string, fields?: Partial<Msg>): Msg {
  return textMsg("assistant", text, fields);
}

/**
 * Returns a system message, otherwise as {@link userMsg}: for requests to a model that you make yourself. An agent has its
 * system prompt in `sysPrompt`, and refuses system messages as input with `message/invalid`.
 *
 * @example
 * ```ts
 * import { systemMsg, userMsg } from "agentchart";
 *
 * const messages = [systemMsg("Answer in one sentence."), userMsg("What is a statechart?")];
 * ```
 */
export function systemMsg(text: string, fields?: Partial<Msg>): Msg {
  return textMsg("system", text, fields);
}

/**
 * Returns a tool message with one result for each open call: the input with which `call` resumes a turn that is suspended on
 * external tools. `state` defaults to `success`. Throws `message/invalid` if `results` is not an array.
 *
 * @example
 * ```ts
 * import { toolResultMsg, type Agent } from "agentchart";
 *
 * async function answerAll(agent: Agent, text: string) {
 *   const results = agent.status().pending.map(({ callId, name }) => ({ callId, name, text }));
 *   return agent.call(toolResultMsg(results));
 * }
 * ```
 */
export function toolResultMsg(
  results: readonly {
    readonly callId: string;
    readonly name: string;
    readonly text: string;
    readonly state?: ToolResultState | undefined;
  }[],
): Msg {
  if (!Array.isArray(results))
    throw new AgentError("message/invalid", "toolResultMsg takes an array of { callId, name, text }.");
  return {
    id: newId(),
    role: "tool",
    name: "tool",
    content: results.map(({ callId, name, text, state = "success" }) => ({
      type: "tool_result",
      id: callId,
      name,
      output: [{ type: "text", text }],
      state,
    })),
    metadata: {},
    timestamp: Date.now(),
  };
}

/** The bytes of 256 ids: to ask the platform for few costs as much as to ask for many. */
const random = new Uint8Array(4_096);
let used = random.length;

const DIGITS = new TextEncoder().encode("0123456789abcdef");
const text = new TextEncoder().encode("00000000-0000-4000-8000-000000000000");
/** Places of the two digits of each byte in the text. */
const PLACES = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];

/** Returns a random UUID (version 4) in one piece. `crypto.randomUUID` is not there in a page that came over plain HTTP; that of Node
 *  joins twenty strings, which take 600 bytes until somebody reads them. */
export function newId(): string {
  if (used === random.length) {
    crypto.getRandomValues(random);
    used = 0;
  }
  PLACES.forEach((place, index) => {
    const byte = versioned(random[used + index]!, index);
    text[place] = DIGITS[byte >> 4]!;
    text[place + 1] = DIGITS[byte & 15]!;
  });
  used += PLACES.length;
  return String.fromCharCode.apply(null, text as unknown as number[]);
}

/** The byte with the bits that say which version and variant of UUID it is. */
function versioned(byte: number, index: number): number {
  if (index === 6) return (byte & 0x0f) | 0x40;
  return index === 8 ? (byte & 0x3f) | 0x80 : byte;
}

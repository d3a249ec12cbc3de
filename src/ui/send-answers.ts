import { isObject } from "../core/base/json.ts";

/** The part of the messages of `useChat` that is read. */
type ChatMessage = {
  readonly role: string;
  readonly parts: readonly { readonly type: string }[];
  readonly metadata?: unknown;
};

/** The part of a message that shows a call. */
type CallPart = {
  readonly type: string;
  readonly toolCallId: string;
  readonly state: string;
  readonly preliminary?: boolean;
};

const isCall = (part: { readonly type: string }): part is CallPart => "toolCallId" in part && "state" in part;

/** The calls of the last step of the last message, if that is one of the agent. */
function lastCalls(message: ChatMessage | undefined): readonly CallPart[] {
  if (message?.role !== "assistant") return [];
  const from = message.parts.findLastIndex(({ type }) => type === "step-start");
  return message.parts.slice(from + 1).filter(isCall);
}

/** True for a turn that waits for results of the page. */
const waitsForResults = (metadata: unknown): boolean =>
  isObject(metadata) && metadata["reason"] === "TOOL_SUSPENDED";

const hasResult = ({ state, preliminary }: CallPart): boolean =>
  (state === "output-available" && preliminary !== true) ||
  state === "output-error" ||
  state === "output-denied";

/**
 * Returns the function that `sendAutomaticallyWhen` of `useChat` takes. The page sends each decision of a person as soon as it is made,
 * since another page may make the others; the calls that the model asked for at once run when all are decided. It sends the results of
 * tools that run in the page once all are there. What was sent is not sent again.
 *
 * @example
 * ```ts
 * import { DefaultChatTransport } from "ai";
 * import { sendAnswers } from "agentchart/ui";
 *
 * const transport = new DefaultChatTransport({ api: "https://agents.example.com/v1/sessions/s/chat" });
 * export const options = { id: "s", transport, sendAutomaticallyWhen: sendAnswers() }; // useChat(options)
 * ```
 */
export function sendAnswers(): (chat: { readonly messages: readonly ChatMessage[] }) => boolean {
  const sent = new Set<string>();
  return ({ messages }) => {
    const message = messages.at(-1);
    const calls = lastCalls(message);
    const decided = calls.filter(({ state }) => state === "approval-responded");
    const isWhole = calls.length > 0 && waitsForResults(message?.metadata) && calls.every(hasResult);
    const answers = decided.length > 0 ? decided : isWhole ? calls : [];
    const key = answers.map(({ toolCallId, state }) => `${toolCallId} ${state}`).join();
    if (answers.length === 0 || sent.has(key)) return false;
    sent.add(key);
    return true;
  };
}

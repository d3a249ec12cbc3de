import { isObject, type JsonObject, type Json } from "../core/base/json.ts";
import type { Decision, PendingCall } from "../core/tool/pending.ts";
import { interruptIdOf, isQuestion } from "./ag-ui-interrupts.ts";
import {
  declaredIn,
  fieldsOf,
  invalidRequest,
  listOf,
  staleDecision,
  type ChatRequest,
  type Fields,
} from "./read-chat-request.ts";

/** The request of a client of AG-UI. */
export type RunInput = ChatRequest & {
  /** The ids of the client, which the events of the run repeat. */
  readonly threadId: string;
  readonly runId: string;
  /** The id that the client has given to the message of `text`. */
  readonly messageId?: string | undefined;
};

type Answer = ChatRequest["decisions"][number];

function idOf(value: unknown, what: string): string {
  if (typeof value === "string" && value !== "" && value.length <= 200) return value;
  throw invalidRequest(`${what} is not a string of 1 to 200 characters.`);
}

function textIn(content: unknown): string {
  const parts =
    typeof content === "string" ? [{ type: "text", text: content }] : listOf(content, "`content`");
  const texts = parts.map((part) => {
    const { type, text } = fieldsOf(part, "a part");
    if (type === "text" && typeof text === "string") return text;
    throw invalidRequest(`a message has a part of type ${JSON.stringify(type)}; expected text.`);
  });
  return texts.join("\n");
}

function approvalIn(payload: unknown, { waitsFor }: PendingCall): Decision {
  const { approved, reason, editedArgs } = fieldsOf(payload, "the `payload` for an approval");
  if (typeof approved !== "boolean") throw invalidRequest("the `payload` for an approval has no `approved`.");
  if (!approved) return typeof reason === "string" && reason !== "" ? { deny: reason } : "deny";
  if (editedArgs === undefined) return waitsFor === "unknownOutcome" ? "retry" : "approve";
  if (!isObject(editedArgs) || Array.isArray(editedArgs))
    throw invalidRequest("`editedArgs` is not an object.");
  return { edit: editedArgs as JsonObject };
}

function resumed(entry: unknown, pending: readonly PendingCall[]): Answer {
  const { interruptId, status, payload } = fieldsOf(entry, "an entry of `resume`");
  const id = typeof interruptId === "string" ? interruptId : "";
  const found = pending.find((call) => call.decided === undefined && interruptIdOf(call) === id);
  if (!found || found.waitsFor === "externalResult") throw staleDecision(id.split("#")[0] ?? id);
  const { callId, argsHash } = found;
  const answer = (decision: Decision): Answer => ({ callId, decision, argsHash });
  if (status === "cancelled") return answer(found.ask ? { cancel: true } : "deny");
  if (status !== "resolved")
    throw invalidRequest('the `status` of an entry of `resume` is not "resolved" or "cancelled".');
  if (!isQuestion(found)) return answer(approvalIn(payload, found));
  if (payload === undefined) throw invalidRequest("an answer has no `payload`.");
  return answer({ respond: payload as Json });
}

/** The results of calls that wait for them, in the messages of tools at the end. Others, the session has already. */
function resultsAtEnd(messages: readonly Fields[], pending: readonly PendingCall[]): readonly Answer[] {
  const from = messages.findLastIndex(({ role }) => role !== "tool") + 1;
  return messages.slice(from).flatMap(({ toolCallId, content }) => {
    const found = pending.find(
      ({ callId, waitsFor, decided }) =>
        decided === undefined && waitsFor === "externalResult" && callId === toolCallId,
    );
    if (!found) return [];
    return [{ callId: found.callId, decision: { answer: textIn(content) }, argsHash: found.argsHash }];
  });
}

/**
 * Reads the body that a client of AG-UI posts (`RunAgentInput`), and believes only two parts of it. These are the last message, if a user
 * has said it or a tool of the page has given it, and `resume`, about the calls in `pending`, which is what the session waits for. Other
 * messages, and the state are ignored, and so does an agent with tools of the client that it does not list in `clientTools`. A body with
 * nothing new has neither `text` nor decisions: the client wants to see where the session is.
 *
 * The `payload` of `resume` for an approval is `{ approved, reason?, editedArgs? }`, and for a question its answer; "cancelled" denies a
 * call, and answers a question with `{ cancel: true }`. Throws `message/invalid` for a body of another form and for parts that are not
 * text, and `run/stale-decision` for an interrupt that does not wait, such as one whose arguments have changed; then nothing has been read.
 *
 * @example
 * ```ts
 * import { readRunInput } from "agentchart/ui";
 *
 * const messages = [{ id: "m1", role: "user", content: "Hello" }];
 * const { text } = readRunInput({ threadId: "t", runId: "r", messages, tools: [], context: [] }, []);
 * console.log(text); // Hello
 * ```
 */
export function readRunInput(body: unknown, pending: readonly PendingCall[]): RunInput {
  const { threadId, runId, messages: sent, resume = [], tools = [] } = fieldsOf(body, "the body");
  const ids = { threadId: idOf(threadId, "`threadId`"), runId: idOf(runId, "`runId`") };
  const messages = listOf(sent, "`messages`").map((message) => fieldsOf(message, "a message"));
  const entries = listOf(resume, "`resume`").map((entry) => resumed(entry, pending));
  const decisions = [...entries, ...resultsAtEnd(messages, pending)];
  const last = messages.at(-1);
  if (last?.["role"] !== "user") return { ...ids, decisions };
  if (entries.length > 0)
    throw invalidRequest("it answers interrupts and says something; do one after the other.");
  const text = textIn(last["content"]);
  if (text.trim() === "") throw invalidRequest("the message of the user is empty.");
  const declared = listOf(tools, "`tools`").map((tool) => [fieldsOf(tool, "a tool")["name"], tool] as const);
  const messageId = idOf(last["id"], "the `id` of the message");
  return { ...ids, text, messageId, decisions, ...declaredIn(declared) };
}

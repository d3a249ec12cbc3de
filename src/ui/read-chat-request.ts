import { AgentError } from "../core/base/error.ts";
import { isObject, isSame } from "../core/base/json.ts";
import { checkClientTools, type ClientTool } from "../core/tool/declared-tools.ts";
import type { Decision, PendingCall } from "../core/tool/pending.ts";

/** The request of a page. */
export type ChatRequest = {
  /** The text that the user has sent; absent if the page answers calls. */
  readonly text?: string | undefined;
  /** The tools that the page declares with its message, for `call(text, { clientTools })`: the agent takes those that it lists. */
  readonly clientTools?: readonly ClientTool[] | undefined;
  /** The decisions of the user about calls that wait, for `decide(callId, decision, { argsHash })`. */
  readonly decisions: readonly {
    readonly callId: string;
    readonly decision: Decision;
    readonly argsHash: string;
  }[];
};

export type Fields = { readonly [field: string]: unknown };

/** The error for a request of another form. */
export function invalidRequest(problem: string): AgentError {
  return new AgentError("message/invalid", `The request of the page: ${problem}`);
}

/** The error for a decision about a call that does not wait for it as it was shown. */
export function staleDecision(callId: string): AgentError {
  const message = `The call '${callId}' does not wait for this decision: it is decided already, or its arguments have changed.`;
  return new AgentError("run/stale-decision", message, { data: { callId } });
}

export function fieldsOf(value: unknown, what: string): Fields {
  if (!isObject(value)) throw invalidRequest(`${what} is not an object.`);
  return value as Fields;
}

export function listOf(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw invalidRequest(`${what} is not an array.`);
  return value;
}

function textOfParts(parts: readonly Fields[]): string {
  const texts = parts.map(({ type, text }) => {
    if (type === "text" && typeof text === "string") return text;
    throw invalidRequest(`a message of the user has a part of type ${JSON.stringify(type)}; expected text.`);
  });
  const text = texts.join("\n");
  if (text.trim() === "") throw invalidRequest("the message of the user is empty.");
  return text;
}

/** The tools that a page declares, from what it says of each; none if it says nothing. Throws `message/invalid`. */
export function declaredIn(declared: readonly (readonly [name: unknown, tool: unknown])[]): {
  readonly clientTools?: readonly ClientTool[];
} {
  if (declared.length === 0) return {};
  const tools = declared.map(([name, tool]) => {
    const { description = "", parameters, inputSchema = parameters } = fieldsOf(tool, "a tool of the page");
    return { name, description, inputSchema: inputSchema ?? { type: "object" } };
  });
  return { clientTools: checkClientTools(tools) };
}

function approvalOf({ approval }: Fields): Decision {
  const { approved, reason } = fieldsOf(approval, "an approval");
  if (typeof approved !== "boolean") throw invalidRequest("an approval has no `approved`.");
  if (approved) return "approve";
  return typeof reason === "string" && reason !== "" ? { deny: reason } : "deny";
}

function answerOf({ output }: Fields): Decision {
  return { answer: typeof output === "string" ? output : (JSON.stringify(output) ?? "") };
}

/** The statement of a part about a call: a decision that is new, one that was made already, or nothing. */
type PartDecision = ChatRequest["decisions"][number] & { readonly isRepeated: boolean };

function decisionOf(part: Fields, pending: readonly PendingCall[]): readonly PartDecision[] {
  const { toolCallId, state, input } = part;
  const isApproval = state === "approval-responded";
  if (typeof toolCallId !== "string" || (!isApproval && state !== "output-available")) return [];
  const found = pending.find(({ callId }) => callId === toolCallId);
  const isFitting = found?.waitsFor === (isApproval ? "approval" : "externalResult");
  const isDecided = found?.decided !== undefined;
  if (!isFitting || (isDecided && !isApproval)) {
    if (isApproval) throw staleDecision(toolCallId);
    return []; // a result that the session has already
  }
  if (!isSame(input ?? {}, found.input)) throw staleDecision(toolCallId);
  const decision = isApproval ? approvalOf(part) : answerOf(part);
  if (isDecided && !isSame(decision, found.decided)) throw staleDecision(toolCallId);
  return [{ callId: found.callId, decision, argsHash: found.argsHash, isRepeated: isDecided }];
}

/** True if a part shows what is decided as it is now: the call with these arguments, or this very question. */
function shows(
  { toolCallId, input, type, id, data }: Fields,
  { callId, argsHash, ...call }: PendingCall,
): boolean {
  if (type === "data-ask")
    return id === callId && isObject(data) && (data as Fields)["argsHash"] === argsHash;
  return toolCallId === callId && isSame(input ?? {}, call.input);
}

/** The decisions that no part of a message can express; whoever takes them checks their form. */
function ownDecisions(
  given: unknown,
  parts: readonly Fields[],
  pending: readonly PendingCall[],
): ChatRequest["decisions"] {
  if (given === undefined) return [];
  return Object.entries(fieldsOf(given, "`decisions`")).map(([callId, decision]) => {
    const found = pending.find((call) => call.callId === callId && call.decided === undefined);
    if (!found || !parts.some((part) => shows(part, found))) throw staleDecision(callId);
    return { callId, decision: decision as Decision, argsHash: found.argsHash };
  });
}

/**
 * Reads the body that `useChat` sends, and believes nothing in it but the last message. This is the text of a user, or what the user has
 * said about the calls in `pending`, which is what the session waits for. Other messages, and results of calls that do not wait, are
 * ignored. Tools that the page declares are in `tools` of the body, by their names: `{ locate: { description, parameters } }`; an agent
 * ignores those that it does not list in `clientTools`. Throws `message/invalid` for a body of another form and for parts that are not
 * text, and `run/stale-decision` for a decision about a call that does not wait for it or has other arguments; then nothing has been read.
 * A decision that was made already, which a page shows beside new ones, is left out if it is the same.
 *
 * What no part of a message can express is in `decisions` of the body: by the id of the call or of the question, whatever
 * `agent.decide` takes, such as `{ "c1": { "edit": { "amount": 5 } } }` or `{ "c2/when": { "respond": "tomorrow" } }`. The last message must
 * show the call or the question as it is.
 *
 * @example
 * ```ts
 * import type { Agent } from "agentchart";
 * import { readChatRequest, toUIMessageChunks } from "agentchart/ui";
 *
 * export async function chunksFor(agent: Agent, body: unknown) {
 *   const { text, decisions } = readChatRequest(body, agent.status().pending);
 *   for (const { callId, decision, argsHash } of decisions) await agent.decide(callId, decision, { argsHash });
 *   return toUIMessageChunks(agent.stream(text, { onLeave: "continue" }));
 * }
 * ```
 */
export function readChatRequest(body: unknown, pending: readonly PendingCall[]): ChatRequest {
  const { messages: sent, decisions: own, tools = {} } = fieldsOf(body, "the body");
  const messages = listOf(sent, "`messages`");
  const { role, parts: given } = fieldsOf(messages.at(-1), "the last message");
  const parts = listOf(given, "`parts` of the last message").map((part) => fieldsOf(part, "a part"));
  if (role === "user") {
    const declared = declaredIn(Object.entries(fieldsOf(tools, "`tools`")));
    return { text: textOfParts(parts), decisions: [], ...declared };
  }
  if (role !== "assistant") throw invalidRequest(`the last message has the role ${JSON.stringify(role)}.`);
  const shown = JSON.parse(JSON.stringify(pending)) as typeof pending; // a page is not told what is not JSON, such as undefined
  const others = ownDecisions(own, parts, shown);
  const isOther = ({ toolCallId }: Fields) => others.some(({ callId }) => callId === toolCallId);
  const inParts = parts.filter((part) => !isOther(part)).flatMap((part) => decisionOf(part, shown));
  const [repeated] = inParts;
  const made = inParts.flatMap(({ isRepeated, ...decision }) => (isRepeated ? [] : [decision]));
  const decisions = [...others, ...made];
  if (decisions.length === 0 && repeated) throw staleDecision(repeated.callId);
  if (decisions.length === 0) throw invalidRequest("it has neither a message of the user nor a decision.");
  return { decisions };
}

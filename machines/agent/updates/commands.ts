import type { Msg } from "../../../src/core/message/types.ts";
import { changeCalls, writeSlots } from "../facts.ts";
import type { AgentContext, Change } from "../context.ts";
import { revisionOf, type StoredSlots } from "../../../src/core/tool/stored-slots.ts";
import type { AgentCommand, Cause } from "../events.ts";
import type { JsonObject } from "../../../src/core/base/json.ts";
import { restoreRedacted } from "../../../src/core/base/secrets.ts";
import { addressIn, recordAt, withAnswer, withDecision, asksOf } from "./record.ts";
import type { Decision, PendingCall } from "../../../src/core/tool/pending.ts";
import { truncated } from "../../../src/core/base/shown.ts";
import type { Refusal } from "../../chart/definition.ts";
import type { CallRecord } from "../call-record.ts";
import { describeChange } from "../../../src/core/tool/fingerprint.ts";
import { validateInput } from "../../../src/core/tool/validate-input.ts";
import { changeInTurn } from "./turn-agent.ts";
import { openCalls, pendingCalls } from "./calls.ts";

/** Adds a message for the next model call of the turn. */
export function steer(
  { inbox }: AgentContext,
  event: { readonly at: number; readonly message: Msg },
): Change {
  return { at: event.at, inbox: { ...inbox, steering: [...inbox.steering, event.message] } };
}

/** Adds messages without starting a turn. */
export function observe(
  { inbox }: AgentContext,
  event: { readonly at: number; readonly messages: readonly Msg[] },
): Change {
  return { at: event.at, inbox: { ...inbox, queued: [...inbox.queued, ...event.messages] } };
}

type SlotWrite = Extract<AgentCommand, { readonly type: "slot.write" }>;

/** The slots with what a tool or hooks have written. A write that does not follow the newest revision is left out: the slot was
 *  changed from outside after the writer had read it. */
export function takeWrites(context: AgentContext, written: StoredSlots = {}): Change {
  const fitting = Object.entries(written).filter(
    ([name, { revision }]) => revision === revisionOf(context.slots, name) + 1,
  );
  return writeSlots(context, fitting);
}

/** Writes a slot from outside. */
export function writeSlot(context: AgentContext, { at, name, value, version }: SlotWrite): Change {
  const revision = revisionOf(context.slots, name) + 1;
  return { at, ...writeSlots(context, [[name, { value, version, revision }]]) };
}

/** True if the slot has another revision than the write was made for. */
export function isStaleWrite({ slots }: AgentContext, { name, seen }: SlotWrite): boolean {
  return seen !== undefined && seen !== revisionOf(slots, name);
}

/** True if a call that may write the slot is running. */
export function isBeingWritten({ calls }: AgentContext, { name }: SlotWrite): boolean {
  return calls.some(({ status, writes }) => status === "running" && writes?.includes(name));
}

/** Records a decision, and who made it; nothing runs. What a person saw redacted in the arguments and left so is unchanged. */
export function decideCall(
  context: AgentContext,
  event: {
    readonly at: number;
    readonly callId: string;
    readonly decision: Decision;
    readonly decidedBy?: string;
    readonly madeAt?: number;
    readonly by?: Cause;
  },
): Change {
  const { at, decision, decidedBy, madeAt = at, by: via } = event;
  const made = { at: madeAt, ...(decidedBy !== undefined && { by: decidedBy }), ...(via && { via }) };
  const address = addressIn(context, event.callId);
  const decidedRecord = recordAt(context, address);
  const changed = changeCalls(context, (record) => {
    if (record !== decidedRecord) return record;
    if (record.call.id !== address) {
      const ask = address.slice(record.call.id.length + 1);
      const account = withDecision(record.account, decision, { ...made, ask });
      return withAnswer({ ...record, account }, address, {
        decided: decision,
        ...(decidedBy !== undefined && { decidedBy }),
      });
    }
    const { decidedBy: _, ...rest } = record;
    const decided = withSecrets(decision, record.call.input);
    const account = withDecision(record.account, decision, made);
    return { ...rest, account, decided, ...(decidedBy !== undefined && { decidedBy }) };
  });
  return { at, ...changed };
}

function withSecrets(decision: Decision, input: JsonObject): Decision {
  if (typeof decision !== "object" || !("edit" in decision)) return decision;
  return { edit: restoreRedacted(decision.edit, input) };
}

type Decide = Extract<AgentCommand, { readonly type: "tool.decide" }>;
type Load = Extract<AgentCommand, { readonly type: "session.load" }>;

const pendingCall = (context: AgentContext, callId: string) => {
  const address = addressIn(context, callId);
  return pendingCalls(context).find((call) => call.callId === address);
};

const recordOf = (context: AgentContext, callId: string): CallRecord | undefined =>
  recordAt(context, addressIn(context, callId));

/** True for a call that no result, no permission and no attempt has settled yet. */
function isOpen({ status, stored, result }: CallRecord): boolean {
  const isWaiting = status === "pending" || status === "suspended" || status === "unknown";
  return isWaiting && !stored && result === undefined;
}

/** No open call waits for this decision. */
export function isUnknownCall(context: AgentContext, { callId }: Decide): boolean {
  const record = recordOf(context, callId);
  return !pendingCall(context, callId) || !record || !isOpen(record);
}

/** True if the call, or the question, has its decision: the first one counts. */
const isDecided = (context: AgentContext, callId: string): boolean =>
  pendingCall(context, callId)?.decided !== undefined;

/** The call is decided already, or its arguments or its tool are not those that the decision was made for. */
export function isStaleDecision(
  context: AgentContext,
  { callId, argsHash, at, madeAt = at }: Decide,
): boolean {
  if (isDecided(context, callId)) return true;
  if (argsHash !== undefined && argsHash !== pendingCall(context, callId)?.argsHash) return true;
  const record = recordOf(context, callId);
  return madeAt < (record?.askedAgainAt ?? Number.NEGATIVE_INFINITY);
}

/** The decision was made after the approval had expired. */
export function isExpiredDecision(context: AgentContext, { callId, at, madeAt = at }: Decide): boolean {
  return (pendingCall(context, callId)?.expiresAt ?? Number.POSITIVE_INFINITY) <= madeAt;
}

/** The decisions that may be made about a call that may have run: none of them gives a permission or new arguments. */
const AFTER_UNKNOWN_OUTCOME = '"retry", { answer }, "deny" or { deny: text }';

/** The decisions that may be made about a call that has not run, by the names that say what they are. */
const ABOUT_CALLS = ["approve", "deny", "retry", "edit", "answer"];

/** The decisions that a call or a question takes. */
function allowedFor({ waitsFor, ask, answerSchema }: PendingCall): readonly string[] {
  if (!ask) return waitsFor === "unknownOutcome" ? ["retry", "answer", "deny"] : ABOUT_CALLS;
  const respond = ["respond", "decline", "cancel"];
  if (ask.kind !== "approval") return respond;
  return ["approve", "deny", ...(answerSchema ? respond : respond.slice(1))];
}

const nameOf = (decision: Decision): string =>
  typeof decision === "string" ? decision : Object.keys(decision)[0]!;

/** Returns the problem with the value of a response to a question; null if there is no problem. */
function responseProblem({ answerSchema }: PendingCall, decision: Decision): string | null {
  if (typeof decision !== "object" || !("respond" in decision) || !answerSchema) return null;
  return validateInput(answerSchema, decision.respond);
}

/** True if a call or a question takes a decision of this kind, and of this value. */
export function takesDecision(call: PendingCall, decision: Decision): boolean {
  return allowedFor(call).includes(nameOf(decision)) && responseProblem(call, decision) === null;
}

/** True if the call or the question does not take this decision. The call may have run already and is neither to run again nor to get a
 *  result, or the answer to the question does not match its schema. */
export function isWrongDecision(context: AgentContext, { callId, decision }: Decide): boolean {
  const call = pendingCall(context, callId);
  return call !== undefined && !takesDecision(call, decision);
}

/** The reasons for which a command is refused: the code and message with which the method of the agent rejects. */
export const refusals = {
  busy: (): Refusal => ({
    code: "run/busy",
    message: "Agent is still running, please wait for it to finish",
  }),
  notRunning: (): Refusal => ({ code: "run/not-running", message: "No turn is running." }),
  schemaMissing: (): Refusal => ({
    code: "run/output-schema-missing",
    message:
      "The turn is to give a structured answer, and its schema cannot be stored; expected the option `output` with the schema of the call that began it.",
  }),
  unknownCall: (context: AgentContext, { callId }: Decide): Refusal => {
    const open = openCalls(context).find(({ call }) => call.id === callId);
    const asks = open ? asksOf(open).map(({ ask }) => `${callId}/${ask.id}`) : [];
    if (asks.length > 0)
      return {
        code: "run/bad-results",
        message: `Call '${callId}' has asked ${asks.length} questions; expected one of ${asks.join(", ")}.`,
        data: { callId },
      };
    if (!open)
      return {
        code: "run/bad-results",
        message: `No open call has the id '${truncated(callId)}'.`,
        data: { callId },
      };
    return {
      code: "run/bad-decision",
      message: `Call '${callId}' waits for no decision now: its status is "${open.status}".`,
      data: { callId, allowed: [] },
    };
  },
  staleWrite: ({ slots }: AgentContext, { name, seen }: SlotWrite): Refusal => ({
    code: "slot/conflict",
    message: `Slot '${name}' has the revision ${revisionOf(slots, name)}, and the new value was made for revision ${seen}.`,
    data: { slot: name, revision: revisionOf(slots, name) },
  }),
  slotInUse: (_: AgentContext, { name }: SlotWrite): Refusal => ({
    code: "slot/conflict",
    message: `A call that may write slot '${name}' is running; write the slot when it has ended.`,
    data: { slot: name },
  }),
  staleDecision: (context: AgentContext, { callId }: Decide): Refusal => ({
    code: "run/stale-decision",
    message: isDecided(context, callId)
      ? `Call '${callId}' is decided already; the first decision counts.`
      : `The arguments or the tool of call '${callId}' have changed since the decision was made.`,
    data: { callId },
  }),
  expiredDecision: (_: AgentContext, { callId }: Decide): Refusal => ({
    code: "run/stale-decision",
    message: `The time to decide about call '${callId}' is over.`,
  }),
  wrongDecision: (context: AgentContext, { callId, decision }: Decide): Refusal => {
    const call = pendingCall(context, callId)!;
    const allowed = allowedFor(call);
    const code = "run/bad-decision";
    if (!allowed.includes(nameOf(decision))) {
      const message =
        call.waitsFor === "unknownOutcome"
          ? `Call '${callId}' may have run already; expected one of the decisions ${AFTER_UNKNOWN_OUTCOME}.`
          : `'${callId}' does not take the decision "${nameOf(decision)}"; expected one of ${allowed.join(", ")}.`;
      return { code, message, data: { callId, allowed } };
    }
    const problem = responseProblem(call, decision)!.replace(/\.$/u, "");
    const message = `The response to '${callId}' does not fit its schema: ${problem}.`;
    return { code: "run/bad-results", message, data: { callId } };
  },
  leftToOthers: ({ settings }: AgentContext, { context, agent }: Load): Refusal => {
    const { agent: name, sessionId, onChangedAgent: policy } = settings;
    const change = changeInTurn(context, agent)!;
    const expected = policy === "pin" ? "an agent of that release" : "a person";
    return {
      code: "session/agent-changed",
      message: `Session '${sessionId}' is in a turn that another release of agent '${name}' began, and waits for ${expected}. Changed: ${describeChange(change)}.`,
      data: { sessionId, policy, change },
    };
  },
  mustEndFirst: (): Refusal => ({
    code: "run/pending",
    message:
      "The hooks at the end of the last turn were cut off; expected a call without input, which ends it.",
  }),
  isOpen: (_: AgentContext, { type }: { readonly type: string }): Refusal => ({
    code: "run/pending",
    message: `The turn has not ended; expected ${type === "session.edit" ? "edit" : "compact"}() between two turns.`,
  }),
  neverCompacts: (): Refusal => ({
    code: "config/invalid",
    message: "The agent has `compaction: false`, so that it compacts nothing.",
  }),
  /** An outcome of a service that was stopped, or an event that this state does not know. */
  unexpected: (_: AgentContext, { type }: { readonly type: string }): Refusal => ({
    code: "run/invalid-event",
    message: `The event '${type}' has no meaning in this state.`,
  }),
};

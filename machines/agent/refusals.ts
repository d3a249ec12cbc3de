import type { Refusal } from "../chart/definition.ts";
import type { AgentContext, CallRecord } from "./context.ts";
import type { AgentCommand } from "./events.ts";
import { describeChange } from "../../src/tool/fingerprint.ts";
import { revisionOf } from "../../src/tool/stored-slots.ts";
import { changeInTurn } from "./updates/changed-agent.ts";
import { openCalls, pendingCalls } from "./updates/calls.ts";

type Decide = Extract<AgentCommand, { readonly type: "tool.decide" }>;
type Write = Extract<AgentCommand, { readonly type: "slot.write" }>;
type Load = Extract<AgentCommand, { readonly type: "session.load" }>;

const pendingCall = (context: AgentContext, callId: string) =>
  pendingCalls(context).find((call) => call.callId === callId);

/** True for a call that no result, no permission and no attempt has settled yet. */
function isOpen({ status, stored, result }: CallRecord): boolean {
  const isWaiting = status === "pending" || status === "suspended" || status === "unknown";
  return isWaiting && !stored && result === undefined;
}

/** No open call waits for this decision. */
export function isUnknownCall(context: AgentContext, { callId }: Decide): boolean {
  const record = context.calls.find(({ call }) => call.id === callId);
  return !pendingCall(context, callId) || !record || !isOpen(record);
}

/** The arguments or the tool of the call are not those that the decision was made for. */
export function isStaleDecision(
  context: AgentContext,
  { callId, argsHash, at, madeAt = at }: Decide,
): boolean {
  if (argsHash !== undefined && argsHash !== pendingCall(context, callId)?.argsHash) return true;
  const record = context.calls.find(({ call }) => call.id === callId);
  return madeAt < (record?.askedAgainAt ?? Number.NEGATIVE_INFINITY);
}

/** The decision was made after the approval had expired. */
export function isExpiredDecision(context: AgentContext, { callId, at, madeAt = at }: Decide): boolean {
  return (pendingCall(context, callId)?.expiresAt ?? Number.POSITIVE_INFINITY) <= madeAt;
}

/** The decisions that may be made about a call that may have run: none of them gives a permission or new arguments. */
const AFTER_UNKNOWN_OUTCOME = '"retry", { answer }, "deny" or { deny: text }';

/** The call may have run already, and the decision is neither to run it again nor a result of it. */
export function isWrongDecision({ calls }: AgentContext, { callId, decision }: Decide): boolean {
  if (calls.find(({ call }) => call.id === callId)?.status !== "unknown") return false;
  return (
    decision === "approve" || (typeof decision === "object" && ("approve" in decision || "edit" in decision))
  );
}

/** Why a command is refused: the code and message with which the method of the agent rejects. */
export const refusals = {
  busy: (): Refusal => ({
    code: "run/busy",
    message: "Agent is still running, please wait for it to finish",
  }),
  notRunning: (): Refusal => ({ code: "run/not-running", message: "No turn is running." }),
  unknownCall: (context: AgentContext, { callId }: Decide): Refusal => {
    const open = openCalls(context).find(({ call }) => call.id === callId);
    if (!open)
      return { code: "run/bad-results", message: `No open call has the id '${callId}'.`, data: { callId } };
    return {
      code: "run/bad-decision",
      message: `Call '${callId}' waits for no decision now: its status is "${open.status}".`,
      data: { callId, allowed: [] },
    };
  },
  staleWrite: ({ slots }: AgentContext, { name, seen }: Write): Refusal => ({
    code: "slot/conflict",
    message: `Slot '${name}' has the revision ${revisionOf(slots, name)}, and the new value was made for revision ${seen}.`,
    data: { slot: name, revision: revisionOf(slots, name) },
  }),
  slotInUse: (_: AgentContext, { name }: Write): Refusal => ({
    code: "slot/conflict",
    message: `A call that may write slot '${name}' is running; write the slot when it has ended.`,
    data: { slot: name },
  }),
  staleDecision: (_: AgentContext, { callId }: Decide): Refusal => ({
    code: "run/stale-decision",
    message: `The arguments or the tool of call '${callId}' have changed since the decision was made.`,
  }),
  expiredDecision: (_: AgentContext, { callId }: Decide): Refusal => ({
    code: "run/stale-decision",
    message: `The time to decide about call '${callId}' is over.`,
  }),
  wrongDecision: (_: AgentContext, { callId }: Decide): Refusal => ({
    code: "run/bad-decision",
    message: `Call '${callId}' may have run already; expected one of the decisions ${AFTER_UNKNOWN_OUTCOME}.`,
    data: { callId, allowed: ["retry", "answer", "deny"] },
  }),
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
  isOpen: (): Refusal => ({
    code: "run/pending",
    message: "The turn has not ended; expected compact() between two turns.",
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

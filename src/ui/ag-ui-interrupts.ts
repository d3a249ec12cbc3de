import type { PendingCall } from "../core/tool/pending.ts";
import type { AgUiEvent, AgUiInterrupt } from "./ag-ui-event.ts";

type Outcome = Extract<AgUiEvent, { readonly type: "RUN_FINISHED" }>["outcome"];

const APPROVAL = {
  type: "object",
  properties: {
    approved: { type: "boolean" },
    reason: { type: "string" },
    editedArgs: { type: "object" },
  },
  required: ["approved"],
};

/** The id of an interrupt: of this call with these arguments, or of this question as it was asked now. */
export const interruptIdOf = ({ callId, argsHash }: PendingCall): string => `${callId}#${argsHash}`;

/** True for a question whose answer is a value, and not an approval. */
export const isQuestion = ({ waitsFor, ask }: PendingCall): boolean =>
  waitsFor === "answer" && ask?.kind !== "approval";

function interruptOf(call: PendingCall): AgUiInterrupt {
  const { callId, waitsFor, reason, expiresAt, answerSchema, ask } = call;
  const schema = isQuestion(call) ? answerSchema : APPROVAL;
  return {
    id: interruptIdOf(call),
    reason: waitsFor,
    ...(reason !== undefined && { message: reason }),
    toolCallId: ask ? callId.slice(0, Math.max(callId.lastIndexOf("/"), 0)) || callId : callId,
    ...(schema && { responseSchema: schema }),
    ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt).toISOString() }),
  };
}

/** Returns the outcome of a run that leaves these calls open. A run with interrupts says nothing of calls whose results the page gives. */
export function outcomeOf(pending: readonly PendingCall[]): Outcome {
  const open = pending.filter(({ decided }) => decided === undefined);
  const interrupts = open.filter(({ waitsFor }) => waitsFor !== "externalResult").map(interruptOf);
  if (interrupts.length > 0) return { type: "interrupt", interrupts };
  const pendingToolCallIds = open.map(({ callId }) => callId);
  return { type: "success", ...(pendingToolCallIds.length > 0 && { pendingToolCallIds }) };
}

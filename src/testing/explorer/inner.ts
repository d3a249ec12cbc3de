import type { Spent } from "../../../machines/agent/call-record.ts";
import type { Ask, Decision, PendingCall } from "../../core/tool/pending.ts";
import type { Suspension } from "../../core/tool/types.ts";

/** A call that waits inside of another one. */
function innerCall(id: string, waitsFor: PendingCall["waitsFor"]): Ask {
  const call = { callId: id, name: "pay", input: {}, argsHash: id, waitsFor, since: 0 };
  return { id, kind: "approval", message: id, call };
}

/** The suspension of an agent inside of a call in a round: the approval of two calls, then what became of one. */
export function innerSuspension(round: number): Suspension | undefined {
  const asks = [[innerCall("a", "approval"), innerCall("b", "approval")], [innerCall("a", "unknownOutcome")]][
    round
  ];
  return asks && { suspended: true, then: "resume", state: `round ${round}`, asks };
}

/** The decisions that people may make about it, and the waiting calls that take each. */
export const INNER_DECISIONS: readonly (readonly [string, Decision, readonly PendingCall["waitsFor"][]])[] = [
  ["approve", "approve", ["approval"]],
  ["deny", "deny", ["approval", "unknownOutcome"]],
  ["retry", "retry", ["approval", "unknownOutcome"]],
  ["respond", { respond: 1 }, []],
];

/** The usage of the agent inside of a call in all when it waits in a round, or ends. */
export const innerSpent = (round: number): Spent => ({ modelCalls: round + 1, toolCalls: 0, usage: {} });

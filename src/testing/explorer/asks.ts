import type { CallRecord, Spent } from "../../../machines/agent/call-record.ts";
import type { Ask, Decision, PendingCall } from "../../core/tool/pending.ts";
import type { Suspension } from "../../core/tool/types.ts";
import type { Move } from "./move.ts";

const question = (id: string): Ask => ({ id, kind: "form", message: id, schema: { type: "integer" } });

/** The answer of a tool that asks twice, by its round: two questions, then one; then it has its result. */
export function suspensionIn(round: number): Suspension | undefined {
  const asks = [[question("a"), question("b")], [question("a")]][round];
  return asks && { suspended: true, then: "resume", state: `round ${round}`, asks };
}

/** The answers that people may give to a question. */
export const RESPONSES: readonly (readonly [string, Decision])[] = [
  ["respond", { respond: 1 }],
  ["respond with another type", { respond: "one" }],
  ["cancel", { cancel: true }],
];

/** Returns the answers that people may give to the questions of a call. */
export function answers({ call, status, resume }: CallRecord, name: string, at: number): readonly Move[] {
  if (status !== "suspended" || !resume) return [];
  return resume.asks.flatMap(({ ask }) =>
    (ask.call ? INNER_DECISIONS : RESPONSES).map(([what, decision]): Move => {
      const callId = `${call.id}/${ask.id}`;
      return {
        label: `tool.decide(${what}) on ask ${ask.id} of ${name}`,
        group: `tool.decide(${what}) on an ask`,
        kind: "outside",
        events: [{ type: "tool.decide", at, callId, decision }],
        meaning: { answers: `${callId} of round ${resume.round}` },
      };
    }),
  );
}

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

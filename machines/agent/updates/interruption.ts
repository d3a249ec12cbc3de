import { toolResultsOf, toolUsesOf } from "../../../src/core/message/msg.ts";
import type { Msg, ToolUseBlock } from "../../../src/core/message/types.ts";
import { interruptedResult } from "../../../src/core/tool/results.ts";
import type { PendingCall } from "../../../src/core/tool/pending.ts";
import { closeCalls, openCalls, waitingCalls, withoutResults } from "./calls.ts";
import type { CallRecord } from "../call-record.ts";
import { freshTurn, makeMessage, type AgentContext, type Change, type Interruption } from "../context.ts";
import { endTurn, marked } from "./ending.ts";
import { beginsTurn, carriesResults, takeResults } from "./entry.ts";
import { append, openBatch } from "../facts.ts";
import { closeOrphans, orphansOf } from "./history.ts";
import { hasOutput, keepOutput } from "./output.ts";
import { storeDraft } from "./reasoning.ts";

/** AgentScope's recovery text. */
export const RECOVERY_TEXT = "I noticed that you have interrupted me. What can I do for you?";

/** Stores the answer of a turn that was interrupted after it, and ends the turn with it. */
export function keepAnswer(context: AgentContext): Change {
  const { draft, inbox } = context;
  const message = marked(draft!.message);
  const stored = storeDraft({
    ...context,
    draft: { ...draft!, message },
    inbox: { ...inbox, steering: [] }, // the messages of the interrupt follow the answer
  });
  const now = { ...context, ...stored };
  return { ...stored, ...(hasOutput(now) ? keepOutput(now) : endTurn(now, "MODEL_STOP")) };
}

/** Marks the reply of a turn that is interrupted when it has its reply. */
export function markReply({ outcome }: AgentContext): Change {
  return outcome?.reply ? { outcome: { ...outcome, reply: marked(outcome.reply) } } : {};
}

export function noteInterruption(
  context: AgentContext,
  event: Interruption & { readonly at: number },
): Change {
  const { cause, message, reply, at } = event;
  const { inbox } = context;
  return {
    at,
    ...(message && { inbox: { ...inbox, steering: [...inbox.steering, message] } }),
    request: { ...context.request, graceAt: at + context.settings.interruptGraceMs },
    interruption: {
      ...context.interruption,
      cause: cause === "user" ? (context.interruption?.cause ?? cause) : cause,
      ...(message && { message }),
      ...(reply !== undefined && { reply }),
      pending: context.interruption?.pending ?? waitingCalls(context),
    },
  };
}

/** True if another interrupt adds a message or a new cause to a turn that was already interrupted. */
export function saysMore({ outcome }: AgentContext, { cause, message }: Interruption): boolean {
  return message !== undefined || (cause !== "user" && cause !== outcome?.cause);
}

/** Stores the message of a later interrupt after the end of the interrupted turn. */
export function noteLateInterruption(
  { inbox, outcome }: AgentContext,
  { at, cause, message }: Interruption & { readonly at: number },
): Change {
  return {
    at,
    ...(message && { inbox: { ...inbox, steering: [...inbox.steering, message] } }),
    ...(outcome && cause !== "user" && { outcome: { ...outcome, cause } }),
  };
}

/** The calls that the interrupt ended: those that were open, also in the partial answer, and have no result of their own. */
function cutOffBy(
  interruption: Interruption | null,
  open: readonly PendingCall[],
  closed: AgentContext,
): readonly PendingCall[] {
  const calls = new Map([...(interruption?.pending ?? []), ...open].map((call) => [call.callId, call]));
  const results = closed.transcript.slice(closed.progress.turnAt).flatMap(toolResultsOf);
  return results.flatMap(({ id, state }) =>
    state === "interrupted" && calls.has(id) ? [calls.get(id)!] : [],
  );
}

/** Accepts the input of a call that was interrupted before its input was accepted. */
function interruptedEntry(context: AgentContext): AgentContext {
  if (carriesResults(context)) {
    const taken = { ...context, ...takeResults(context) };
    return openCalls(taken).length > 0 ? taken : closeOrphans(taken);
  }
  const closed = openCalls(context).length > 0 ? context : closeOrphans(context);
  const entersTurn = closed.inbox.input.length > 0 && beginsTurn(closed);
  const isTurn = entersTurn && orphansOf(closed).length === 0; // orphans that are not to be closed keep the history unchecked
  return isTurn ? { ...closed, progress: freshTurn(closed) } : closed;
}

/** Returns the message of the agent after an interrupt; without a text, the reply that is not stored. */
export function recoveryOf(context: AgentContext, text?: string): Msg {
  return {
    ...makeMessage(context, "assistant", text === undefined ? [] : [{ type: "text", text }]),
    metadata: { interrupted: true },
    reason: "INTERRUPTED",
  };
}

/** The session with the part of an answer that there is, whose calls are open. */
function withPart(context: AgentContext, message: Msg, asks: readonly ToolUseBlock[]): AgentContext {
  const { transcript, progress, at } = context;
  const calls = asks.map((call): CallRecord => ({
    call,
    status: "pending",
    hooked: false,
    stored: false,
    attempt: 0,
    since: at,
  }));
  const appended: AgentContext = { ...context, ...append(context, [message]) };
  return {
    ...appended,
    ...openBatch(appended, calls),
    draft: null,
    progress: { ...progress, batchAt: calls.length > 0 ? transcript.length : -1 },
  };
}

/** Stores, in order: the partial answer, the missing results, the message of the interrupt, the recovery text if there is one. */
export function settleInterruption(context: AgentContext): Change {
  const { draft, interruption } = context;
  const taken = interruptedEntry(context);
  const asks = draft && toolUsesOf(draft.message);
  const isWorthKeeping = draft !== null && draft.message.content.length > 0;
  const kept = isWorthKeeping ? withPart(taken, draft.message, asks ?? []) : { ...taken, draft: null };
  const closed = closeCalls(kept, ({ call, status, attempt }) =>
    interruptedResult(call, status === "running" || attempt > 0),
  );
  const { queued, input, steering } = closed.inbox;
  const said = interruption?.reply ?? closed.settings.interruptReply;
  const recovery = said === null ? undefined : recoveryOf(closed, said);
  return {
    ...closed,
    progress: {
      ...closed.progress,
      made: closed.progress.made + 1,
      continues: false,
      exceeded: null,
      resumeAt: null,
    },
    inbox: { input: [], queued: [], steering: [] },
    ...append(closed, [...queued, ...withoutResults(input), ...steering, ...(recovery ? [recovery] : [])]),
    outcome: {
      reason: "INTERRUPTED",
      ...(recovery && { reply: recovery }),
      ...(interruption && { cause: interruption.cause }),
    },
    interruption: interruption && {
      ...interruption,
      pending: cutOffBy(interruption, waitingCalls(kept), closed),
    },
    failure: null,
    stop: false,
    goto: null,
  };
}

import { AgentError, type ErrorInfo } from "../../../src/core/base/error.ts";
import { toolResultsOf, toolUsesOf } from "../../../src/core/message/query.ts";
import type { Transcript } from "../../../src/core/message/transcript.ts";
import type { Block, Msg, Reason, ToolUseBlock } from "../../../src/core/message/types.ts";
import {
  interruptedResult,
  limitResult,
  recoveredResult,
  suspendedResult,
} from "../../../src/core/tool/results.ts";
import { closeCalls, openCalls, waitingCalls, withoutResults } from "./calls.ts";
import type { CallRecord } from "../call-record.ts";
import {
  freshRequest,
  freshTurn,
  type AgentContext,
  type Change,
  type Ending,
  type Interruption,
} from "../context.ts";
import { beginsTurn, carriesResults, takeResults, withoutRest } from "./entry.ts";
import { append, declare, openBatch } from "../facts.ts";
import { makeMessage } from "./messages.ts";
import { closeOrphans, orphansOf } from "./orphans.ts";
import type { PendingCall } from "../../../src/core/tool/pending.ts";
import type { HooksOutcome } from "../services.ts";
import { hasOutput, keepOutput } from "./output.ts";
import { isEmptyAnswer, messageOf, storeDraft } from "./reasoning.ts";
import { viewAfterFailure } from "./refused-content.ts";
import { deliverWaiting } from "./waiting.ts";

/** AgentScope's recovery text. */
export const RECOVERY_TEXT = "I noticed that you have interrupted me. What can I do for you?";

/** The last message of the model; results of its calls may follow it. */
export function lastAnswer(transcript: Transcript): Msg | undefined {
  let index = transcript.length - 1;
  while (index > 0 && transcript.at(index)!.role !== "assistant") index--;
  return transcript.at(index);
}

/** Sets the reason and the reply of a turn whose answer is stored. */
export function endTurn(context: AgentContext, reason: Reason): Change {
  const isStoppedAnswer = reason === "REASONING_STOP_REQUESTED";
  const last = isStoppedAnswer ? lastAnswer(context.transcript) : context.transcript.at(-1);
  const continues = reason === "ACTING_STOP_REQUESTED" || (isStoppedAnswer && context.calls.length === 0);
  return {
    outcome: { reason, ...(last && { reply: { ...last, reason } }) },
    stop: false,
    goto: null,
    progress: { ...context.progress, continues },
  };
}

/** Suspends the turn. The reply shows the open calls and is never stored. */
export function suspendTurn(context: AgentContext, reason: Reason): Change {
  const reply = suspendedReply(context, reason);
  const progress = { ...context.progress, made: context.progress.made + 1 };
  return { outcome: { reason, reply }, progress, stop: false, goto: null };
}

function suspendedReply(context: AgentContext, reason: Reason): Msg {
  const { transcript } = context;
  const { batchAt } = context.progress;
  if (reason === "REASONING_STOP_REQUESTED") return { ...transcript.at(batchAt)!, reason };
  if (reason === "ACTING_STOP_REQUESTED") return { ...transcript.at(-1)!, reason };
  const open = openCalls(context);
  const content: Block[] =
    reason === "TOOL_SUSPENDED"
      ? open.flatMap((record) => [record.call, suspendedResult(record.call, record.reason)])
      : context.calls.map(({ call }) => call);
  return { ...makeMessage(context, "assistant", content), reason };
}

/** The message of a turn that was interrupted when it had its answer. */
function marked(message: Msg): Msg {
  return { ...message, metadata: { ...message.metadata, interrupted: true } };
}

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

export function applyPostCall({ outcome, interruption }: AgentContext, { at, reply }: HooksOutcome): Change {
  if (!reply || !outcome) return { at };
  return { at, outcome: { ...outcome, reply: interruption ? marked(reply) : reply } };
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

/** Ends a failed turn: open calls are answered, the input stays, the error is the outcome. */
export function settleFailure(failed: AgentContext): Change {
  const context = { ...failed, ...viewAfterFailure(failed) };
  const closed = closeCalls(context, ({ call }) => recoveredResult(call));
  const { retry: _, ...error } = context.failure ?? {
    code: "run/invalid-event" as const,
    message: "unknown failure",
  };
  return {
    ...closed,
    ...deliverWaiting(closed),
    outcome: { reason: "ERROR", error },
    draft: null,
    stop: false,
    goto: null,
    progress: { ...closed.progress, emptyRetries: 0, continues: false, exceeded: null, resumeAt: null },
  };
}

/** Records what a service threw as data. */
export function recordFailure(context: AgentContext, error: unknown): Change {
  const data: unknown = AgentError.is(error) ? error.toJSON() : error;
  const info = data as (ErrorInfo & { readonly at?: number }) | undefined;
  if (info && typeof info === "object" && typeof info.code === "string") {
    const { at, ...rest } = info;
    return { failure: rest, at: at ?? context.at };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { failure: { code: "config/no-slot", message } };
}

/** Answers the open calls of a turn that reached its iteration limit. */
export function closeForLimit(context: AgentContext): Change {
  const closed = closeCalls(context, ({ call }) => limitResult(call, context.settings.maxIters));
  return { ...closed, ...deliverWaiting(closed) };
}

/** Resets the attempts for the request of the summary. */
export function beginSummary({ request }: AgentContext): Change {
  return { request: freshRequest(request.system) };
}

/** Stores the summary, or a sentence with the error that prevented it. */
export function storeSummary(context: AgentContext): Change {
  const { draft, failure, settings } = context;
  const cause = failure?.message ?? "the model gave an empty answer";
  const message: Msg =
    draft && !failure && !isEmptyAnswer(context)
      ? { ...messageOf(draft), reason: "MAX_ITERATIONS" }
      : {
          ...makeMessage(context, "assistant", [
            {
              type: "text",
              text: `Maximum iterations (${settings.maxIters}) reached. Error generating summary: ${cause}`,
            },
          ]),
          reason: "MAX_ITERATIONS",
        };
  return {
    ...(failure && viewAfterFailure(context)),
    ...append(context, [message]),
    progress: { ...context.progress, made: context.progress.made + 1, continues: false },
    draft: null,
    failure: null,
    outcome: {
      reason: "MAX_ITERATIONS",
      reply: message,
      limit: { name: "maxIters", allowed: settings.maxIters, used: context.progress.iteration },
    },
  };
}

/** Notes the outcome with which hooks run that a crash would cut off. That of a refused call is its refusal. */
export function noteEnding(context: AgentContext, at: Ending["at"]): Change {
  const { progress, outcome, failure } = context;
  const { retry: _, ...error } = failure ?? {
    code: "run/invalid-event" as const,
    message: "unknown failure",
  };
  const noted = at === "doCall.onError" || !outcome ? { reason: "ERROR" as const, error } : outcome;
  return {
    progress: { ...progress, ending: { at, outcome: noted } },
    ...declare(context, { type: "ending" }),
  };
}

/** Goes on where the hooks of the end of a turn were cut off, with the outcome that was noted. The signal or time-out that interrupted
 *  the turn belonged to another call. */
export function resumeEnding(context: AgentContext, { at }: { readonly at: number }): Change {
  const { progress, request, interruption, settings } = context;
  const { at: place, outcome: noted } = progress.ending!;
  const { cause, ...outcome } = noted;
  return {
    at,
    progress: { ...withoutRest(context, at), resumeAt: null, draining: false },
    request: {
      ...request,
      edits: [],
      deadlineAt: null,
      graceAt: interruption && at + settings.interruptGraceMs,
      timedOut: false,
    },
    interruption: interruption && { ...interruption, cause: "user" },
    ...(place !== "doCall.onError" && { outcome: { ...outcome, ...(cause && { cause: "user" as const }) } }),
    failure: noted.error ?? null,
    stop: false,
    draft: null,
  };
}

import {
  AgentError,
  messageOf as messageOfError,
  type ErrorCode,
  type ErrorInfo,
} from "../../../src/core/base/error.ts";
import { isSame } from "../../../src/core/base/json.ts";
import type { Transcript } from "../../../src/core/message/transcript.ts";
import type { Block, Msg, Reason } from "../../../src/core/message/types.ts";
import { limitResult, recoveredResult, suspendedResult } from "../../../src/core/tool/results.ts";
import { closeCalls, openCalls } from "./calls.ts";
import {
  freshRequest,
  inputTurnOf,
  makeMessage,
  type AgentContext,
  type Change,
  type Ending,
  type TurnEnd,
} from "../context.ts";
import { withoutRest } from "./entry.ts";
import { append, declare } from "../facts.ts";
import type { HooksOutcome } from "../services.ts";
import { isEmptyAnswer, messageOf } from "./reasoning.ts";
import { viewAfterFailure } from "./view.ts";

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
export function marked(message: Msg): Msg {
  return { ...message, metadata: { ...message.metadata, interrupted: true } };
}

export function applyPostCall({ outcome, interruption }: AgentContext, { at, reply }: HooksOutcome): Change {
  if (!reply || !outcome) return { at };
  return { at, outcome: { ...outcome, reply: interruption ? marked(reply) : reply } };
}

/** Moves waiting messages into the transcript, unless calls are still open (I2). */
export function deliverWaiting(context: AgentContext): Change {
  const waiting = [...context.inbox.queued, ...context.inbox.steering];
  if (waiting.length === 0 || openCalls(context).length > 0) return {};
  return {
    ...append(context, waiting),
    inbox: { ...context.inbox, queued: [], steering: [] },
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

/** The code of what a service threw that has none; that of a tool is another one. */
const CODES: { readonly [event: string]: ErrorCode } = {
  "xstate.error.actor.callModel": "model/failed",
  "xstate.error.actor.runHooks": "hook/failed",
  "xstate.error.actor.checkBreakpoints": "store/failed",
  "xstate.error.actor.commit": "store/failed",
};

/** Records what a service threw as data. */
export function recordFailure(
  context: AgentContext,
  { type, error }: { readonly type: string; readonly error: unknown },
): Change {
  const data: unknown = AgentError.is(error) ? error.toJSON() : error;
  const info = data as (ErrorInfo & { readonly at?: number }) | undefined;
  if (info && typeof info === "object" && typeof info.code === "string") {
    const { at, ...rest } = info;
    return { failure: rest, at: at ?? context.at };
  }
  return { failure: { code: CODES[type] ?? "tool/failed", message: messageOfError(error) } };
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

/** True if the agent refused the call that has just ended: the outcome is then still that of the previous call. */
export function isRefused({ outcome, failure }: Pick<AgentContext, "outcome" | "failure">): boolean {
  if (!failure || outcome?.reason === "SHUTDOWN") return false;
  return outcome?.error?.code !== failure.code || outcome.error.message !== failure.message;
}

/** The reply that the caller got, if hooks have made it another one than the answer that is stored. */
function ownReply({ outcome, transcript }: AgentContext): Msg | undefined {
  const { reply } = outcome ?? {};
  if (!reply?.changedBy) return undefined;
  const answer = transcript.at(-1)?.role === "assistant" ? transcript.at(-1) : lastAnswer(transcript);
  return isSame(answer?.content, reply.content) ? undefined : reply;
}

/** Returns the way in which the turn has come to rest; undefined if there was no turn. */
function endOf(context: AgentContext): TurnEnd | undefined {
  const { outcome, failure, progress } = context;
  const turn = inputTurnOf(progress);
  const reason = outcome?.reason ?? "ERROR";
  if (failure) {
    const { retry: _, ...error } = failure;
    return { reason, turn, error, ...(isRefused(context) && { isRefusal: true }) };
  }
  const reply = ownReply(context);
  const { limit } = outcome ?? {};
  return outcome ? { reason, turn, ...(reply && { reply }), ...(limit && { limit }) } : undefined;
}

/** Settles a call: temporary fields are cleared. An unfinished turn keeps the fields it needs to continue. */
export function settleCall(context: AgentContext): Change {
  const { at, progress, inbox, request, calls, failure } = context;
  const end = endOf(context);
  const wasEnding = !!progress.ending;
  const facts = declare(context, { type: "settled", wasEnding, ...(end && { end }) });
  const restedAt = progress.restedAt ?? at;
  const settled = {
    ...progress,
    settled: progress.settled + 1,
    draining: false,
    restedAt,
    ...(progress.ending && { ending: null }),
  };
  const { wanted: _, clientTools: __, ...rested } = inbox;
  if (progress.resumeAt !== null) {
    return { ...facts, progress: settled, draft: null, inbox: failure ? { ...rested, input: [] } : inbox };
  }
  const goesOn = calls.length > 0 || progress.exceeded !== null || progress.continues;
  return {
    ...facts,
    progress: { ...settled, stopping: false },
    inbox: { ...rested, input: [] },
    request: freshRequest(request.system),
    draft: null,
    interruption: null,
    ...(goesOn ? {} : { wanted: null }),
  };
}

/** Parks the turn of a process that shuts down; any process can continue it. */
export function park(
  context: AgentContext,
  place: NonNullable<AgentContext["progress"]["resumeAt"]>,
): Change {
  return {
    outcome: { reason: "SHUTDOWN" },
    progress: { ...context.progress, resumeAt: place, draining: false },
    failure: {
      code: "run/shutdown",
      message: "The agent was shut down; call() goes on with the turn, in any process.",
    },
  };
}

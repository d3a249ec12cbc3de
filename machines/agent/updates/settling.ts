import { isSame } from "../../../src/core/base/is-same.ts";
import type { Msg } from "../../../src/core/message/types.ts";
import { freshRequest, inputTurnOf, type AgentContext, type Change } from "../context.ts";
import { declare } from "../facts.ts";
import type { TurnEnd } from "../turn-end.ts";
import { lastAnswer } from "./ending.ts";

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

import type { Msg } from "../../../src/core/message/types.ts";
import { append } from "../facts.ts";
import { openCalls } from "./calls.ts";
import type { AgentContext, Change } from "../context.ts";

/** Moves waiting messages into the transcript, unless calls are still open (I2). */
export function deliverWaiting(context: AgentContext): Change {
  const waiting = [...context.inbox.queued, ...context.inbox.steering];
  if (waiting.length === 0 || openCalls(context).length > 0) return {};
  return {
    ...append(context, waiting),
    inbox: { ...context.inbox, queued: [], steering: [] },
  };
}

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

/** The next time that running services wait for: the deadline of the model, or the first deadline or retry of the calls, epoch ms.
 *  Null if there is none. A retry that is due but exceeds the parallel limit waits for a running call instead. */
export function nextInstant({ at, calls, request }: AgentContext): number | null {
  let next = request.deadlineAt ?? Number.POSITIVE_INFINITY;
  for (const record of calls) {
    const { status } = record; // asked for each result of a batch: of most calls nothing else is read
    if (status === "running") next = Math.min(next, record.deadlineAt ?? next);
    else if (status === "approved" && (record.notBeforeAt ?? at) > at)
      next = Math.min(next, record.notBeforeAt!);
  }
  return next === Number.POSITIVE_INFINITY ? null : next;
}

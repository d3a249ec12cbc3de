import type { AgentContext } from "../context.ts";

/** The next time that running services wait for: the deadline of the model, or the first deadline or retry of the calls, epoch ms.
 *  Null if there is none. A retry that is due but exceeds the parallel limit waits for a running call instead. */
export function nextInstant({ at, calls, request }: AgentContext): number | null {
  let next = request.deadlineAt ?? Number.POSITIVE_INFINITY;
  for (const { status, deadlineAt, notBeforeAt = at } of calls) {
    if (status === "running") next = Math.min(next, deadlineAt ?? next);
    else if (status === "approved" && notBeforeAt > at) next = Math.min(next, notBeforeAt);
  }
  return next === Number.POSITIVE_INFINITY ? null : next;
}

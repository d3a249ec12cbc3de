import type { AgentContext } from "../context.ts";

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

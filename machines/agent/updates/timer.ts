import type { AgentContext } from "../context.ts";

/** The next time that running services wait for: the deadline of the model, or the first deadline or retry of the calls, epoch ms.
 *  Null if there is none. A retry that is due but exceeds the parallel limit waits for a running call instead. */
export function nextInstant({ at, calls, request }: AgentContext): number | null {
  const instants = calls.flatMap(({ status, deadlineAt, notBeforeAt = at }) => {
    if (status === "running") return deadlineAt === undefined ? [] : [deadlineAt];
    return status === "approved" && notBeforeAt > at ? [notBeforeAt] : [];
  });
  if (request.deadlineAt !== null) instants.push(request.deadlineAt);
  return instants.length === 0 ? null : Math.min(...instants);
}

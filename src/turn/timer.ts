import type { AgentContext } from "./context.ts";

/** The next instant that is waited for while services run: the model's deadline, or the first deadline or retry among
 *  the calls. Null where nothing has a limit. A retry that is due and has no room waits for no instant. */
export function nextInstant({ at, calls, request }: AgentContext): number | null {
  const instants = calls.flatMap(({ status, deadlineAt, notBeforeAt = at }) => {
    if (status === "running") return deadlineAt === undefined ? [] : [deadlineAt];
    return status === "approved" && notBeforeAt > at ? [notBeforeAt] : [];
  });
  if (request.deadlineAt !== null) instants.push(request.deadlineAt);
  return instants.length === 0 ? null : Math.min(...instants);
}

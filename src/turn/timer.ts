import type { AgentContext } from "./context.ts";

/** The next instant that is waited for while services run: the model's deadline, or the first deadline or retry among
 *  the calls. Null where nothing has a limit. */
export function nextInstant({ calls, request }: AgentContext): number | null {
  const instants = calls.flatMap(({ status, deadlineAt, notBeforeAt }) => {
    if (status === "running") return deadlineAt === undefined ? [] : [deadlineAt];
    return status === "approved" && notBeforeAt !== undefined ? [notBeforeAt] : [];
  });
  if (request.deadlineAt !== null) instants.push(request.deadlineAt);
  return instants.length === 0 ? null : Math.min(...instants);
}

import type { AgentContext } from "../context.ts";
import type { TimedAttempt } from "../services.ts";

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

/** The attempts that the next instant may put an end to and that could be made again. */
export function timedAttempts({ calls, request, settings }: AgentContext): readonly TimedAttempt[] {
  if (request.deadlineAt !== null) {
    const isLast = request.attempt >= (settings.model.maxAttempts ?? 1);
    return isLast ? [] : [{ id: "model", deadlineAt: request.deadlineAt }];
  }
  return calls.flatMap(({ call, status, attempt, deadlineAt, execution }) => {
    const isTimed = status === "running" && deadlineAt !== undefined;
    const isLast = attempt >= (execution?.maxAttempts ?? 1);
    return isTimed && !isLast ? [{ id: call.id, tool: call.name, deadlineAt }] : [];
  });
}

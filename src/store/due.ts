import type { DuePage, SessionInfo, SessionInput } from "./port.ts";

/** When an input is due; 0 for one that is due at once. */
export function dueTime({ dueAt = 0 }: Pick<SessionInput, "dueAt">): number {
  return dueAt;
}

/** Whether a session whose lease is free is to be gone on with; `info` is undefined for one that has inputs only. */
export function isSessionDue(info: SessionInfo | undefined, hasInput: boolean, before: number): boolean {
  if (!info) return hasInput;
  const { phase, wakeAt = Number.POSITIVE_INFINITY } = info;
  if (phase === "quarantined") return false;
  return hasInput || phase === "running" || phase === "unfinished" || wakeAt <= before;
}

/** A page of `limit` ids, given at least one more if there is one. */
export function duePage(sessionIds: readonly string[], limit: number): DuePage {
  const page = sessionIds.slice(0, limit);
  return { sessionIds: page, ...(sessionIds.length > limit && limit > 0 && { cursor: page.at(-1)! }) };
}

import type { DuePage, SessionInfo, SessionInput } from "./port.ts";

/** Returns when an input is due, epoch ms; 0 for one that is due at once. */
export function dueTime({ dueAt = 0 }: Pick<SessionInput, "dueAt">): number {
  return dueAt;
}

/** True if {@link SessionStore.listDue} lists a session whose lease is free. `info` is undefined for a session that has only
 *  inputs; `hasInput`: one of them is due. */
export function isSessionDue(info: SessionInfo | undefined, hasInput: boolean, before: number): boolean {
  if (!info) return hasInput;
  const { phase, wakeAt = Number.POSITIVE_INFINITY } = info;
  if (phase === "quarantined") return false;
  return hasInput || phase === "running" || phase === "unfinished" || wakeAt <= before;
}

/** Returns a page of `limit` ids out of the first `limit + 1`. */
export function duePage(sessionIds: readonly string[], limit: number): DuePage {
  const page = sessionIds.slice(0, limit);
  return { sessionIds: page, ...(sessionIds.length > limit && limit > 0 && { cursor: page.at(-1)! }) };
}

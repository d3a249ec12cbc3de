/** A session that holds something which it gives back before the process exits. */
export type Leaver = {
  /** `exitCode` is absent if the process has nothing left to do but may still wait for a store. */
  leave(exitCode?: number): void;
};

const sessions = new Set<Leaver>();
const whenIdle = (): void => sessions.forEach((session) => session.leave());
const whenExiting = (exitCode: number): void => sessions.forEach((session) => session.leave(exitCode));

/** Lets a session leave when the process is about to exit normally, until {@link stayAtProcessEnd}. In the event `beforeExit` an
 *  asynchronous store has time to answer, in `exit` only a synchronous one has. */
export function leaveAtProcessEnd(session: Leaver): void {
  if (sessions.size === 0) process.on("beforeExit", whenIdle).on("exit", whenExiting);
  sessions.add(session);
}

/** The session has nothing to give back any more. */
export function stayAtProcessEnd(session: Leaver): void {
  if (!sessions.delete(session) || sessions.size > 0) return;
  process.off("beforeExit", whenIdle).off("exit", whenExiting);
}

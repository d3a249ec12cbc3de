/** Gives back what a session holds. `exitCode` is absent if the process has nothing left to do but may still wait for a store. */
type Leave = (exitCode?: number) => void;

const sessions = new Set<Leave>();
const whenIdle = (): void => sessions.forEach((leave) => leave());
const whenExiting = (exitCode: number): void => sessions.forEach((leave) => leave(exitCode));

/** Calls `leave` when the process is about to exit normally, until the returned function is called. In the event `beforeExit`
 *  an asynchronous store has time to answer, in `exit` only a synchronous one has. */
export function onProcessEnd(leave: Leave): () => void {
  if (sessions.size === 0) process.on("beforeExit", whenIdle).on("exit", whenExiting);
  sessions.add(leave);
  return () => {
    sessions.delete(leave);
    if (sessions.size === 0) process.off("beforeExit", whenIdle).off("exit", whenExiting);
  };
}

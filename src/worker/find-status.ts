import { AgentError } from "../core/base/error.ts";
import type { Dispatcher, SessionStatus } from "./types.ts";

/** Returns the status of a session; undefined if it does not exist. */
export async function findStatus(
  dispatcher: Dispatcher,
  sessionId: string,
): Promise<SessionStatus | undefined> {
  return dispatcher.status(sessionId).catch((error: unknown) => {
    if (AgentError.is(error) && error.code === "session/not-found") return undefined;
    throw error;
  });
}

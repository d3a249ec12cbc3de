import { AgentError } from "../base/error.ts";

/** What is said of a session that another process holds, or held until it died. */
export function sessionLocked(sessionId: string, leaseMs: number): AgentError {
  return new AgentError(
    "session/conflict",
    `Session '${sessionId}' is open in another process. If that one was killed, its hold ends within ${leaseMs / 1_000} s.`,
  );
}

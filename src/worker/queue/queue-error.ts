import { AgentError } from "../../core/base/error.ts";

/** The error of a queue that could not do `operation`. Does not quote the transport, whose message may hold a connection string. */
export function queueFailed(operation: string, cause?: unknown): AgentError {
  if (AgentError.is(cause)) return cause;
  return new AgentError("queue/failed", `The queue could not ${operation}.`, { cause, isRetryable: true });
}

/** The error of every call after `close`. */
export function queueClosed(): AgentError {
  return new AgentError("queue/failed", "The queue is closed.");
}

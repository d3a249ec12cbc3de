import { AgentError } from "../../core/base/error.ts";
import { failureCode } from "../../core/base/failure-code.ts";

/** The error of a queue that could not do `operation`. Does not quote the transport, whose message may hold a connection string. */
export function queueFailed(operation: string, cause?: unknown): AgentError {
  if (AgentError.is(cause)) return cause;
  const reason = failureCode(cause) ?? refusalOfRedis(cause);
  const why = reason === undefined ? "" : ` (${reason})`;
  return new AgentError("queue/failed", `The queue could not ${operation}${why}.`, {
    cause,
    isRetryable: true,
  });
}

/** The word with which Redis refuses, such as `WRONGPASS`. */
function refusalOfRedis(cause: unknown): string | undefined {
  const isReply = cause instanceof Error && cause.name === "ReplyError";
  return isReply ? /^[A-Z]{2,20}(?= )/.exec(cause.message)?.[0] : undefined;
}

/** The error of every call after `close`. */
export function queueClosed(): AgentError {
  return new AgentError("queue/failed", "The queue is closed.");
}

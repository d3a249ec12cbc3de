import { AgentError } from "../../base/error.ts";

/** The error of a queue that could not do `operation`. Does not quote the transport, whose message may hold a connection string. */
export function queueFailed(operation: string, cause?: unknown): AgentError {
  if (AgentError.is(cause)) return cause;
  return new AgentError("queue/failed", `The queue could not ${operation}.`, { cause, isRetryable: true });
}

/** The error of every call after `close`. */
export function queueClosed(): AgentError {
  return new AgentError("queue/failed", "The queue is closed.");
}

const isCount = (value: number): boolean => Number.isInteger(value) && value >= 0;

/** Throws `config/invalid` for invalid {@link WakeOptions}. */
export function checkWake({ priority = 0, delayMs = 0 }: { priority?: number; delayMs?: number }): void {
  if (!isCount(priority) || priority > 2_097_152) {
    throw new AgentError(
      "config/invalid",
      `\`priority\` is ${priority}; expected an integer from 0 to 2097152.`,
    );
  }
  if (!isCount(delayMs)) {
    throw new AgentError("config/invalid", `\`delayMs\` is ${delayMs}; expected an integer of at least 0.`);
  }
}

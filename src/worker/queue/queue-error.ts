import { AgentError } from "../../base/error.ts";

/** Never quotes what the transport said, for that may hold a connection string. */
export function queueFailed(doing: string, cause?: unknown): AgentError {
  if (AgentError.is(cause)) return cause;
  return new AgentError("queue/failed", `The queue could not ${doing}.`, { cause, isRetryable: true });
}

export function queueClosed(): AgentError {
  return new AgentError("queue/failed", "The queue is closed.");
}

const WHOLE = (value: number): boolean => Number.isInteger(value) && value >= 0;

/** Throws `config/invalid`. */
export function checkWake({ priority = 0, delayMs = 0 }: { priority?: number; delayMs?: number }): void {
  if (!WHOLE(priority) || priority > 2_097_152) {
    throw new AgentError(
      "config/invalid",
      `\`priority\` is ${priority}; expected a whole number from 0 to 2097152.`,
    );
  }
  if (!WHOLE(delayMs)) {
    throw new AgentError(
      "config/invalid",
      `\`delayMs\` is ${delayMs}; expected a whole number of at least 0.`,
    );
  }
}

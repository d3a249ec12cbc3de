import { AgentError, messageOf } from "../../base/error.ts";
import type { CallWith } from "./in-flight.ts";

const isRefused = (error: unknown): boolean =>
  (error as { readonly cause?: { readonly code?: unknown } } | undefined)?.cause?.code === "ECONNREFUSED";

/** Returns the error of a call that was thrown: whether it may have taken effect, and whether it may be repeated. */
export function callError(server: string, error: unknown, { signal, isIdempotent }: CallWith): unknown {
  if (signal.aborted || AgentError.is(error)) return error;
  const code = (error as { readonly code?: unknown } | undefined)?.code;
  const message = `MCP tool error: ${messageOf(error)}`;
  if (isRefused(error))
    return new AgentError("tool/failed", `${message} (the server '${server}' is not there)`, {
      cause: error,
      isRetryable: true,
    });
  if (code === "REQUEST_TIMEOUT")
    return new AgentError("tool/timeout", message, { cause: error, isRetryable: isIdempotent });
  const isLost = code === "CONNECTION_CLOSED" || /^Connection lost|^Not connected/.test(messageOf(error));
  if (!isLost) return new AgentError("tool/failed", message, { cause: error });
  if (isIdempotent) return new AgentError("tool/failed", message, { cause: error, isRetryable: true });
  const unknown = `${message}. The server '${server}' was lost while the call ran: it may have taken effect.`;
  return new AgentError("tool/outcome-unknown", unknown, { cause: error });
}

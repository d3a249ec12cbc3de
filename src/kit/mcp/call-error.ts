import { AgentError, messageOf } from "../../core/base/error.ts";
import { isObject } from "../../core/base/json.ts";
import type { CallWith } from "./in-flight.ts";
import { CUT_OFF, MALFORMED } from "./mend-answer.ts";
import { isUnauthorized } from "./sign-in.ts";

/** The codes of errors after which it is certain that no request was sent: there was no connection. */
const UNSENT: ReadonlySet<unknown> = new Set([
  ...["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "ENETUNREACH", "UND_ERR_CONNECT_TIMEOUT"],
  ...["DEPTH_ZERO_SELF_SIGNED_CERT", "SELF_SIGNED_CERT_IN_CHAIN", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"],
  ...["CERT_HAS_EXPIRED", "ERR_TLS_CERT_ALTNAME_INVALID", "ERR_SSL_WRONG_VERSION_NUMBER"],
]);
const MAX_CAUSES = 8;

/** True if nothing of a request can have reached its server. */
function isUnsent(error: unknown, depth = 0): boolean {
  if (!isObject(error) || depth > MAX_CAUSES) return false;
  const { errors, code, cause } = error as { errors?: unknown; code?: unknown; cause?: unknown };
  if (Array.isArray(errors) && errors.length > 0) return errors.every((each) => isUnsent(each, depth + 1));
  return UNSENT.has(code) || isUnsent(cause, depth + 1);
}

/** True for the answer of a server that has refused the request, or failed with it by itself. It is an error of the protocol, or a status
 *  below 500 that does not mean that the server gave up waiting. */
function isRefusal(error: unknown): boolean {
  if (isUnauthorized(error)) return true;
  const { code, data } = (error ?? {}) as { readonly code?: unknown; readonly data?: unknown };
  if (typeof code === "number") return code !== CUT_OFF && code !== MALFORMED;
  const status: unknown = isObject(data) ? data["status"] : undefined;
  return typeof status === "number" && status >= 300 && status < 500 && status !== 408;
}

const isMalformed = (error: unknown): boolean => {
  const code: unknown = (error as { readonly code?: unknown } | undefined)?.code;
  return code === MALFORMED || code === "INVALID_RESULT";
};

/** Returns the error of a call that was thrown: whether it may have taken effect, and whether it may be repeated. What the server has not
 *  answered has only failed if it certainly did not reach the server. */
export function callError(server: string, error: unknown, { signal, isIdempotent }: CallWith): unknown {
  if (signal.aborted || AgentError.is(error)) return error;
  const code = (error as { readonly code?: unknown } | undefined)?.code;
  const message = `MCP tool error: ${messageOf(error)}`;
  if (isUnsent(error))
    return new AgentError("tool/failed", `${message} (the server '${server}' is not there)`, {
      cause: error,
      isRetryable: true,
    });
  if (code === "REQUEST_TIMEOUT")
    return new AgentError("tool/timeout", message, { cause: error, isRetryable: isIdempotent });
  if (isRefusal(error)) return new AgentError("tool/failed", message, { cause: error });
  if (isIdempotent)
    return new AgentError("tool/failed", message, { cause: error, isRetryable: !isMalformed(error) });
  const how = isMalformed(error)
    ? "did not answer in the form of the protocol"
    : "was lost while the call ran";
  const unknown = `${message}. The server '${server}' ${how}: it may have taken effect.`;
  return new AgentError("tool/outcome-unknown", unknown, { cause: error });
}

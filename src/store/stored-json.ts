import { AgentError } from "../core/base/error.ts";
import { isObject, type JsonObject } from "../core/base/json.ts";

/** The error for stored bytes that are not what was written. `what` completes "Session 's' is damaged: …". */
export function sessionDamaged(sessionId: string, what: string, cause?: unknown): AgentError {
  return new AgentError("session/damaged", `Session '${sessionId}' is damaged: ${what}.`, {
    data: { sessionId },
    ...(cause !== undefined && { cause }),
  });
}

/** Parses a stored JSON object. `what` names it in the error. Throws `session/damaged` for anything else. */
export function readJson(text: unknown, sessionId: string, what = "its state"): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text as string);
  } catch (error) {
    throw sessionDamaged(sessionId, `${what} is not JSON`, error);
  }
  if (isObject(value)) return value;
  throw sessionDamaged(sessionId, `${what} is not an object`);
}

import { AgentError } from "../base/error.ts";
import type { JsonObject } from "../base/json.ts";

export function sessionDamaged(sessionId: string, what: string, cause?: unknown): AgentError {
  return new AgentError("session/damaged", `Session '${sessionId}' is damaged: ${what}.`, {
    data: { sessionId },
    ...(cause !== undefined && { cause }),
  });
}

/** A stored JSON text; with `seq` it must be the entry of that number. Throws `session/damaged`. */
export function readJson(text: unknown, sessionId: string, seq?: number): JsonObject {
  const what = seq === undefined ? "its state" : `entry ${seq}`;
  let value: unknown;
  try {
    value = JSON.parse(text as string);
  } catch (error) {
    throw sessionDamaged(sessionId, `${what} is no JSON`, error);
  }
  if (typeof value !== "object" || value === null) throw sessionDamaged(sessionId, `${what} is no object`);
  if (seq !== undefined && (value as JsonObject)["seq"] !== seq) {
    throw sessionDamaged(sessionId, `${what} is missing`);
  }
  return value as JsonObject;
}

import { AgentError } from "../core/base/error.ts";
import type { JsonObject } from "../core/base/json.ts";
import { readPending } from "../session/read-pending.ts";
import type { SessionInput, SessionStore } from "../store/port.ts";
import { readPosition } from "../store/position.ts";
import { quarantineOf } from "./quarantine.ts";
import type { SessionStatus } from "./types.ts";

/** {@link SessionStatus.inputs} counts up to this number. */
const MAX_INPUTS = 100;

/** Returns the labels of a session, the name of its agent among them: those of its position, else those of its first input. */
export function sessionMeta(position: JsonObject | undefined, inputs: readonly SessionInput[]): JsonObject {
  const known = readPosition(position ?? {}).meta;
  if (known && typeof known["agent"] === "string") return known;
  const first = inputs.find(({ data }) => typeof data["agent"] === "string")?.data ?? {};
  const { agent, meta } = first as { readonly agent?: string; readonly meta?: JsonObject };
  return { ...meta, ...known, ...(agent !== undefined && { agent }) };
}

/** Implements {@link Dispatcher.status}. */
export async function readStatus(store: SessionStore, sessionId: string): Promise<SessionStatus> {
  const inputs = await store.takeInputs(sessionId, MAX_INPUTS); // first: one that is gone has had its effect in what is loaded then
  const found = await store.load(sessionId);
  if (!found && inputs.length === 0) {
    throw new AgentError("session/not-found", `Session not found: ${sessionId}`);
  }
  const position = found?.position ?? { phase: "stopped" };
  const { phase, reason, waitsFor, wakeAt, error } = readPosition(position);
  const meta = sessionMeta(found?.position, inputs);
  const { agent } = meta as { readonly agent?: string };
  const pending = found && phase === "suspended" ? await readPending(store, sessionId, found) : [];
  const quarantine = quarantineOf(position);
  return {
    sessionId,
    ...(agent !== undefined && { agent }),
    phase,
    ...(reason !== undefined && { reason }),
    ...(error && { error }),
    waitsFor,
    pending: waitsFor.includes("budget") ? [] : pending,
    seq: found?.seq ?? 0,
    ...(wakeAt !== undefined && { wakeAt }),
    meta,
    inputs: inputs.length,
    ...(quarantine && { quarantine }),
  };
}

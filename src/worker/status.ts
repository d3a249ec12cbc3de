import { AgentError } from "../core/base/error.ts";
import type { JsonObject } from "../core/base/json.ts";
import { readPending } from "../session/read-pending.ts";
import type { SessionInput, SessionStore, Lease, LoadedSession, PeekedSession } from "../store/port.ts";
import { readPosition } from "../store/position.ts";
import type { SessionStatus, Quarantine } from "./types.ts";
import { quarantineReason } from "../session/format.ts";

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

/** The number of characters of a reason in a position, which must stay small. */
const MAX_REASON = 120;

/** Returns the quarantine that a position holds. */
export function quarantineOf(position: JsonObject | undefined): Quarantine | undefined {
  const reason = quarantineReason(position);
  if (reason === undefined) return undefined;
  const { at = 0 } = (position?.["quarantine"] ?? {}) as Partial<Quarantine>;
  return { reason, at };
}

async function setPosition(
  store: SessionStore,
  lease: Lease,
  found: LoadedSession | undefined,
  position: JsonObject,
): Promise<void> {
  const { sessionId, fence } = lease;
  await store.append(sessionId, { expectedSeq: found?.seq ?? 0, fence, entries: [], position });
}

/** Quarantines a session, without adding to its journal; `isHeld`: because its agent has changed. Returns false if it was quarantined before. */
export async function quarantine(
  store: SessionStore,
  lease: Lease,
  { reason, at, isHeld = false }: Quarantine & { readonly isHeld?: boolean },
  meta: JsonObject,
): Promise<boolean> {
  const found = await store.load(lease.sessionId);
  if (quarantineOf(found?.position)) return false;
  const { phase = "stopped", ...position } = found?.position ?? {};
  const note = { reason: reason.slice(0, MAX_REASON), at, phase, ...(isHeld && { isHeld }) };
  await setPosition(store, lease, found, { meta, ...position, phase: "quarantined", quarantine: note });
  return true;
}

/** Ends a quarantine: the session has its former phase, and one that was held is released to the agent that opens it next. Returns false if it was not quarantined. Rejects `session/damaged` if it
 *  is quarantined for a damaged journal. */
export async function endQuarantine(store: SessionStore, lease: Lease): Promise<boolean> {
  const { sessionId } = lease;
  const found = await store.load(sessionId);
  const known = quarantineOf(found?.position);
  if (!known) return false;
  const { quarantine: note, ...position } = found?.position ?? {};
  const { phase, isHeld } = (note ?? {}) as JsonObject;
  if (phase === undefined) {
    const message = `Session '${sessionId}' cannot be resumed, because its journal is damaged: ${known.reason}`;
    throw new AgentError("session/damaged", message, { data: { sessionId } });
  }
  await setPosition(store, lease, found, {
    ...position,
    phase,
    ...(isHeld === true && { isReleased: true }),
  });
  return true;
}

/** Peeks at a session, with two operations in a store that cannot do so in one. The position is read first: of an input that has been
 *  acknowledged meanwhile, the worst is that its session looks older than it is. */
export async function peekAt(store: SessionStore, sessionId: string, limit: number): Promise<PeekedSession> {
  if (store.peek) return store.peek(sessionId, limit);
  const found: LoadedSession | undefined = await store.load(sessionId);
  const inputs = limit > 0 ? await store.takeInputs(sessionId, limit) : [];
  return { ...(found && { position: found.position }), inputs };
}

import { AgentError } from "../core/base/error.ts";
import type { JsonObject } from "../core/base/json.ts";
import type { Lease, LoadedSession, SessionStore } from "../store/port.ts";
import { quarantineReason } from "../session/format.ts";
import type { Quarantine } from "./types.ts";

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

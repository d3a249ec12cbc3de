import type { JsonObject } from "../message/types.ts";
import type { Lease, LoadedSession, SessionStore } from "../store/port.ts";
import type { Quarantine } from "./types.ts";

/** A position stays small. */
const MAX_REASON = 120;

/** What a position says of a quarantine. */
export function quarantineOf(position: JsonObject | undefined): Quarantine | undefined {
  if (position?.["phase"] !== "quarantined") return undefined;
  const { reason, at } = (position["quarantine"] ?? {}) as Partial<Quarantine>;
  return { reason: reason ?? "Its journal cannot be read.", at: at ?? 0 };
}

async function moveTo(
  store: SessionStore,
  lease: Lease,
  found: LoadedSession | undefined,
  position: JsonObject,
): Promise<void> {
  const { sessionId, fence } = lease;
  await store.append(sessionId, { expectedSeq: found?.seq ?? 0, fence, entries: [], position });
}

/** Marks a session so that nobody goes on with it; its journal stays as it is. */
export async function quarantine(
  store: SessionStore,
  lease: Lease,
  { reason, at }: Quarantine,
  meta: JsonObject,
): Promise<void> {
  const found = await store.load(lease.sessionId);
  const { phase = "stopped", ...position } = found?.position ?? {};
  const note = { reason: reason.slice(0, MAX_REASON), at, phase };
  await moveTo(store, lease, found, { meta, ...position, phase: "quarantined", quarantine: note });
}

/** The session is as it was before. False if it was not quarantined. */
export async function endQuarantine(store: SessionStore, lease: Lease): Promise<boolean> {
  const found = await store.load(lease.sessionId);
  const { quarantine: note, ...position } = found?.position ?? {};
  if (position["phase"] !== "quarantined" || !note) return false;
  await moveTo(store, lease, found, { ...position, phase: (note as JsonObject)["phase"] ?? "unfinished" });
  return true;
}

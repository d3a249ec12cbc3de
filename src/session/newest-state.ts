import type { LoadedSession, SessionStore } from "../store/port.ts";
import { JournalFold, type Checkpoint, contextOf } from "./fold.ts";
import type { SessionState } from "./format.ts";
import { readEntries } from "./read-entry.ts";
import { READER_SETTINGS } from "./reader-settings.ts";
import type { PendingCall } from "../core/tool/pending.ts";
import { pendingCalls } from "../../machines/agent/updates/calls.ts";
import type { Json } from "../core/base/json.ts";

/** Returns a session without its messages, from its newest checkpoint and the entries after it, so that it costs the same at any length.
 *  Throws `session/damaged` and `session/version`. */
export async function newestState(
  store: SessionStore,
  sessionId: string,
  { checkpoint }: LoadedSession,
): Promise<SessionState> {
  const fold = new JournalFold(READER_SETTINGS, checkpoint);
  const after = (checkpoint as unknown as Checkpoint | undefined)?.seq ?? 0;
  for await (const entry of readEntries(store, sessionId, { after })) fold.pushWithoutMessages(entry);
  return fold.state();
}

/** Returns the open calls of a session. Throws as {@link newestState}. */
export async function readPending(
  store: SessionStore,
  sessionId: string,
  found: LoadedSession,
): Promise<readonly PendingCall[]> {
  return pendingCalls(contextOf(await newestState(store, sessionId, found), READER_SETTINGS));
}

/** The slots of a session that were written, by their names, and how often each was. */
export type WrittenSlots = {
  readonly [name: string]: { readonly value: Json; readonly revision: number };
};

/** Reads the slots of a stored session; none if it does not exist. Throws as {@link newestState}. */
export async function readSlots(store: SessionStore, sessionId: string): Promise<WrittenSlots> {
  const found = await store.load(sessionId);
  if (!found) return {};
  const { slots } = (await newestState(store, sessionId, found)).kept;
  return Object.fromEntries(
    Object.entries(slots).map(([name, { value, revision }]) => [name, { value, revision }]),
  );
}

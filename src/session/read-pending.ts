import type { LoadedSession, SessionStore } from "../store/port.ts";
import type { PendingCall } from "../tool/pending.ts";
import { pendingCalls } from "../../machines/agent/updates/calls.ts";
import { readEntries } from "./read-entry.ts";
import { contextOf, JournalFold, type Checkpoint } from "./fold.ts";
import { READER_SETTINGS } from "./reader-settings.ts";

/** Returns the open calls of a session, from its newest checkpoint and the entries after it. Throws `session/damaged` and
 *  `session/version`. */
export async function readPending(
  store: SessionStore,
  sessionId: string,
  { checkpoint }: LoadedSession,
): Promise<readonly PendingCall[]> {
  const fold = new JournalFold(READER_SETTINGS, checkpoint);
  const after = (checkpoint as unknown as Checkpoint | undefined)?.seq ?? 0;
  for await (const entry of readEntries(store, sessionId, { after })) fold.pushWithoutMessages(entry);
  return pendingCalls(contextOf(fold.state(), READER_SETTINGS));
}

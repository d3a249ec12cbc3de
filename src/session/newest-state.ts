import type { LoadedSession, SessionStore } from "../store/port.ts";
import { JournalFold, type Checkpoint } from "./fold.ts";
import type { SessionState } from "./format.ts";
import { readEntries } from "./read-entry.ts";
import { READER_SETTINGS } from "./reader-settings.ts";

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

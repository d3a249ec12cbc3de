import type { LoadedSession, SessionStore } from "../store/port.ts";
import type { PendingCall } from "../core/tool/pending.ts";
import { pendingCalls } from "../../machines/agent/updates/calls.ts";
import { contextOf } from "./fold.ts";
import { newestState } from "./newest-state.ts";
import { READER_SETTINGS } from "./reader-settings.ts";

/** Returns the open calls of a session. Throws as {@link newestState}. */
export async function readPending(
  store: SessionStore,
  sessionId: string,
  found: LoadedSession,
): Promise<readonly PendingCall[]> {
  return pendingCalls(contextOf(await newestState(store, sessionId, found), READER_SETTINGS));
}

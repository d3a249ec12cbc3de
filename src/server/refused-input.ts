import { errorFrom } from "../core/base/error.ts";
import { readEntries } from "../session/read-entry.ts";
import type { SessionStore } from "../store/port.ts";

/** The time for which a request waits for the outcome of its input, ms: as long as a worker needs that has a free place. */
const WAIT_MS = 1_000;

/**
 * Waits until a worker has taken the input `inputId` of a session, and rejects with the error of a worker that refuses it. Only the agent of
 * the session knows what is to be refused, so the answer is a worker's. Resolves also if none has taken it within a second: then it is
 * accepted, and may be refused later. `after`: an entry of the journal before the input was sent.
 */
export async function refusedInTime(
  store: SessionStore,
  sessionId: string,
  inputId: string,
  after: number,
  waitMs = WAIT_MS,
): Promise<void> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), waitMs);
  let last = after;
  try {
    for await (const seq of store.watch?.(sessionId, { signal: late.signal }) ?? []) {
      let isTaken = false;
      if (seq <= last) continue;
      for await (const entry of readEntries(store, sessionId, { after: last })) {
        last = entry.seq;
        if (entry.type === "input.refused" && entry.data.id === inputId) throw errorFrom(entry.data.error);
        isTaken ||= entry.type === "position" && entry.data.taken === inputId;
      }
      if (isTaken) return;
    }
  } finally {
    clearTimeout(timer);
  }
}

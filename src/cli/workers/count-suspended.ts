import type { SessionStore } from "../../store/port.ts";

const PAGE = 1_000;
const MOST = 20_000;
const KNOWN_FOR_MS = 30_000;

/** Counts the sessions that wait for somebody, of all workers: at most 20,000, and anew every 30 s. NaN while the store fails. */
export function suspendedCounter(store: SessionStore, now: () => number = Date.now): () => Promise<number> {
  let known: { readonly at: number; readonly count: Promise<number> } | undefined;
  return () => {
    if (!known || now() - known.at >= KNOWN_FOR_MS)
      known = { at: now(), count: countSuspended(store).catch(() => Number.NaN) };
    return known.count;
  };
}

async function countSuspended(store: SessionStore): Promise<number> {
  let count = 0;
  let cursor: string | undefined;
  do {
    const page = await store.list({
      phase: "suspended",
      limit: PAGE,
      ...(cursor !== undefined && { cursor }),
    });
    count += page.sessions.length;
    cursor = page.cursor;
  } while (cursor !== undefined && count < MOST);
  return count;
}

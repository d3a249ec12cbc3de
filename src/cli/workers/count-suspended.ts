import type { SessionStore } from "../../store/port.ts";
import { sessionsOf } from "../paginate.ts";

const PAGE = 1_000;
const MAX_COUNT = 20_000;
const CACHE_MS = 30_000;

/** A function that counts the suspended sessions of a store, at most 20,000, and caches the count for 30 s. It resolves with
 *  NaN while the store fails. */
export function suspendedCounter(store: SessionStore, now: () => number = Date.now): () => Promise<number> {
  let cached: { readonly at: number; readonly count: Promise<number> } | undefined;
  return () => {
    if (!cached || now() - cached.at >= CACHE_MS)
      cached = { at: now(), count: countSuspended(store).catch(() => Number.NaN) };
    return cached.count;
  };
}

async function countSuspended(store: SessionStore): Promise<number> {
  let count = 0;
  for await (const _ of sessionsOf(store, { phase: "suspended" }, MAX_COUNT, PAGE)) count++;
  return count;
}

import type { FoundSession, SessionFilter, SessionInfo, SessionSearch, SessionStore } from "../store/port.ts";
import { pagesOf } from "../store/pages.ts";

/** The part of a list that is asked for. */
type PageRequest = { readonly limit: number; readonly cursor?: string };

/** The items of all pages, at most `limit` (default: all), in pages of at most `pageSize`. */
export async function* paginate<Page extends { readonly cursor?: string | undefined }, T>(
  fetchPage: (page: PageRequest) => Promise<Page>,
  itemsOf: (page: Page) => readonly T[],
  limit = Number.POSITIVE_INFINITY,
  pageSize = 100,
): AsyncGenerator<T> {
  let left = limit;
  for await (const page of pagesOf((from) => fetchPage({ limit: Math.min(left, pageSize), ...from }))) {
    const items = itemsOf(page);
    yield* items;
    left -= items.length;
    if (left <= 0) return;
  }
}

/** The sessions of a store that match the filter, at most `limit`. */
export const sessionsOf = (
  store: SessionStore,
  filter: SessionFilter,
  limit?: number,
  pageSize?: number,
): AsyncIterable<SessionInfo> =>
  paginate(
    (page) => store.list({ ...filter, ...page }),
    ({ sessions }) => sessions,
    limit,
    pageSize,
  );

/** The sessions of a store that a search finds, at most `limit`. */
export const foundBy = (
  store: SessionStore,
  query: SessionSearch,
  limit?: number,
): AsyncIterable<FoundSession> =>
  paginate(
    (page) => store.search!({ ...query, ...page }),
    ({ sessions }) => sessions,
    limit,
  );

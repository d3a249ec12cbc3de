import type { SessionFilter, SessionInfo, SessionStore } from "../store/port.ts";
import { pagesOf } from "../store/pages.ts";

type Page<T> = { readonly items: readonly T[]; readonly cursor?: string | undefined };

/** The items of all pages, at most `limit`, in pages of at most `pageSize`. */
export async function* paginate<T>(
  limit: number,
  fetchPage: (page: { readonly limit: number; readonly cursor?: string }) => Promise<Page<T>>,
  pageSize = 100,
): AsyncGenerator<T> {
  let left = limit;
  for await (const { items } of pagesOf((from) => fetchPage({ limit: Math.min(left, pageSize), ...from }))) {
    yield* items;
    left -= items.length;
    if (left <= 0) return;
  }
}

/** The sessions of a store that match the filter, at most `limit`. */
export function sessionsOf(
  store: SessionStore,
  filter: SessionFilter,
  limit: number,
  pageSize?: number,
): AsyncIterable<SessionInfo> {
  const fetchPage = async (page: SessionFilter) => {
    const { sessions: items, cursor } = await store.list({ ...filter, ...page });
    return { items, cursor };
  };
  return paginate(limit, fetchPage, pageSize);
}

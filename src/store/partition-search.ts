import { isMarkInfo, MARK_AGENT } from "./moved.ts";
import { mergedPage, type PagedStore } from "./partition-pages.ts";
import type { FoundSession, SearchPage, SessionSearch, SessionStore } from "./port.ts";
import { compareIds, toKey } from "./shared.ts";
import { limitOf } from "./sql/page-of.ts";

/** Makes the pages of stores of those of one. */
type PagesOf = (
  idOf: (session: FoundSession) => string,
  page: (store: SessionStore, cursor: string | undefined) => ReturnType<PagedStore<FoundSession>["page"]>,
  isMarked: (session: FoundSession) => boolean,
) => readonly PagedStore<FoundSession>[];

/** Adds up what the stores report while they index their sessions. */
function sumsOf(stores: readonly SessionStore[], { onProgress }: SessionSearch) {
  const told = new Map<SessionStore, readonly [number, number]>();
  const sum = (which: 0 | 1): number => [...told.values()].reduce((all, each) => all + each[which], 0);
  return (store: SessionStore): Pick<SessionSearch, "onProgress"> =>
    onProgress
      ? {
          onProgress: (indexed, total) => {
            told.set(store, [indexed, total]);
            onProgress(sum(0), sum(1));
          },
        }
      : {};
}

/** The number of sessions that a search finds in a store, without those that were moved away. */
async function totalIn(store: SessionStore, query: SessionSearch, total: number): Promise<number> {
  if (query.agent !== undefined || total === 0) return total;
  const { cursor: _, onProgress: __, ...rest } = query;
  return total - (await store.search!({ ...rest, agent: MARK_AGENT, limit: 1 })).total;
}

/** Implements {@link SessionStore.search} over several stores, whose cursors are those of this package. */
export async function searchPartitions(
  stores: readonly SessionStore[],
  pagesOf: PagesOf,
  query: SessionSearch,
): Promise<SearchPage> {
  const limit = limitOf(query);
  const progressOf = sumsOf(stores, query);
  const first = new Map<SessionStore, SearchPage>();
  const page = async (store: SessionStore, cursor: string | undefined) => {
    const from = cursor === undefined ? {} : { cursor };
    const found = await store.search!({ ...query, limit, ...from, ...progressOf(store) });
    if (!first.has(store)) first.set(store, found);
    return { items: found.sessions, ...(found.cursor !== undefined && { cursor: found.cursor }) };
  };
  const { items, cursor } = await mergedPage(
    pagesOf(({ sessionId }) => sessionId, page, isMarkInfo),
    {
      cursor: query.cursor,
      limit,
      order: (a, b) => b.updatedAt - a.updatedAt || compareIds(b.sessionId, a.sessionId),
      idOf: ({ sessionId }) => sessionId,
      cursorAfter: ({ updatedAt, sessionId }) => JSON.stringify([updatedAt, toKey(sessionId)]),
    },
  );
  const totals = await Promise.all([...first].map(([store, { total }]) => totalIn(store, query, total)));
  const unindexed = [...first.values()].reduce((all, each) => all + (each.unindexed ?? 0), 0);
  return {
    sessions: items,
    total: totals.reduce((all, total) => all + total, 0),
    ...(cursor !== undefined && { cursor }),
    ...(unindexed > 0 && { unindexed }),
  };
}

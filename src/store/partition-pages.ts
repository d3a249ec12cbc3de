import { AgentError, messageOf } from "../core/base/error.ts";
import { guarded } from "../core/base/guarded.ts";
import { pagesOf } from "./pages.ts";

/** A page of one store. */
export type Page<T> = { readonly items: readonly T[]; readonly cursor?: string | undefined };

/** The pages of one store from a cursor on. */
export type PagedStore<T> = {
  readonly index: number;
  /** Sessions move out of another one of the stores into this one. */
  readonly isMovedInto: boolean;
  page(cursor: string | undefined): Promise<Page<T>>;
  /** True for an item that this store had when it showed it, and no other. */
  isItsOwn(item: T): Promise<boolean>;
};

type MergeOptions<T> = {
  readonly cursor: string | undefined;
  readonly limit: number;
  readonly order: (a: T, b: T) => number;
  readonly idOf: (item: T) => string;
  readonly cursorAfter: (item: T) => string;
  /** Called with the number of a store that is away, which is then left out unless all are. Default: rejects. */
  readonly onAway?: ((index: number, error: AgentError) => void) | undefined;
};

/** Returns the error for partitions that are away. It is retryable, and its `data.partitions` has their numbers, counted from 0. */
export function partitionsAway(failed: readonly number[], cause: unknown): AgentError {
  const names = failed.map((index) => `partitions[${index}]`).join(", ");
  const message = `The stores of ${names} did not answer: ${messageOf(cause)}`;
  return new AgentError("store/failed", message, {
    isRetryable: true,
    cause,
    data: { partitions: [...failed] },
  });
}

/** True for the error of a storage that is away. */
export function isAway(error: unknown): error is AgentError {
  return AgentError.is(error) && error.code === "store/failed";
}

/** The first items that a store has, `limit` of them at least if it has so many; `hasMore`: behind them there are maybe others. */
async function firstOf<T>({ page, isItsOwn }: PagedStore<T>, from: string | undefined, limit: number) {
  const items: T[] = [];
  for await (const { items: shown, cursor } of pagesOf((next) => page(next.cursor), from)) {
    const own = await Promise.all(shown.map((item) => isItsOwn(item)));
    items.push(...shown.filter((_, index) => own[index]));
    if (items.length >= limit) return { items, hasMore: cursor !== undefined };
  }
  return { items, hasMore: false };
}

/** Merges pages that are in order to one that is. Each cursor of a store is that of the last item, whichever store had it. A session that is
 *  moved meanwhile is there: stores into which sessions are moved are read after those in which they were. */
export async function mergedPage<T>(
  stores: readonly PagedStore<T>[],
  { cursor, limit, order, idOf, cursorAfter, onAway }: MergeOptions<T>,
): Promise<Page<T>> {
  const found = new Map<string, T>();
  const away = new Map<number, AgentError>(); // by the number of the partition
  let hasMore = false;
  const read = async (store: PagedStore<T>): Promise<void> => {
    try {
      const first = await firstOf(store, cursor, limit);
      hasMore ||= first.hasMore;
      for (const item of first.items) if (!found.has(idOf(item))) found.set(idOf(item), item);
    } catch (error) {
      if (!isAway(error)) throw error;
      away.set(store.index, error);
    }
  };
  for (const isLater of [false, true])
    await Promise.all(stores.filter(({ isMovedInto }) => isMovedInto === isLater).map(read));
  const [first] = away.values();
  if (first && !(onAway && stores.some(({ index }) => !away.has(index))))
    throw partitionsAway([...away.keys()], first);
  for (const [index, error] of away) guarded(() => onAway!(index, error));
  const items = [...found.values()].toSorted(order).slice(0, limit);
  const last = items.at(-1);
  return {
    items,
    ...((hasMore || found.size > limit) && last !== undefined && { cursor: cursorAfter(last) }),
  };
}

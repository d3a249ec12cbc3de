import { AgentError, messageOf } from "../core/base/error.ts";
import { pagesOf } from "./pages.ts";

/** A page of one store. */
export type Page<T> = { readonly items: readonly T[]; readonly cursor?: string | undefined };

/** The pages of one store from a cursor on. */
export type PagedStore<T> = {
  readonly index: number;
  page(cursor: string | undefined): Promise<Page<T>>;
  /** True for an item that this store has, and no other. */
  isItsOwn(item: T): Promise<boolean>;
};

type MergeOptions<T> = {
  readonly cursor: string | undefined;
  readonly limit: number;
  /** Less than 0 if `a` comes first, 0 for the same session. */
  readonly order: (a: T, b: T) => number;
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

async function* itemsOf<T>({ page, isItsOwn }: PagedStore<T>, from: string | undefined): AsyncGenerator<T> {
  for await (const { items } of pagesOf(({ cursor }) => page(cursor), from)) {
    const own = await Promise.all(items.map((item) => isItsOwn(item)));
    yield* items.filter((_, index) => own[index]);
  }
}

/** Merges pages that are in order to one that is. Each cursor of a store is that of the last item, whichever store had it. */
export async function mergedPage<T>(
  stores: readonly PagedStore<T>[],
  { cursor, limit, order, cursorAfter, onAway }: MergeOptions<T>,
): Promise<Page<T>> {
  const sources = stores.map((store) => itemsOf(store, cursor));
  const away = new Map<number, AgentError>(); // by the number of the partition
  const next = async (index: number): Promise<T | undefined> => {
    try {
      const { done, value } = await sources[index]!.next();
      return done ? undefined : value;
    } catch (error) {
      if (!isAway(error)) throw error;
      away.set(stores[index]!.index, error);
      return undefined;
    }
  };
  const heads = await Promise.all(sources.map((_, index) => next(index)));
  const items: T[] = [];
  const isComplete = (): boolean => {
    const [first] = away.values();
    if (!first) return true;
    if (onAway && stores.some(({ index }) => !away.has(index))) return false;
    throw partitionsAway([...away.keys()], first);
  };
  const done = (more: boolean): Page<T> => {
    if (!isComplete()) for (const [index, error] of away) onAway!(index, error);
    const last = items.at(-1);
    return { items, ...(more && last !== undefined && { cursor: cursorAfter(last) }) };
  };
  for (;;) {
    isComplete();
    const [least] = heads
      .flatMap((item, index) => (item === undefined ? [] : [{ item, index }]))
      .toSorted((a, b) => order(a.item, b.item));
    if (!least) return done(false);
    const last = items.at(-1);
    if (last === undefined || order(last, least.item) !== 0) {
      if (items.length >= limit) return done(true);
      items.push(least.item);
    }
    heads[least.index] = await next(least.index);
  }
}

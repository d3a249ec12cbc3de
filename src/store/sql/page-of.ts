import { configError } from "../../core/base/error.ts";

/** Returns how many items a page has, 100 unless it is said. Throws `config/invalid` unless that is a whole number from 0 on. */
export function limitOf({ limit = 100 }: { readonly limit?: number | undefined }): number {
  if (Number.isSafeInteger(limit) && limit >= 0) return limit;
  throw configError(`The limit of a page is ${String(limit)}; expected a whole number, 0 or more.`);
}

/** Returns a page of `limit` items out of the first `limit + 1`. A page of none has no cursor. */
export function pageOf<T>(found: readonly T[], limit: number, cursorAfter: (item: T) => string) {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items, ...(found.length > limit && last !== undefined && { cursor: cursorAfter(last) }) };
}

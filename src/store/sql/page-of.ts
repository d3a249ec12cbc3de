/** Returns a page of `limit` items out of the first `limit + 1`. A page of none has no cursor. */
export function pageOf<T>(found: readonly T[], limit: number, cursorAfter: (item: T) => string) {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items, ...(found.length > limit && last !== undefined && { cursor: cursorAfter(last) }) };
}

import type { RunRow } from "../protocol/protocol.ts";
import type { StorePage, StoreQuery } from "./store-runs.ts";

const ROWS_PER_PAGE = 500;

/** Returns a page of the stored runs that are among these: the list is read until all of them are found. A cursor is the number of the rows
 *  before. */
export async function labelledPage(
  runs: { list(query: StoreQuery): Promise<StorePage> },
  { cursor = "0", limit, ...query }: StoreQuery,
  labelled: ReadonlySet<string>,
): Promise<StorePage> {
  const found: RunRow[] = [];
  let next: string | undefined;
  let unindexed: number | undefined;
  do {
    const page = await runs.list({
      ...query,
      limit: ROWS_PER_PAGE,
      ...(next !== undefined && { cursor: next }),
    });
    found.push(...page.rows.filter(({ runId }) => labelled.has(runId)));
    ({ cursor: next, unindexed } = page);
  } while (next !== undefined && found.length < labelled.size);
  const from = Number(cursor) || 0;
  return {
    rows: found.slice(from, from + limit),
    total: found.length,
    ...(from + limit < found.length && { cursor: String(from + limit) }),
    ...(unindexed !== undefined && { unindexed }),
  };
}

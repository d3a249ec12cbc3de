import { LRUCache } from "lru-cache";
import { pagesOf } from "../../store/pages.ts";
import { isSuspicious } from "../protocol/outcomes.ts";
import type { RowSuspicion, RunRow } from "../protocol/protocol.ts";
import { labelsOf, withSuspicions, type RunSuspicions } from "./run-suspicions.ts";
import type { RunPage, StoreQuery, StoreRuns } from "./store-runs.ts";

/** The suspicions of a session up to a position of its journal. */
type Judged = { readonly seq: number; readonly found: readonly RowSuspicion[] };

/** So many judged sessions are remembered. */
const MAX_JUDGED = 50_000;
/** The time for which a list judges sessions before it returns with those that it has found, ms. */
const MAX_WORK_MS = 800;
const ROWS_PER_PAGE = 500;

/** Returns a page of rows that are all here. A cursor is the number of the rows before. */
export function pageFrom(all: readonly RunRow[], cursor: string, limit: number): RunPage {
  const from = Number(cursor) || 0;
  const end = from + limit;
  return {
    rows: all.slice(from, end),
    total: all.length,
    ...(end < all.length && { cursor: String(end) }),
  };
}

/** The suspicions of the sessions of a store. A session is read and judged once for each position of its journal. */
export class StoredSuspicions {
  readonly #runs: StoreRuns;
  readonly #suspicions: RunSuspicions;
  readonly #judged = new LRUCache<string, Judged>({ max: MAX_JUDGED });

  constructor(runs: StoreRuns, suspicions: RunSuspicions) {
    this.#runs = runs;
    this.#suspicions = suspicions;
  }

  /** The row of a session with what is odd in it, if it was judged. */
  rowOf(row: RunRow): RunRow {
    const judged = this.#judged.get(row.runId);
    return judged && judged.seq === row.seq ? withSuspicions(row, judged.found) : row;
  }

  /**
   * Returns a page of the sessions in which a check has found something. Sessions that are not judged are: as many as can be in a
   * moment, and `unindexed` says how many are left for the next time. A cursor is the number of the rows before.
   */
  async list({ suspicion = "", cursor = "0", limit, ...query }: StoreQuery): Promise<RunPage> {
    const end = performance.now() + MAX_WORK_MS;
    const found: RunRow[] = [];
    let left = 0;
    const list = (from: object): Promise<RunPage> =>
      this.#runs.list({ ...query, limit: ROWS_PER_PAGE, ...from });
    for await (const page of pagesOf(list)) {
      for (const row of page.rows) {
        if (!this.#isJudged(row) && performance.now() >= end) left++;
        else {
          const judged = this.#isJudged(row) ? this.rowOf(row) : await this.#judge(row);
          if (isSuspicious(judged, suspicion)) found.push(judged);
        }
      }
      left += page.cursor === undefined ? (page.unindexed ?? 0) : 0;
    }
    return { ...pageFrom(found, cursor, limit), ...(left > 0 && { unindexed: left }) };
  }

  #isJudged({ runId, seq }: RunRow): boolean {
    return this.#judged.get(runId)?.seq === seq;
  }

  /** A session that cannot be read is listed with what could be read of it. */
  async #judge(row: RunRow): Promise<RunRow> {
    const log = await this.#runs.logOf(row.runId).catch(() => undefined);
    if (log) this.#judged.set(row.runId, { seq: row.seq ?? 0, found: labelsOf(this.#suspicions.of(log)) });
    return this.rowOf(row);
  }
}

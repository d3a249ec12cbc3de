import type { RunGroup, RunRow } from "../protocol/protocol.ts";
import type { LiveRuns } from "./live-runs.ts";
import { groupOf, type OpenRun } from "./open-run.ts";
import { matchesSearch, type StoreRuns } from "./store-runs.ts";

/** A query of the list of runs; `q` is a part of the id or of the agent's name. */
export type RunQuery = {
  /** A part of the id or of the agent's name. */
  readonly q?: string;
  /** Only runs of this group. */
  readonly group?: RunGroup;
  /** The id of the process that drives the runs. */
  readonly worker?: string;
  /** The `cursor` of the previous page. */
  readonly cursor?: string;
  /** The maximum number of rows. Default 100. */
  readonly limit?: number;
};

/** A page of the list of runs; without `cursor` it is the last one. */
export type RunPage = { readonly rows: readonly RunRow[]; readonly cursor?: string; readonly total: number };

/** The maximum number of rows of a page of the list. */
export const MAX_ROWS = 500;
const DEFAULT_ROWS = 100;

/** All runs that can be displayed: live ones, then those of files, then those of the store. */
export class Runs {
  readonly #live: LiveRuns;
  readonly #files: ReadonlyMap<string, OpenRun>;
  readonly #stored: StoreRuns | undefined;

  constructor(live: LiveRuns, files: ReadonlyMap<string, OpenRun>, stored: StoreRuns | undefined) {
    this.#live = live;
    this.#files = files;
    this.#stored = stored;
  }

  /**
   * Returns a page of the list. A cursor is `n` and an offset for the rows in memory, `s` and the store's
   * cursor for stored ones.
   */
  async list(query: RunQuery = {}): Promise<RunPage> {
    const page = await this.#page(query);
    // a run may have continued while the store was read
    return { ...page, rows: page.rows.map((row) => this.#live.get(row.runId)?.row ?? row) };
  }

  async #page({ q = "", group, worker, cursor = "n0", limit = DEFAULT_ROWS }: RunQuery): Promise<RunPage> {
    const inMemory = this.#rowsInMemory();
    const isWanted = (row: RunRow): boolean =>
      matchesSearch(row, q) &&
      (!group || groupOf(row) === group) &&
      (worker === undefined || row.worker?.id === worker);
    const matching = inMemory.filter(isWanted);
    const ids = new Set(inMemory.map(({ runId }) => runId));
    const stored = worker === undefined ? this.#stored : undefined; // no process drives a stored run
    const total = matching.length + ((await stored?.count({ q, ...(group && { group }) }, ids)) ?? 0);
    const isInMemory = cursor.startsWith("n");
    const from = isInMemory ? Number(cursor.slice(1)) || 0 : matching.length;
    const rows = matching.slice(from, from + limit);
    if (from + rows.length < matching.length) return { rows, cursor: `n${from + rows.length}`, total };
    if (!stored) return { rows, total };
    if (rows.length === limit) return { rows, cursor: "s", total };
    const page = await stored.list({
      q,
      limit: limit - rows.length,
      ...(group && { group }),
      ...(!isInMemory && cursor.length > 1 && { cursor: cursor.slice(1) }),
    });
    const others = page.rows.filter(({ runId }) => !ids.has(runId));
    return {
      rows: [...rows, ...others],
      ...(page.cursor !== undefined && { cursor: `s${page.cursor}` }),
      total,
    };
  }

  /** Opens a run with all its steps; undefined for an unknown id. */
  async open(runId: string): Promise<OpenRun | undefined> {
    return this.#live.get(runId) ?? this.#files.get(runId) ?? (await this.#stored?.open(runId));
  }

  #rowsInMemory(): readonly RunRow[] {
    const live = this.#live.rows();
    const ids = new Set(live.map(({ runId }) => runId));
    const files = [...this.#files.values()].map(({ row }) => row).filter(({ runId }) => !ids.has(runId));
    return [...live, ...files];
  }
}

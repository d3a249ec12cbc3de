import type { RunRow } from "../protocol/protocol.ts";
import type { LiveRuns } from "./live-runs.ts";
import { groupOf, type Group, type OpenRun } from "./open-run.ts";
import { matches, type StoreRuns } from "./store-runs.ts";

export type RunQuery = {
  readonly q?: string;
  readonly group?: Group;
  /** Id of the process that drives them. */
  readonly worker?: string;
  readonly cursor?: string;
  readonly limit?: number;
};

export type RunPage = { readonly rows: readonly RunRow[]; readonly cursor?: string; readonly total: number };

export const MOST_ROWS = 500;
const ROWS = 100;

/** All runs there are to look at: live ones, then those of files, then those of the store. */
export class Runs {
  readonly #live: LiveRuns;
  readonly #files: ReadonlyMap<string, OpenRun>;
  readonly #stored: StoreRuns | undefined;

  constructor(live: LiveRuns, files: ReadonlyMap<string, OpenRun>, stored: StoreRuns | undefined) {
    this.#live = live;
    this.#files = files;
    this.#stored = stored;
  }

  /** A page of the list. A cursor is `n` for the rows that are in memory, `s` and the store's own for the others. */
  async list(query: RunQuery = {}): Promise<RunPage> {
    const page = await this.#page(query);
    // a run may have gone on while the store was read
    return { ...page, rows: page.rows.map((row) => this.#live.get(row.runId)?.row ?? row) };
  }

  async #page({ q = "", group, worker, cursor = "n0", limit = ROWS }: RunQuery): Promise<RunPage> {
    const known = this.#known();
    const isWanted = (row: RunRow): boolean =>
      matches(row, q) &&
      (!group || groupOf(row) === group) &&
      (worker === undefined || row.worker?.id === worker);
    const here = known.filter(isWanted);
    const ids = new Set(known.map(({ runId }) => runId));
    const stored = worker === undefined ? this.#stored : undefined; // what is only stored nobody drives
    const total = here.length + ((await stored?.count({ q, ...(group && { group }) }, ids)) ?? 0);
    const isHere = cursor.startsWith("n");
    const from = isHere ? Number(cursor.slice(1)) || 0 : here.length;
    const rows = here.slice(from, from + limit);
    if (from + rows.length < here.length) return { rows, cursor: `n${from + rows.length}`, total };
    if (!stored) return { rows, total };
    if (rows.length === limit) return { rows, cursor: "s", total };
    const page = await stored.list({
      q,
      limit: limit - rows.length,
      ...(group && { group }),
      ...(!isHere && cursor.length > 1 && { cursor: cursor.slice(1) }),
    });
    const others = page.rows.filter(({ runId }) => !ids.has(runId));
    return {
      rows: [...rows, ...others],
      ...(page.cursor !== undefined && { cursor: `s${page.cursor}` }),
      total,
    };
  }

  /** A run with everything that happened in it. Undefined if there is none of this id. */
  async open(runId: string): Promise<OpenRun | undefined> {
    return this.#live.get(runId) ?? this.#files.get(runId) ?? (await this.#stored?.open(runId));
  }

  #known(): readonly RunRow[] {
    const live = this.#live.rows();
    const ids = new Set(live.map(({ runId }) => runId));
    const files = [...this.#files.values()].map(({ row }) => row).filter(({ runId }) => !ids.has(runId));
    return [...live, ...files];
  }
}

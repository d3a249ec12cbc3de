import type { RunGroup, RunRow } from "../protocol/protocol.ts";
import type { Label, LabelReader } from "../labels/labels.ts";
import { labelledPage } from "./labelled-page.ts";
import type { LiveRuns } from "./live-runs.ts";
import { groupOf } from "../protocol/outcomes.ts";
import type { OpenRun } from "./open-run.ts";
import { matchesFilter } from "./run-words.ts";
import type { RunLog } from "./run-log.ts";
import type { RunSuspicions } from "./run-suspicions.ts";
import type { StoreQuery, StoreRuns } from "./store-runs.ts";
import { StoredSuspicions } from "./stored-suspicions.ts";
import type { RunFilter } from "../protocol/outcomes.ts";

/** A query of the list of runs. */
export type RunQuery = RunFilter & {
  /** Only runs of this group. */
  readonly group?: RunGroup;
  /** The id of the process that drives the runs. */
  readonly worker?: string;
  /** The `cursor` of the previous page. */
  readonly cursor?: string;
  /** The maximum number of rows. Default 100. */
  readonly limit?: number;
};

/** A page of the list of runs; without `cursor` it is the last one. `unindexed`: so many stored runs are not found yet. */
export type RunPage = {
  readonly rows: readonly RunRow[];
  readonly cursor?: string;
  readonly total: number;
  readonly unindexed?: number;
};

/** The maximum number of rows of a page of the list. */
export const MAX_ROWS = 500;
const DEFAULT_ROWS = 100;

/** The ids of the sessions whose newest label is this one. */
function labelledAs(label: string, newest: ReadonlyMap<string, Label> = new Map()): ReadonlySet<string> {
  return new Set([...newest].flatMap(([id, each]) => (each.label === label ? [id] : [])));
}

/** All runs that can be displayed: live ones, then those of files, then those of the store. */
export class Runs {
  readonly #live: LiveRuns;
  readonly #files: ReadonlyMap<string, OpenRun>;
  readonly #stored: StoreRuns | undefined;
  readonly #suspicions: RunSuspicions;
  readonly #storedSuspicions: StoredSuspicions | undefined;
  readonly #labels: Pick<LabelReader, "newest"> | undefined;

  constructor(
    live: LiveRuns,
    files: ReadonlyMap<string, OpenRun>,
    {
      stored,
      suspicions,
      labels,
    }: {
      readonly stored?: StoreRuns | undefined;
      readonly suspicions: RunSuspicions;
      readonly labels?: Pick<LabelReader, "newest"> | undefined;
    },
  ) {
    this.#labels = labels;
    this.#live = live;
    this.#files = files;
    this.#stored = stored;
    this.#suspicions = suspicions;
    this.#storedSuspicions = stored && new StoredSuspicions(stored, suspicions);
  }

  /** The row of an open run, with what is odd in it. */
  rowOf(run: OpenRun): RunRow {
    return this.#suspicions.rowOf(run);
  }

  /**
   * Returns a page of the list. A cursor is `n` and an offset for the rows in memory, `s` and the store's
   * cursor for stored ones.
   */
  async list(query: RunQuery = {}): Promise<RunPage> {
    const page = await this.#page(query);
    // a run may have continued while the store was read
    const now = (row: RunRow): RunRow => {
      const live = this.#live.get(row.runId);
      return live ? this.rowOf(live) : (this.#storedSuspicions?.rowOf(row) ?? row);
    };
    return { ...page, rows: page.rows.map(now) };
  }

  async #page({
    group,
    worker,
    label,
    cursor = "n0",
    limit = DEFAULT_ROWS,
    ...filter
  }: RunQuery): Promise<RunPage> {
    const inMemory = this.#runsInMemory();
    const labelled = label === undefined ? undefined : labelledAs(label, await this.#labels?.newest());
    const matching = inMemory
      .filter(({ row }) => labelled?.has(row.runId) !== false)
      .map((run) => ({ run, row: this.rowOf(run) }))
      .filter(({ row }) => !group || groupOf(row) === group)
      .filter(({ row }) => worker === undefined || row.worker?.id === worker)
      .filter(({ run, row }) => matchesFilter(run, row, filter))
      .map(({ row }) => row);
    const runs = filter.suspicion === undefined ? this.#stored : this.#storedSuspicions;
    const stored = worker === undefined ? runs : undefined; // no process drives a stored run
    const isInMemory = cursor.startsWith("n");
    const from = isInMemory ? Number(cursor.slice(1)) || 0 : matching.length;
    const rows = matching.slice(from, from + limit);
    const end = from + rows.length;
    const query: StoreQuery = {
      ...filter,
      ...(group && { group }),
      except: inMemory.map(({ row }) => row.runId),
      limit: Math.max(1, limit - rows.length),
      ...(!isInMemory && cursor.length > 1 && { cursor: cursor.slice(1) }),
    };
    const page = await (labelled && stored ? labelledPage(stored, query, labelled) : stored?.list(query));
    const total = matching.length + (page?.total ?? 0);
    const about = { total, ...(page?.unindexed !== undefined && { unindexed: page.unindexed }) };
    if (end < matching.length) return { rows, cursor: `n${end}`, ...about };
    if (!page || page.rows.length === 0) return { rows, ...about };
    if (rows.length === limit) return { rows, cursor: "s", ...about };
    return {
      rows: [...rows, ...page.rows],
      ...(page.cursor !== undefined && { cursor: `s${page.cursor}` }),
      ...about,
    };
  }

  /** Opens a run with all its steps; undefined for an unknown id. */
  async open(runId: string): Promise<OpenRun | undefined> {
    return this.#live.get(runId) ?? this.#files.get(runId) ?? (await this.#stored?.open(runId));
  }

  /** Reads the steps of a run, which is not kept open; undefined for an unknown id. */
  async logOf(runId: string): Promise<RunLog | undefined> {
    return (this.#live.get(runId) ?? this.#files.get(runId))?.log ?? this.#stored?.logOf(runId);
  }

  /** The actors of a system, as far as they are known. */
  inSystem(system: string): readonly OpenRun[] {
    return this.#runsInMemory().filter(({ row }) => row.actor?.system === system);
  }

  #runsInMemory(): readonly OpenRun[] {
    const live = this.#live.all();
    const ids = new Set(live.map(({ row }) => row.runId));
    return [...live, ...[...this.#files.values()].filter(({ row }) => !ids.has(row.runId))];
  }
}

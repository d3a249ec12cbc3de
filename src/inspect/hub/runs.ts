import type { RunRow } from "../protocol/protocol.ts";
import type { Label, LabelReader } from "../labels/labels.ts";
import type { LiveRuns } from "./live-runs.ts";
import { groupOf, type RunFilter, hasFacts } from "../protocol/outcomes.ts";
import type { OpenRun } from "./open-run.ts";
import type { RunLog } from "./run-log.ts";
import type { RunSuspicions } from "./run-suspicions.ts";
import type { RunPage, StoreQuery, StoreRuns } from "./store-runs.ts";
import { pageFrom, StoredSuspicions } from "./stored-suspicions.ts";
import { isObject, type Json } from "../../core/base/json.ts";
import { SearchFold } from "../../store/search-fold.ts";
import { pagesOf } from "../../store/pages.ts";
import { hasWords, queryWords } from "../../store/search-words.ts";

/** A query of the list of runs. */
export type RunQuery = Partial<Omit<StoreQuery, "except">> & {
  /** The id of the process that drives the runs. */
  readonly worker?: string;
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

const ROWS_PER_PAGE = 500;

/** Returns a page of the stored runs that are among these: the list is read until all of them are found. A cursor is the number of the rows
 *  before. */
async function labelledPage(
  runs: { list(query: StoreQuery): Promise<RunPage> },
  { cursor = "0", limit, ...query }: StoreQuery,
  labelled: ReadonlySet<string>,
): Promise<RunPage> {
  const found: RunRow[] = [];
  let unindexed: number | undefined;
  for await (const page of pagesOf((from) => runs.list({ ...query, limit: ROWS_PER_PAGE, ...from }))) {
    found.push(...page.rows.filter(({ runId }) => labelled.has(runId)));
    ({ unindexed } = page);
    if (found.length >= labelled.size) break;
  }
  return { ...pageFrom(found, cursor, limit), ...(unindexed !== undefined && { unindexed }) };
}

type Known = { readonly fold: SearchFold; readonly last: number; readonly messages: number };

const known = new WeakMap<OpenRun, Known>();

/** The words and the tools of a run in memory. What was added to the run since the last call is read. */
function foldOf(run: OpenRun): SearchFold {
  const before = known.get(run);
  const { log } = run;
  if (before?.last === log.last) return before.fold;
  const messages = (log.context as { readonly messages?: Json } | undefined)?.messages;
  const all = Array.isArray(messages) ? (messages as readonly Json[]) : [];
  const grows = before !== undefined && before.messages <= all.length;
  const fold = grows ? before.fold : new SearchFold();
  for (const message of all.slice(grows ? before.messages : 0)) fold.addMessage(whole(message, run));
  known.set(run, { fold, last: log.last, messages: all.length });
  return fold;
}

/** A message with its long strings. */
function whole(message: Json, run: OpenRun): Json {
  const fill = (_: string, value: Json): Json => {
    if (!isObject(value) || typeof value["$blob"] !== "string") return value;
    return run.blob(value["$blob"]) ?? value["head"] ?? "";
  };
  return JSON.parse(JSON.stringify(message), fill) as Json;
}

/** True if a run in memory, with this row, has what a filter asks for. */
function matchesFilter(run: OpenRun, row: RunRow, filter: RunFilter): boolean {
  const { q = "", tool } = filter;
  if (!hasFacts(row, filter)) return false;
  if (tool !== undefined && !foldOf(run).summary.tools.includes(tool)) return false;
  if (q.trim() === "") return true;
  const about = new SearchFold();
  for (const text of [row.runId, row.agent, row.title ?? ""]) about.addText(text);
  const query = queryWords(q);
  return (
    query.length > 0 &&
    query.every((word) => hasWords(about.words, [word]) || hasWords(foldOf(run).words, [word]))
  );
}

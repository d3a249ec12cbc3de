import { LRUCache } from "lru-cache";
import { pagesOf } from "../../store/pages.ts";
import type { RunFilter } from "../protocol/outcomes.ts";
import type { Overview, OverviewFigure } from "../protocol/overview.ts";
import type { RunRow } from "../protocol/protocol.ts";
import { matchesFigure, overviewFrom, type DigestedRun } from "./overview-from.ts";
import { digestOf, type RunDigest } from "./run-digest.ts";
import type { RunSuspicions } from "./run-suspicions.ts";
import type { Runs } from "./runs.ts";
import type { RunPage } from "./store-runs.ts";

/** The maximum number of runs of an overview: the last changed ones. */
const MAX_RUNS = 10_000;
const ROWS_PER_PAGE = 500;
/** The maximum number of runs whose digests are remembered. */
const MAX_DIGESTS = 50_000;
/** The time for which a page is not listed again, ms: of many pages that look, one works. */
const FRESH_MS = 1_000;
/** The time for which runs that are being read are not listed again, ms. */
const LIST_MS = 30_000;

/** The runs that a filter finds. `left`: those that match and have not been read yet. */
type Gathered = { readonly runs: readonly DigestedRun[]; readonly left: number; readonly omitted: number };
type Listed = { readonly rows: readonly RunRow[]; readonly unindexed: number; readonly omitted: number };
type Known = { readonly version: string; readonly digest: RunDigest };
/** The newest label that people gave a run. */
type LabelOf = (runId: string) => string | undefined;

const NO_DIGEST: RunDigest = { edges: new Map(), tools: new Map(), suspicions: [] };

/**
 * Overviews of many runs. Each run is read once for each state of its record. A call works for a limited time, between runs it lets others
 * work, and it says how many runs are left for the next call.
 */
export class Overviews {
  readonly #runs: Runs;
  readonly #suspicions: RunSuspicions;
  readonly #labels: () => Promise<LabelOf>;
  readonly #known = new LRUCache<string, Known>({ max: MAX_DIGESTS });
  readonly #lists = new LRUCache<string, Listed>({ max: 5, ttl: LIST_MS });
  readonly #gathering = new LRUCache<string, Promise<Gathered>>({ max: 20 });

  constructor(
    runs: Runs,
    suspicions: RunSuspicions,
    labels: () => Promise<LabelOf> = async () => () => undefined,
  ) {
    this.#runs = runs;
    this.#suspicions = suspicions;
    this.#labels = labels;
  }

  /** Returns the overview of the runs that match a filter. `workMs`: the time for which runs are read. */
  async overview(filter: RunFilter, workMs: number): Promise<Overview> {
    const { runs, left, omitted } = await this.#gathered(filter, workMs);
    return { ...overviewFrom(runs), left, omitted };
  }

  /** Returns the runs behind a figure of the overview, the last changed first. */
  async runsOf(
    filter: RunFilter,
    figure: OverviewFigure,
    { workMs, limit }: { readonly workMs: number; readonly limit: number },
  ): Promise<{ readonly rows: readonly RunRow[]; readonly total: number; readonly left: number }> {
    const { runs, left } = await this.#gathered(filter, workMs);
    const found = matchesFigure(runs, figure);
    return { rows: found.slice(0, limit).map(({ row }) => row), total: found.length, left };
  }

  /** The runs of a filter, which are shared by those who ask within a second. */
  #gathered(filter: RunFilter, workMs: number): Promise<Gathered> {
    const key = JSON.stringify([
      workMs,
      Object.entries(filter).toSorted(([one], [other]) => (one < other ? -1 : 1)),
    ]);
    const known = this.#gathering.get(key);
    if (known) return known;
    const gathering = this.#gather(filter, key, workMs);
    this.#gathering.set(key, gathering);
    const forget = (): void => {
      if (this.#gathering.peek(key) === gathering) this.#gathering.delete(key);
    };
    gathering.then(({ left }) => (left > 0 ? forget() : void setTimeout(forget, FRESH_MS).unref()), forget);
    return gathering;
  }

  async #gather(filter: RunFilter, key: string, workMs: number): Promise<Gathered> {
    const labelOf = await this.#labels();
    const { rows, unindexed, omitted } = await this.#listed(filter, key);
    const end = performance.now() + workMs;
    const runs: DigestedRun[] = [];
    let left = unindexed;
    for (const row of rows) {
      const known = this.#digest(row) ?? (performance.now() < end ? await this.#read(row) : undefined);
      if (known) runs.push({ row, ...known, label: labelOf(row.runId) });
      else left++;
    }
    if (left === 0) this.#lists.delete(key);
    return { runs, left, omitted };
  }

  /** The rows that a filter finds. While they are being read, the same ones: listing ten thousand takes longer than reading some. */
  async #listed(filter: RunFilter, key: string): Promise<Listed> {
    const known = this.#lists.get(key);
    if (known) return known;
    const rows: RunRow[] = [];
    let [unindexed, omitted] = [0, 0];
    const list = (from: object): Promise<RunPage> =>
      this.#runs.list({ ...filter, limit: ROWS_PER_PAGE, ...from });
    for await (const page of pagesOf(list)) {
      rows.push(...page.rows);
      if (page.cursor === undefined) unindexed = page.unindexed ?? 0;
      if (rows.length >= MAX_RUNS) omitted = Math.max(0, page.total - rows.length);
      await new Promise(setImmediate);
      if (omitted > 0) break;
    }
    const listed = { rows, unindexed, omitted };
    if (unindexed === 0) this.#lists.set(key, listed);
    return listed;
  }

  #digest(row: RunRow): RunDigest | undefined {
    const known = this.#known.get(row.runId);
    return known?.version === versionOf(row) ? known.digest : undefined;
  }

  /** A run that cannot be read counts with what its row says. */
  async #read(row: RunRow): Promise<RunDigest> {
    const log = await this.#runs.logOf(row.runId).catch(() => undefined);
    const digest = log ? digestOf(log, this.#suspicions) : NO_DIGEST;
    if (log) this.#known.set(row.runId, { version: versionOf(row), digest });
    await new Promise(setImmediate);
    return digest;
  }
}

/** Another text once the run has gone on. */
const versionOf = ({ seq, steps, source }: RunRow): string =>
  source === "store" ? `${seq}` : `${source} ${steps}`;

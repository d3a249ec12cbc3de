import { LRUCache } from "lru-cache";
import { AgentError, messageOf } from "../../base/error.ts";
import type { RunGroup, RunRow } from "../protocol/protocol.ts";
import type { JsonObject } from "../../base/json.ts";
import { quarantineReason } from "../../session/format.ts";
import { readPosition } from "../../store/position.ts";
import type { LoadedSession, SessionInfo, SessionPhase, SessionStore } from "../../store/port.ts";
import type { HashedChart } from "./chart-registry.ts";
import { JournalRun } from "./journal-run.ts";
import { groupOf, type OpenRun } from "./open-run.ts";
import { relationsOf } from "../protocol/run-relations.ts";

/** A query of the sessions of a store. */
export type StoreQuery = {
  /** A part of the id, of the agent's name or of the title. */
  readonly q?: string;
  /** Only sessions of this group. */
  readonly group?: RunGroup;
  /** The `cursor` of the previous page. */
  readonly cursor?: string;
  /** The maximum number of rows. */
  readonly limit: number;
};

/** A page of sessions; without `cursor` it is the last one. */
export type StorePage = { readonly rows: readonly RunRow[]; readonly cursor?: string };

/** The number of sessions read at once in a search. */
const SEARCH_BATCH = 500;
/** The maximum number of sessions searched for one page; the next page continues the search. */
const MAX_SEARCHED = 5_000;
const MAX_OPEN_RUNS = 32;
const MAX_COUNTS = 50;
const COUNT_TTL_MS = 10_000;

/** The sessions of a store. Reading them takes no lease. */
export class StoreRuns {
  /** The store that is read. */
  readonly store: SessionStore;
  readonly #chart: HashedChart;
  readonly #open = new LRUCache<string, { readonly run: JournalRun; notice?: string }>({
    max: MAX_OPEN_RUNS,
  });
  readonly #counts = new LRUCache<string, { readonly at: number; readonly count: Promise<number> }>({
    max: MAX_COUNTS,
  });

  constructor(store: SessionStore, chart: HashedChart) {
    this.store = store;
    this.#chart = chart;
  }

  /** Returns a page of the sessions that match a query. Rejects if the store fails. */
  async list({ q = "", group, cursor, limit }: StoreQuery): Promise<StorePage> {
    const phase = phaseFor(group);
    const rows: RunRow[] = [];
    let at = cursor;
    for (let searched = 0; searched < MAX_SEARCHED;) {
      const page = await this.store.list({
        limit: q === "" && phase !== undefined ? limit - rows.length : Math.max(SEARCH_BATCH, limit),
        ...(phase && { phase }),
        ...(at !== undefined && { cursor: at }),
      });
      for (const info of page.sessions) {
        const row = this.#rowOf(info);
        if ((group && groupOf(row) !== group) || !matchesSearch(row, q)) continue;
        rows.push(row);
        // the page ends within the store's page
        if (rows.length === limit) return pageOf(rows, await this.#cursorAfter(page, info, at, phase));
      }
      searched += page.sessions.length;
      at = page.cursor;
      if (at === undefined) return { rows };
    }
    return pageOf(rows, at);
  }

  /** Counts the sessions that are not `listed`; the count is cached for ten seconds. */
  count({ group, q = "" }: Pick<StoreQuery, "group" | "q">, listed: ReadonlySet<string>): Promise<number> {
    const key = `${group ?? ""} ${q}`;
    const cached = this.#counts.get(key);
    if (cached && Date.now() - cached.at < COUNT_TTL_MS) return cached.count;
    const count = this.#count(group, q, listed);
    this.#counts.set(key, { at: Date.now(), count });
    return count;
  }

  /** Opens a session with all its steps; undefined for an unknown id. */
  async open(runId: string): Promise<OpenRun | undefined> {
    const loaded = await this.#load(runId);
    if (!loaded || loaded.seq === 0) return undefined;
    let opened = this.#open.get(runId);
    if (!opened || opened.run.seq > loaded.seq) opened = { run: new JournalRun(runId, this.#chart.chart) };
    this.#open.set(runId, opened);
    try {
      if (!opened.notice)
        for await (const entry of this.store.read(runId, { after: opened.run.seq })) opened.run.add(entry);
      opened.run.settle();
    } catch (error) {
      opened.notice = `Read up to position ${opened.run.log.newest?.j ?? 0}: ${messageOf(error)}`;
    }
    return this.#opened(opened.run, opened.notice, loaded.position);
  }

  /** Loads a session; one whose position is damaged is read as far as possible. */
  async #load(runId: string): Promise<Pick<LoadedSession, "seq" | "position"> | undefined> {
    try {
      return await this.store.load(runId);
    } catch (error) {
      if (!AgentError.is(error) || error.code !== "session/damaged") throw error;
      return { seq: Number.MAX_SAFE_INTEGER, position: { phase: "quarantined" } };
    }
  }

  #opened(run: JournalRun, notice: string | undefined, position: JsonObject): OpenRun {
    const { phase, waitsFor, meta = {} } = readPosition(position);
    const { exceeded } = run;
    const problem = notice ?? quarantineReason(position);
    return {
      log: run.log,
      row: run.row({
        source: "store",
        chart: this.#chart.hash,
        phase,
        waitsFor,
        can: ["fork", "forkPlan"],
        ...relationsOf(meta),
        ...(problem && { notice: problem }),
      }),
      pending: run.pending(phase),
      ...(exceeded !== "" && { exceeded }),
      blob: (sha) => run.blob(sha),
      blobs: () => run.blobs(),
    };
  }

  #rowOf(info: SessionInfo): RunRow {
    const { sessionId, seq, phase, reason, waitsFor, title, error, meta, updatedAt } = info;
    const agent = info.agent ?? meta["agent"];
    return {
      runId: sessionId,
      agent: typeof agent === "string" ? agent : "",
      chart: this.#chart.hash,
      source: "store",
      phase,
      ...(reason && { reason }),
      ...(error && { error }),
      ...(title !== undefined && { title }),
      waitsFor,
      state: phase,
      startedAt: updatedAt,
      updatedAt,
      steps: seq,
      seq,
      usage: {},
      pending: waitsFor.length,
      can: ["fork", "forkPlan"],
      ...relationsOf(meta),
    };
  }

  /** Stores return a cursor for a whole page; to end within one, its first part is requested again. */
  async #cursorAfter(
    page: { readonly sessions: readonly SessionInfo[]; readonly cursor?: string },
    last: SessionInfo,
    before: string | undefined,
    phase: SessionPhase | undefined,
  ): Promise<string | undefined> {
    const place = page.sessions.indexOf(last) + 1;
    if (place === page.sessions.length) return page.cursor;
    const again = await this.store.list({
      limit: place,
      ...(phase && { phase }),
      ...(before !== undefined && { cursor: before }),
    });
    return again.cursor;
  }

  async #count(group: RunGroup | undefined, q: string, listed: ReadonlySet<string>): Promise<number> {
    const phase = phaseFor(group);
    let count = 0;
    let cursor: string | undefined;
    do {
      const page = await this.store.list({
        limit: 1_000,
        ...(phase && { phase }),
        ...(cursor !== undefined && { cursor }),
      });
      const rows = page.sessions
        .filter(({ sessionId }) => !listed.has(sessionId))
        .map((info) => this.#rowOf(info));
      count += rows.filter((row) => (!group || groupOf(row) === group) && matchesSearch(row, q)).length;
      cursor = page.cursor;
    } while (cursor !== undefined);
    return count;
  }
}

function pageOf(rows: readonly RunRow[], cursor: string | undefined): StorePage {
  return { rows, ...(cursor !== undefined && { cursor }) };
}

/** The phase of a group, if all its sessions have the same phase. */
function phaseFor(group: RunGroup | undefined): SessionPhase | undefined {
  if (group === "needsYou") return "suspended";
  if (group === "running") return "running";
  return group === "finished" ? "stopped" : undefined;
}

/** True if the id, the agent's name or the title contains the search text. */
export function matchesSearch({ runId, agent, title = "" }: RunRow, q: string): boolean {
  const wanted = q.toLowerCase();
  return [runId, agent, title].some((text) => text.toLowerCase().includes(wanted));
}

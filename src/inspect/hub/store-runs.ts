import type { Chart } from "../../diagram/chart-json.ts";
import { AgentError, messageOf } from "../../base/error.ts";
import type { RunRow } from "../protocol/protocol.ts";
import type { JsonObject } from "../../base/json.ts";
import { quarantineReason } from "../../session/format.ts";
import { readPosition } from "../../store/position.ts";
import type { LoadedSession, SessionInfo, SessionPhase, SessionStore } from "../../store/port.ts";
import { FoldedRun } from "./folded-run.ts";
import type { Group, OpenRun } from "./open-run.ts";
import { groupOf } from "./open-run.ts";

export type StoreQuery = {
  /** A part of the id or of the agent's name. */
  readonly q?: string;
  readonly group?: Group;
  readonly cursor?: string;
  readonly limit: number;
};

export type StorePage = { readonly rows: readonly RunRow[]; readonly cursor?: string };

/** Sessions read at a time when something is looked for. */
const SEARCHED = 500;
/** Sessions looked at for one page; the search goes on with the next. */
const MOST_SEARCHED = 5_000;
const OPEN_RUNS = 32;
const COUNTED_FOR_MS = 10_000;

/** The sessions of a store. Nothing here takes a lease. */
export class StoreRuns {
  readonly store: SessionStore;
  readonly #chart: { readonly hash: string; readonly chart: Chart };
  readonly #open = new Map<string, { readonly run: FoldedRun; notice?: string }>();
  readonly #counts = new Map<string, { readonly at: number; readonly count: Promise<number> }>();

  constructor(store: SessionStore, chart: { readonly hash: string; readonly chart: Chart }) {
    this.store = store;
    this.#chart = chart;
  }

  async list({ q = "", group, cursor, limit }: StoreQuery): Promise<StorePage> {
    const phase = phaseFor(group);
    const rows: RunRow[] = [];
    let at = cursor;
    for (let looked = 0; looked < MOST_SEARCHED;) {
      const page = await this.store.list({
        limit: q === "" && phase !== undefined ? limit - rows.length : Math.max(SEARCHED, limit),
        ...(phase && { phase }),
        ...(at !== undefined && { cursor: at }),
      });
      for (const info of page.sessions) {
        const row = this.#rowOf(info);
        if ((group && groupOf(row) !== group) || !matches(row, q)) continue;
        rows.push(row);
        // the cursor of a store is the id after which it goes on
        if (rows.length === limit) return pageOf(rows, await this.#cursorBehind(page, info, at, phase));
      }
      looked += page.sessions.length;
      at = page.cursor;
      if (at === undefined) return { rows };
    }
    return pageOf(rows, at);
  }

  /** How many there are besides those already `listed`, counted now and then. */
  count({ group, q = "" }: Pick<StoreQuery, "group" | "q">, listed: ReadonlySet<string>): Promise<number> {
    const key = `${group ?? ""} ${q}`;
    const known = this.#counts.get(key);
    if (known && Date.now() - known.at < COUNTED_FOR_MS) return known.count;
    const count = this.#count(group, q, listed);
    this.#counts.set(key, { at: Date.now(), count });
    if (this.#counts.size > 50) this.#counts.delete(this.#counts.keys().next().value!);
    return count;
  }

  /** A session with everything that happened in it. */
  async open(runId: string): Promise<OpenRun | undefined> {
    const loaded = await this.#load(runId);
    if (!loaded || loaded.seq === 0) return undefined;
    let known = this.#open.get(runId);
    if (!known || known.run.seq > loaded.seq) known = { run: new FoldedRun(runId, this.#chart.chart) };
    this.#open.delete(runId);
    this.#open.set(runId, known);
    if (this.#open.size > OPEN_RUNS) this.#open.delete(this.#open.keys().next().value!);
    try {
      if (!known.notice)
        for await (const entry of this.store.read(runId, { after: known.run.seq })) known.run.take(entry);
    } catch (error) {
      known.notice = `Read up to position ${known.run.log.newest?.j ?? 0}: ${messageOf(error)}`;
    }
    return this.#opened(known.run, known.notice, loaded.position);
  }

  /** A session whose position cannot be read is read as far as it can be. */
  async #load(runId: string): Promise<Pick<LoadedSession, "seq" | "position"> | undefined> {
    try {
      return await this.store.load(runId);
    } catch (error) {
      if (!AgentError.is(error) || error.code !== "session/damaged") throw error;
      return { seq: Number.MAX_SAFE_INTEGER, position: { phase: "quarantined" } };
    }
  }

  #opened(run: FoldedRun, notice: string | undefined, position: JsonObject): OpenRun {
    const { phase, waitsFor, meta = {} } = readPosition(position);
    const { exceeded } = run;
    const said = notice ?? quarantineReason(position);
    return {
      log: run.log,
      row: run.row({
        source: "store",
        chart: this.#chart.hash,
        phase,
        waitsFor,
        can: ["fork", "forkPlan"],
        ...forkOf(meta),
        ...(said && { notice: said }),
      }),
      pending: run.pending(phase),
      ...(exceeded !== "" && { exceeded }),
      blob: (sha) => run.blob(sha),
      blobs: () => run.blobs(),
    };
  }

  #rowOf({ sessionId, seq, phase, waitsFor, meta, updatedAt }: SessionInfo): RunRow {
    const { agent } = meta;
    return {
      runId: sessionId,
      agent: typeof agent === "string" ? agent : "",
      chart: this.#chart.hash,
      source: "store",
      phase,
      waitsFor,
      state: phase,
      startedAt: updatedAt,
      updatedAt,
      steps: seq,
      seq,
      usage: {},
      pending: waitsFor.length,
      can: ["fork", "forkPlan"],
      ...forkOf(meta),
    };
  }

  /** Stores give a cursor for whole pages; for a part of one the rest of it is asked for again. */
  async #cursorBehind(
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

  async #count(group: Group | undefined, q: string, listed: ReadonlySet<string>): Promise<number> {
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
      count += rows.filter((row) => (!group || groupOf(row) === group) && matches(row, q)).length;
      cursor = page.cursor;
    } while (cursor !== undefined);
    return count;
  }
}

function pageOf(rows: readonly RunRow[], cursor: string | undefined): StorePage {
  return { rows, ...(cursor !== undefined && { cursor }) };
}

/** The one phase of a group, if it has only one. */
function phaseFor(group: Group | undefined): SessionPhase | undefined {
  if (group === "needsYou") return "suspended";
  if (group === "running") return "running";
  return group === "finished" ? "stopped" : undefined;
}

export function matches({ runId, agent }: RunRow, q: string): boolean {
  const wanted = q.toLowerCase();
  return runId.toLowerCase().includes(wanted) || agent.toLowerCase().includes(wanted);
}

function forkOf({ forkedFrom, forkedAt }: JsonObject): Pick<RunRow, "forkOf"> {
  if (typeof forkedFrom !== "string") return {};
  return { forkOf: { runId: forkedFrom, seq: typeof forkedAt === "number" ? forkedAt : 0 } };
}

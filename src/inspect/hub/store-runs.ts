import { LRUCache } from "lru-cache";
import { AgentError, messageOf } from "../../core/base/error.ts";
import type { RunGroup, RunRow } from "../protocol/protocol.ts";
import { quarantineReason } from "../../session/format.ts";
import { LABELS_SESSION } from "../../store/labels-session.ts";
import { readPosition } from "../../store/shared.ts";
import type { FoundSession, LoadedSession, SessionPhase, SessionStore } from "../../store/port.ts";
import { ownChart } from "../client/own-chart.ts";
import type { JournalRun } from "./journal-run.ts";
import type { OpenRun } from "./open-run.ts";
import type { RunLog } from "./run-log.ts";
import { outcomeNamed, type RunFilter } from "../protocol/outcomes.ts";
import { relationsOf, titleOf } from "../protocol/run-relations.ts";
import { searcherOf } from "../../store/local-index.ts";

/** A query of the sessions of a store. */
export type StoreQuery = RunFilter & {
  readonly group?: RunGroup | undefined;
  /** The ids of sessions that are listed elsewhere. */
  readonly except: readonly string[];
  /** The `cursor` of the previous page. */
  readonly cursor?: string | undefined;
  /** The maximum number of rows. */
  readonly limit: number;
};

/** A page of runs; without `cursor` it is the last one. `unindexed`: so many stored runs are not found yet. */
export type RunPage = {
  readonly rows: readonly RunRow[];
  readonly cursor?: string | undefined;
  readonly total: number;
  readonly unindexed?: number | undefined;
};

type Failure = { readonly thrown: unknown };

/** A session that is kept open. Its journal is read by one after the other: an entry counts once. */
type Opened = { readonly run: JournalRun; reading: Promise<Failure | undefined> };

/** True for a journal that cannot be read, however often it is tried. */
const isOfJournal = ({ thrown }: Failure): boolean =>
  AgentError.is(thrown) && (thrown.code === "session/damaged" || thrown.code === "session/version");

/** The time for which a list waits for sessions that are not in the index yet, ms. */
const INDEX_WAIT_MS = 1_000;
const MAX_OPEN_RUNS = 32;

/** The sessions of a store. Reading them takes no lease. */
export class StoreRuns {
  readonly store: SessionStore;
  readonly #open = new LRUCache<string, Opened>({ max: MAX_OPEN_RUNS });
  readonly #search: NonNullable<SessionStore["search"]>;

  constructor(store: SessionStore) {
    this.store = store;
    const searcher = store.search ? (store as Required<Pick<SessionStore, "search">>) : searcherOf(store);
    this.#search = (query) => searcher.search(query);
  }

  /** Returns a page of the sessions that match a query, the last changed first. Rejects if the store fails. */
  async list({ q = "", group, outcome, suspicion: _, ...more }: StoreQuery): Promise<RunPage> {
    const { phases, reasons } = outcome ? outcomeNamed(outcome) : {};
    const { phases: inGroup = phases, isWaiting } = group ? GROUPS[group] : {};
    const wanted = phases && inGroup ? inGroup.filter((phase) => phases.includes(phase)) : inGroup;
    const { sessions, ...page } = await this.#search({
      ...more,
      except: [...more.except, LABELS_SESSION],
      text: q,
      ...(wanted && { phases: wanted }),
      ...(reasons && { reasons }),
      ...(isWaiting !== undefined && { isWaiting }),
      waitMs: INDEX_WAIT_MS,
    });
    if (sessions.length === 0) return { ...page, rows: [] };
    const { hash } = await ownChart();
    return { ...page, rows: sessions.map((session) => this.#rowOf(session, hash)) };
  }

  /** Opens a session with all its steps; undefined for an unknown id. */
  async open(runId: string): Promise<OpenRun | undefined> {
    const loaded = await this.#load(runId);
    if (!loaded || loaded.seq === 0) return undefined;
    let opened = this.#open.get(runId);
    if (!opened || opened.run.seq > loaded.seq) {
      opened = { run: await newJournalRun(runId), reading: Promise.resolve(undefined) };
      this.#open.set(runId, opened);
    }
    const { run } = opened;
    opened.reading = opened.reading.then((failure) => failure ?? this.#readOn(run));
    const failure = await opened.reading;
    if (failure && !isOfJournal(failure)) this.#open.delete(runId); // the store may answer the next time
    const { phase, waitsFor, meta = {} } = readPosition(loaded.position);
    const notice = failure
      ? `Read up to position ${run.log.newest?.j ?? 0}: ${messageOf(failure.thrown)}`
      : quarantineReason(loaded.position);
    return run.opened({
      source: "store",
      chart: (await ownChart()).hash,
      phase,
      waitsFor,
      can: ["fork", "forkPlan"],
      ...titleOf(meta),
      ...relationsOf(meta),
      ...(notice && { notice }),
    });
  }

  /** Reads the entries that are new. Resolves to what went wrong. */
  async #readOn(run: JournalRun): Promise<Failure | undefined> {
    try {
      for await (const entry of this.store.read(run.log.runId, { after: run.seq })) run.add(entry);
      run.settle();
      return undefined;
    } catch (thrown) {
      return { thrown };
    }
  }

  /** Reads the steps of a session, which is not kept open; undefined for an unknown id. Rejects if the store fails. */
  async logOf(runId: string): Promise<RunLog | undefined> {
    if (this.#open.has(runId)) return (await this.open(runId))?.log;
    const run = await newJournalRun(runId);
    const failure = await this.#readOn(run);
    const { last } = run.log;
    if (failure && (last === 0 || !isOfJournal(failure))) throw failure.thrown; // what is before a damage is what there is
    return last > 0 ? run.log : undefined;
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

  /** The number of steps of a session that is open, else an upper bound: the number of its entries. */
  #stepsOf(sessionId: string, seq: number): Pick<RunRow, "steps" | "isAtMost"> {
    const opened = this.#open.peek(sessionId)?.run;
    return opened?.seq === seq ? { steps: opened.log.last } : { steps: seq, isAtMost: true };
  }

  #rowOf(info: FoundSession, chart: string): RunRow {
    const { sessionId, seq, phase, reason, waitsFor, title, error, meta, updatedAt, usage } = info;
    const { startedAt = updatedAt } = info;
    const agent = info.agent ?? meta["agent"];
    return {
      runId: sessionId,
      agent: typeof agent === "string" ? agent : "",
      chart,
      source: "store",
      phase,
      ...(reason && { reason }),
      ...(error && { error }),
      ...(title !== undefined && { title }),
      waitsFor,
      state: phase,
      startedAt,
      updatedAt,
      ...this.#stepsOf(sessionId, seq),
      seq,
      usage,
      pending: waitsFor.length,
      can: ["fork", "forkPlan"],
      ...titleOf(meta),
      ...relationsOf(meta),
    };
  }
}

/** Makes a run of a journal on the chart of this release. */
export async function newJournalRun(runId: string): Promise<JournalRun> {
  const [{ JournalRun }, { chart }] = await Promise.all([import("./journal-run.ts"), ownChart()]);
  return new JournalRun(runId, chart);
}

/** The conditions under which a session is in a group. */
const GROUPS: {
  readonly [group in RunGroup]: { readonly phases: readonly SessionPhase[]; readonly isWaiting?: boolean };
} = {
  needsYou: { phases: ["suspended"], isWaiting: true },
  running: { phases: ["running"] },
  suspended: { phases: ["suspended", "unfinished", "quarantined"], isWaiting: false },
  finished: { phases: ["stopped"] },
};

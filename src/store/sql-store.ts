import { AgentError } from "../core/base/error.ts";
import {
  appendError,
  deletedMeanwhile,
  leaseLost,
  checkId,
  fromKey,
  keyAfterPrefix,
  leftOut,
  toKey,
  duePage,
  sessionPage,
  labelsOf,
} from "./shared.ts";
import { EntryRuns } from "./entry-runs.ts";
import { isDeadOwner, ownersHere } from "./leases.ts";
import type {
  Batch,
  FormerHolder,
  JournalEntry,
  Lease,
  OfferOptions,
  SessionFilter,
  SessionInput,
  SessionStore,
} from "./port.ts";
import { pruneSessions } from "./prune.ts";
import { Searcher } from "./searcher.ts";
import { SearchIndex, type ChangedSession } from "./search-index.ts";
import type { SearchDialect } from "./search-sql.ts";
import { appendRowOf, type Appended, type AppendRow } from "./sql-append.ts";
import { inputRowOf, offeredOf, type InputRow } from "./sql-inputs.ts";
import { endMissing, entriesOf, infoOf, inputOf, loadedOf, positionOf } from "./sql-rows.ts";
import { statementsOf, type SqlDialect, type SqlQueries } from "./sql-statements.ts";
import type { Row, Statement, Transaction } from "./sql/transaction.ts";
import { pollEvery, watchSeq, type SeqSource } from "./watch-seq.ts";
import { limitOf } from "./sql/page-of.ts";

/** One SQL database. Every method rejects with an AgentError; `operation` completes "could not …" in its message. */
export interface SqlDatabase extends SqlDialect, SqlQueries {
  /** Writes a batch if the session accepts it (see {@link appendError}), else nothing. */
  append(batch: Batch, row: AppendRow): Promise<Appended>;
  /** The statement that offers an input, and its values, if the database can do so in one. */
  offer?(input: InputRow, options: OfferOptions): { readonly statement: Statement; readonly wakes: boolean };
  /** The tables in which sessions are searched. */
  readonly search: SearchDialect;
  /** Empties these tables, which are damaged; absent where the database mends them itself. */
  renewSearch?(): Promise<void>;
  /** One statement can write, and return what others have written. */
  readonly readsWhatItWrites: boolean;
  /** An array of strings as a parameter. */
  array(strings: readonly string[]): unknown;
  /** For so long a session counts as watched after its watcher has said so, ms; absent: `subscribe` needs no watcher to say so. */
  readonly watchMs?: number;
  /** Calls `wake` whenever the session's `seq` may have changed; returns a function that unsubscribes. */
  subscribe(key: string, wake: () => void): () => void;
  close(): Promise<void>;
}

const ROWS_PER_PAGE = 100;
const INDEXED_PER_PAGE = 100;
const RETRY_WATCH_MS = 250;
/** The holder from which a lease is taken: nobody. */
const FREE = [null, 0, 0] as const;

/** Returns what a row has of a session that was acquired. Nothing if that is damaged: `load` reports it. */
function foundIn(row: Row, sessionId: string): Pick<Lease, "found"> {
  if (row["is_current"] !== true) return {};
  const inputs = (row["inputs"] ?? []) as readonly (readonly unknown[])[];
  try {
    const session = loadedOf(row, sessionId);
    const read = inputs.map(([id, data, due_at, checksum]) =>
      inputOf({ id, data, due_at, checksum }, sessionId),
    );
    return { found: { ...(session && { session }), inputs: read, isWatched: row["is_watched"] === true } };
  } catch {
    return {};
  }
}

/** Returns the lease that a row gives, without the holder that it is taken from. */
function leaseIn(row: Row, sessionId: string, owner: string): Lease {
  return {
    sessionId,
    owner,
    fence: Number(row["fence"]),
    expiresAt: row["expires_at"] as number,
    takeovers: row["takeovers"] as number,
    ...foundIn(row, sessionId),
  };
}

function checkedKey(sessionId: string): string {
  checkId(sessionId, "A session id");
  return toKey(sessionId);
}

/** A {@link SessionStore} on tables that SQLite and Postgres have alike. `now` returns null for the clock of the database. */
export function sqlStore(db: SqlDatabase, now: () => number | null): SessionStore {
  const sql = statementsOf(db);

  /** The WHERE clause of a list, and the values of its parameters. */
  function conditionOf({ prefix, phase, meta, wakeBefore, cursor }: SessionFilter) {
    const after = (operator: string) => (parameter: number) => `${operator}$${parameter}`;
    const parts: readonly (readonly [condition: (parameter: number) => string, value: unknown])[] = [
      [after("session_id >= "), prefix && toKey(prefix)],
      [after("session_id < "), prefix && keyAfterPrefix(toKey(prefix))],
      [after("session_id > "), cursor && toKey(cursor)],
      [after("phase = "), phase],
      [after("wake_at <= "), wakeBefore],
      [db.hasLabels, meta && Object.keys(meta).length > 0 ? db.array(labelsOf(meta)) : undefined],
    ];
    const present = parts.filter(([, value]) => value !== undefined && value !== "");
    const conditions = present.map(([condition], index) => condition(index + 1));
    return {
      condition: ["position IS NOT NULL", ...leftOut(prefix), ...conditions].join(" AND "),
      values: present.map(([, value]) => value),
    };
  }

  const claim = ({ info: { sessionId, seq, updatedAt } }: ChangedSession): Statement => [
    sql.claimSearch,
    [toKey(sessionId), seq, updatedAt],
  ];
  const index = new SearchIndex(db, db.search, claim);
  async function* unsearched(): AsyncGenerator<ChangedSession> {
    let after = "";
    for (;;) {
      const rows = await db.query("search", [sql.unsearched, [after, INDEXED_PER_PAGE]]);
      for (const row of rows) yield { info: infoOf(row), stamp: "" };
      if (rows.length < INDEXED_PER_PAGE) return;
      after = String(rows.at(-1)!["session_id"]);
    }
  }
  const searcher = new Searcher({
    async open(isDamaged) {
      if (isDamaged) await db.renewSearch?.();
      return index;
    },
    async changes() {
      const [row] = await db.query("search", [sql.countUnsearched, []]);
      return { count: Number(row!["total"]), changed: unsearched() };
    },
    read: (sessionId, range) => store.read(sessionId, range),
    isDamage: (error) =>
      db.renewSearch !== undefined && AgentError.is(error) && error.code === "session/damaged",
  });

  async function* readRuns(
    sessionId: string,
    { after = 0, limit = Number.POSITIVE_INFINITY }: Parameters<SessionStore["read"]>[1] = {},
  ): AsyncGenerator<readonly JournalEntry[]> {
    const key = checkedKey(sessionId);
    let [last, left] = [after, limit];
    let former: { readonly seq: number; readonly checksum: unknown } | undefined;
    while (left > 0) {
      const count = Math.min(left, ROWS_PER_PAGE);
      const found = await db.query("read", [sql.read, [key, last, count]]);
      const rows = found.filter(({ entry }) => entry !== null);
      const head = found.find(({ entry }) => entry === null);
      let before = head?.["checksum"] ?? null;
      if (former && !(Number(head?.["seq"]) >= former.seq && before === former.checksum))
        throw deletedMeanwhile(sessionId);
      const run: JournalEntry[] = [];
      let damage: unknown;
      try {
        for (const row of rows) {
          const entries = entriesOf(row, before, sessionId, last + 1);
          before = row["checksum"] ?? null;
          last += entries.length;
          run.push(...entries);
        }
      } catch (error) {
        damage = error;
      }
      if (run.length > 0) yield run.slice(0, left);
      if (damage !== undefined) throw damage;
      left -= run.length;
      former = head && { seq: Number(head["seq"]), checksum: before };
      if (rows.length === count) continue;
      if (last !== Math.max(after, Number(head?.["seq"] ?? 0))) throw endMissing(sessionId, last);
      return;
    }
  }

  const store: SessionStore = {
    ...(db.readsWhatItWrites && { acquiresIfReady: true }),

    async acquire(sessionId, { owner, ttlMs, ifReady = false, inputs = ifReady ? 0 : undefined, skips = 0 }) {
      const key = checkedKey(sessionId);
      checkId(owner, "An owner");
      const run = async (statement: Statement): Promise<Row | undefined> =>
        (await db.query("acquire a lease", statement))[0];
      const acquire = (from: readonly [owner: string | null, fence: number, isDead: 0 | 1]) => {
        const values = [key, toKey(owner), ttlMs, now(), ...from, skips];
        if (inputs === undefined || !db.readsWhatItWrites) return run([sql.acquire, values]);
        return run([ifReady ? sql.acquireIfReady : sql.acquireAndRead, [...values, inputs]]);
      };
      let row = await acquire(FREE);
      let former: FormerHolder | undefined;
      if (!row && !ifReady) {
        const held = await run([sql.holding, [key, now()]]);
        if (held?.["owner"] == null) {
          // There was no row, or its lease has been released meanwhile.
          await run([sql.makeRow, [key]]);
          row = await acquire(FREE);
        } else {
          const [name, expiresAt] = [String(held["owner"]), held["expires_at"] as number];
          former = { owner: fromKey(name), expiresAt };
          const isDead = !held["has_expired"] && isDeadOwner(former.owner);
          if (!held["has_expired"] && !isDead) return undefined;
          row = await acquire([name, Number(held["fence"]), isDead ? 1 : 0]);
        }
      }
      if (!row) return undefined;
      const lease = leaseIn(row, sessionId, owner);
      // no takeover if the former holder has released its lease by now
      return former && lease.takeovers > 0 ? { ...lease, takenFrom: former } : lease;
    },

    async renew(lease, ttlMs) {
      const { sessionId, fence } = lease;
      const values = [checkedKey(sessionId), fence, ttlMs, now()];
      const [row] = await db.query("renew a lease", [sql.renew, values]);
      if (!row) throw leaseLost(sessionId, fence);
      return { ...lease, expiresAt: row["expires_at"] as number };
    },

    async renewAll(leases, ttlMs) {
      const keys = leases.map(({ sessionId, fence }) => [checkedKey(sessionId), fence]);
      const rows = await db.query("renew leases", [sql.renewAll, [JSON.stringify(keys), ttlMs, now()]]);
      const expiry = new Map(
        rows.map((row) => [`${String(row["fence"])} ${String(row["session_id"])}`, row["expires_at"]]),
      );
      return leases.map((lease, index) => {
        const expiresAt = expiry.get(`${lease.fence} ${keys[index]![0]}`);
        return expiresAt === undefined ? undefined : { ...lease, expiresAt: expiresAt as number };
      });
    },

    async release({ sessionId, fence }) {
      await db.query("release a lease", [sql.release, [checkedKey(sessionId), fence]]);
    },

    async holder(sessionId) {
      const [row] = await db.query("read a lease", [sql.holder, [checkedKey(sessionId), now()]]);
      const owner = row && fromKey(row["owner"] as string);
      return owner === undefined || isDeadOwner(owner)
        ? undefined
        : { owner, leftMs: Number(row!["left_ms"]) };
    },

    async append(sessionId, batch) {
      const key = checkedKey(sessionId);
      const row = appendRowOf(key, batch, now());
      const state = await db.append(batch, row);
      if (typeof state === "object" || state === undefined)
        throw appendError(sessionId, batch, state) ?? leaseLost(sessionId, batch.fence);
      batch.onRelease?.(state === "released");
      return row.seq;
    },

    read: (sessionId, range) => new EntryRuns(readRuns(sessionId, range)),

    async load(sessionId) {
      const key = checkedKey(sessionId);
      const [row] = await db.query("load", [sql.load, [key]]);
      try {
        return loadedOf(row!, sessionId);
      } catch (error) {
        // So that no worker is woken for it; the error is the one to report.
        await db.query("quarantine", [sql.quarantine, [key]]).catch(() => {});
        throw error;
      }
    },

    async putInput(sessionId, input) {
      const row = inputRowOf(checkedKey(sessionId), input);
      const added = await db.query("put an input", [sql.putInput, row], true);
      return added.length === 1 ? "accepted" : "duplicate";
    },

    ...(db.offer && {
      offerInput: async (sessionId: string, input: SessionInput, options: OfferOptions) => {
        const { statement, wakes } = db.offer!(inputRowOf(checkedKey(sessionId), input), options);
        const [row] = await db.query("put an input", statement, true);
        return offeredOf(row!, wakes);
      },
    }),

    async takeInputs(sessionId, limit) {
      const rows = await db.query("take inputs", [sql.takeInputs, [checkedKey(sessionId), limit]]);
      return rows.map((row) => inputOf(row, sessionId));
    },

    async peek(sessionId, limit) {
      const key = checkedKey(sessionId);
      const rows = await db.query("take inputs", [sql.peek, [key, limit]]);
      const inputs = rows.filter(({ id }) => id !== null).map((row) => inputOf(row, sessionId));
      const [row] = rows;
      return { ...(row?.["seq"] != null && { position: positionOf(row, key) }), inputs };
    },

    async takenInputs(sessionId, { after, limit }) {
      const values = [checkedKey(sessionId), toKey(after), limit];
      const rows = await db.query("take inputs", [sql.takenInputs, values]);
      return rows.map(({ id }) => fromKey(String(id)));
    },

    async list(filter = {}) {
      const limit = limitOf(filter);
      const { condition, values } = conditionOf(filter);
      const statement = sql.list(condition, values.length + 1);
      const rows = await db.query("list", [statement, [...values, limit + 1]]);
      return sessionPage(rows.map(infoOf), limit);
    },

    search: (query) => searcher.search(query),

    async listDue(filter) {
      const { before, cursor = "" } = filter;
      const limit = limitOf(filter);
      const after = [before, toKey(cursor), now()];
      const here = ownersHere();
      const held = here ? await db.query("list", [sql.dueOwners, [...after, `%${here}%`]]) : [];
      const dead = held.map(({ owner }) => String(owner)).filter((owner) => isDeadOwner(fromKey(owner)));
      const owners = JSON.stringify(dead.map((owner) => [owner]));
      const rows = await db.query("list", [sql.listDue, [...after, limit + 1, owners]]);
      return duePage(
        rows.map((row) => fromKey(row["session_id"] as string)),
        limit,
      );
    },

    async delete(sessionId, { keepsInputs = false } = {}) {
      const key = checkedKey(sessionId);
      const run = function* (): Transaction<boolean> {
        const [session] = yield [sql.deleteSession, [key]];
        yield [sql.keepFence, [session?.["fence"] ?? 0]];
        yield [sql.deleteCheckpoint, [key]];
        yield [sql.deleteEntries, [key]];
        yield* index.removal(sessionId);
        const inputs = yield [keepsInputs ? sql.deleteTakenInputs : sql.deleteInputs, [key]];
        return inputs.length > 0 || Boolean(session?.["existed"]);
      };
      return db.transaction("delete", run, true);
    },

    watch(sessionId, { signal }) {
      const key = checkedKey(sessionId);
      const { watchMs } = db;
      const markEveryMs = watchMs && watchMs / 3;
      let markAt = 0;
      let wake = (): void => {};
      const subscribe: SeqSource["subscribe"] = (wakeUp) => {
        wake = wakeUp;
        const stops = [db.subscribe(key, wakeUp), markEveryMs ? pollEvery(markEveryMs)(wakeUp) : () => {}];
        return () => stops.forEach((stop) => stop());
      };
      const current = async (): Promise<number | undefined> => {
        const at = performance.now();
        const marks = watchMs !== undefined && at >= markAt;
        const [row] = await db.query("read", marks ? [sql.mark, [key, watchMs, now()]] : [sql.seq, [key]]);
        if (marks && row) markAt = at + watchMs / 3 - 1;
        else if (marks) setTimeout(wake, RETRY_WATCH_MS); // there is no row to mark yet
        return row?.["seq"] == null ? undefined : Number(row["seq"]);
      };
      return watchSeq({ current, subscribe, signal, outlasts: true });
    },

    prune: (options) => pruneSessions(store, options, () => now() ?? Date.now()),

    async close() {
      await searcher.close();
      await db.close();
    },
  };
  return store;
}

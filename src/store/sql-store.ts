import { AgentError } from "../base/error.ts";
import type { Json, JsonObject } from "../base/json.ts";
import { appendError, leaseLost, type AppendState } from "./append-check.ts";
import { duePage } from "./due.ts";
import type { Batch, JournalEntry, SessionFilter, SessionInfo, SessionPhase, SessionStore } from "./port.ts";
import { labelsOf, readPosition } from "./position.ts";
import { checkId, fromKey, keyAfterPrefix, toKey } from "./session-id.ts";
import { statementsOf, type SqlDialect } from "./sql-statements.ts";
import { sessionDamaged } from "./stored-json.ts";
import { watchSeq, type SeqSource } from "./watch-seq.ts";

/** A row as the driver returns it. */
export type Row = { readonly [column: string]: unknown };
/** A statement and the values of its parameters. */
export type Statement = readonly [sql: string, values: readonly unknown[]];
/** The statements of a transaction: yields each one and receives its rows. */
export type Transaction<T> = Generator<Statement, T, readonly Row[]>;

/** The columns that an append writes. Ids are keys (see {@link toKey}); strings that hold JSON are named so. */
export type AppendRow = {
  readonly key: string;
  /** The session's `seq` after the append. */
  readonly seq: number;
  readonly entries: readonly { readonly seq: number; readonly json: string }[];
  readonly positionJson: string;
  readonly phase: SessionPhase;
  readonly wakeAt: number | null;
  /** Null: the former `meta` and labels stay. */
  readonly metaJson: string | null;
  readonly labels: readonly string[] | null;
  /** Null: the former checkpoint stays. */
  readonly checkpointJson: string | null;
  readonly inputKeys: readonly string[];
  /** Null: the clock of the database. */
  readonly now: number | null;
};

/** One SQL database. Every method rejects with an AgentError; `operation` completes "could not …" in its message. */
export interface SqlDatabase extends SqlDialect {
  /** Runs one statement. `isDurable`: what it wrote survives a power loss, as far as the store's options ask for it. */
  query(operation: string, statement: Statement, isDurable?: boolean): Promise<readonly Row[]>;
  /** Runs all statements or none. */
  transaction<T>(operation: string, run: () => Transaction<T>, isDurable?: boolean): Promise<T>;
  /** Writes a batch if the session accepts it (see {@link appendError}); else writes nothing and returns the state that
   *  refused it, undefined if there is no such session. */
  append(batch: Batch, row: AppendRow): Promise<"written" | AppendState | undefined>;
  /** The value of a JSON column. Throws `session/damaged`. */
  json(column: unknown, sessionId: string, what?: string): JsonObject;
  /** An array of strings as a parameter. */
  array(strings: readonly string[]): unknown;
  /** Calls `wake` whenever the session's `seq` may have changed; returns a function that unsubscribes. */
  subscribe(key: string, wake: () => void): () => void;
  close(): Promise<void>;
}

const ENTRIES_PER_PAGE = 100;
const RETRY_WATCH_MS = 250;

function checkedKey(sessionId: string): string {
  checkId(sessionId, "A session id");
  return toKey(sessionId);
}

/** A {@link SessionStore} on tables that SQLite and Postgres have alike. `now` returns null for the clock of the database. */
export function sqlStore(db: SqlDatabase, now: () => number | null): SessionStore {
  const sql = statementsOf(db);

  function infoOf({ session_id, seq, position, meta, updated_at }: Row): SessionInfo {
    const about = {
      sessionId: fromKey(session_id as string),
      seq: Number(seq),
      updatedAt: updated_at as number,
    };
    try {
      const fields = readPosition(db.json(position, about.sessionId));
      return { ...about, ...fields, meta: db.json(meta, about.sessionId) };
    } catch {
      return { ...about, phase: "quarantined", waitsFor: [], meta: {} };
    }
  }

  /** The WHERE clause of a list, and the values of its parameters. */
  function conditionOf({ prefix, phase, meta, wakeBefore, cursor }: SessionFilter) {
    const after = (operator: string) => (parameter: number) => `${operator}$${parameter}`;
    const parts: readonly (readonly [condition: (parameter: number) => string, value: unknown])[] = [
      [after("session_id >= "), prefix && toKey(prefix)],
      [after("session_id < "), prefix && keyAfterPrefix(toKey(prefix))],
      [after("session_id > "), cursor && toKey(cursor)],
      [after("phase = "), phase],
      [after("wake_at <= "), wakeBefore],
      [db.hasLabels, meta && db.array(labelsOf(meta))],
    ];
    const given = parts.filter(([, value]) => value !== undefined && value !== "");
    const conditions = given.map(([condition], index) => condition(index + 1));
    return {
      condition: ["position IS NOT NULL", ...conditions].join(" AND "),
      values: given.map(([, value]) => value),
    };
  }

  return {
    async acquire(sessionId, { owner, ttlMs }) {
      const key = checkedKey(sessionId);
      checkId(owner, "An owner");
      return db.transaction("acquire a lease", function* () {
        const [row] = yield [sql.acquire, [key, toKey(owner), ttlMs, now()]];
        if (!row) return undefined;
        const [raised = row] = row["is_new"] ? yield [sql.raiseFence, [key]] : [];
        return {
          sessionId,
          owner,
          fence: Number(raised["fence"]),
          expiresAt: row["expires_at"] as number,
          takeovers: row["takeovers"] as number,
        };
      });
    },

    async renew(lease, ttlMs) {
      const { sessionId, fence } = lease;
      const values = [checkedKey(sessionId), fence, ttlMs, now()];
      const [row] = await db.query("renew a lease", [sql.renew, values]);
      if (!row) throw leaseLost(sessionId, fence);
      return { ...lease, expiresAt: row["expires_at"] as number };
    },

    async release({ sessionId, fence }) {
      await db.query("release a lease", [sql.release, [checkedKey(sessionId), fence]]);
    },

    async append(sessionId, batch) {
      const key = checkedKey(sessionId);
      const { fence, expectedSeq, entries, position, checkpoint, ackInputs = [] } = batch;
      const { phase, wakeAt = null, meta } = readPosition(position);
      const seq = expectedSeq + entries.length;
      const state = await db.append(batch, {
        key,
        seq,
        entries: entries.map((entry) => ({ seq: entry.seq, json: JSON.stringify(entry) })),
        positionJson: JSON.stringify(position),
        phase,
        wakeAt,
        metaJson: meta ? JSON.stringify(meta) : null,
        labels: meta ? labelsOf(meta) : null,
        checkpointJson: checkpoint ? JSON.stringify(checkpoint) : null,
        inputKeys: ackInputs.map(toKey),
        now: now(),
      });
      if (state === "written") return seq;
      throw appendError(sessionId, batch, state) ?? leaseLost(sessionId, fence);
    },

    async *read(sessionId, { after = 0, limit = Number.POSITIVE_INFINITY } = {}) {
      const key = checkedKey(sessionId);
      let [last, left] = [after, limit];
      while (left > 0) {
        const count = Math.min(left, ENTRIES_PER_PAGE);
        const rows = await db.query("read", [sql.read, [key, last, count]]);
        for (const row of rows) {
          const what = `entry ${++last}`;
          const entry = db.json(row["entry"], sessionId, what) as Json as JournalEntry;
          if (entry.seq !== last) throw sessionDamaged(sessionId, `${what} is missing`);
          yield entry;
        }
        left -= rows.length;
        if (rows.length < count) return;
      }
    },

    async load(sessionId) {
      const [row] = await db.query("load", [sql.load, [checkedKey(sessionId)]]);
      if (!row) return undefined;
      const position = db.json(row["position"], sessionId);
      const checkpoint = row["data"] === null ? undefined : db.json(row["data"], sessionId);
      return { seq: Number(row["seq"]), position, ...(checkpoint && { checkpoint }) };
    },

    async putInput(sessionId, { id, data, dueAt = 0 }) {
      const key = checkedKey(sessionId);
      checkId(id, "An input id");
      const values = [key, toKey(id), JSON.stringify(data), dueAt];
      const added = await db.query("put an input", [sql.putInput, values], true);
      return added.length === 1 ? "accepted" : "duplicate";
    },

    async takeInputs(sessionId, limit) {
      const rows = await db.query("take inputs", [sql.takeInputs, [checkedKey(sessionId), limit]]);
      return rows.map(({ id, data, due_at }) => ({
        id: fromKey(id as string),
        data: db.json(data, sessionId),
        ...(due_at !== 0 && { dueAt: due_at as number }),
      }));
    },

    async list(filter = {}) {
      const { limit = 100 } = filter;
      const { condition, values } = conditionOf(filter);
      const statement = sql.list(condition, values.length + 1);
      const rows = await db.query("list", [statement, [...values, limit + 1]]);
      const sessions = rows.slice(0, limit).map(infoOf);
      return { sessions, ...(rows.length > limit && { cursor: sessions.at(-1)!.sessionId }) };
    },

    async listDue({ before, cursor = "", limit = 100 }) {
      const values = [before, toKey(cursor), now(), limit + 1];
      const rows = await db.query("list", [sql.listDue, values]);
      return duePage(
        rows.map((row) => fromKey(row["session_id"] as string)),
        limit,
      );
    },

    async delete(sessionId) {
      const key = checkedKey(sessionId);
      const run = function* (): Transaction<boolean> {
        const [session] = yield [sql.deleteSession, [key]];
        yield [sql.keepFence, [session?.["fence"] ?? 0]];
        yield [sql.deleteCheckpoint, [key]];
        yield [sql.deleteEntries, [key]];
        const inputs = yield [sql.deleteInputs, [key]];
        return inputs.length > 0 || Boolean(session?.["existed"]);
      };
      return db.transaction("delete", run, true);
    },

    watch(sessionId, { signal }) {
      const key = checkedKey(sessionId);
      let wake = (): void => {};
      const subscribe: SeqSource["subscribe"] = (wakeUp) => {
        wake = wakeUp;
        return db.subscribe(key, wakeUp);
      };
      const current = async (): Promise<number | undefined> => {
        try {
          const [row] = await db.query("read", [sql.seq, [key]]);
          return row && Number(row["seq"]);
        } catch (error) {
          if (!AgentError.is(error) || !error.isRetryable) throw error;
          setTimeout(() => wake(), RETRY_WATCH_MS);
          return undefined;
        }
      };
      return watchSeq({ current, subscribe, signal });
    },

    close: () => db.close(),
  };
}

import { hash } from "node:crypto";
import { AgentError } from "../base/error.ts";
import type { JsonObject } from "../base/json.ts";
import { duePage } from "./due.ts";
import type { JournalEntry, SessionFilter, SessionInfo, SessionStore } from "./port.ts";
import { readPosition, labelsOf } from "./position.ts";
import { PostgresDatabase, type PostgresConnection, type Row } from "./postgres-database.ts";
import { PostgresListener } from "./postgres-listener.ts";
import { sqlOf } from "./postgres-sql.ts";
import { leaseLost, appendError, type AppendState } from "./append-check.ts";
import { checkId, fromKey, keyAfterPrefix, toKey } from "./session-id.ts";
import { sessionDamaged } from "./stored-json.ts";
import { watchSeq } from "./watch-seq.ts";

export type PostgresStoreOptions = PostgresConnection & {
  /** Default: the clock of the database, so that the clocks of workers need not agree. */
  readonly now?: () => number;
};

const ENTRIES_PER_PAGE = 100;
const RETRY_WATCH_MS = 250;

function checkedKey(sessionId: string): string {
  checkId(sessionId, "A session id");
  return toKey(sessionId);
}

/** `bigint` comes as text. */
const standingOf = ({ seq, fence, owner }: Row): AppendState => ({
  seq: Number(seq),
  fence: Number(fence),
  owner: owner as string | null,
});

function infoOf({ session_id, seq, position, meta, updated_at }: Row): SessionInfo {
  const facts = readPosition(position as JsonObject);
  return {
    sessionId: fromKey(session_id as string),
    seq: Number(seq),
    ...facts,
    meta: meta as JsonObject,
    updatedAt: updated_at as number,
  };
}

/** The condition of a list, and the values of its parameters. */
function conditionOf(filter: SessionFilter): { readonly sql: string; readonly values: unknown[] } {
  const { prefix, phase, meta, wakeBefore, cursor } = filter;
  const parts: readonly (readonly [sql: string, value: unknown])[] = [
    ["session_id >= ", prefix && toKey(prefix)],
    ["session_id < ", prefix && keyAfterPrefix(toKey(prefix))],
    ["session_id > ", cursor && toKey(cursor)],
    ["phase = ", phase],
    ["wake_at <= ", wakeBefore],
    ["labels @> ", meta && labelsOf(meta)],
  ];
  const given = parts.filter(([, value]) => value !== undefined && value !== "");
  const conditions = given.map(([sql], index) => `${sql}$${index + 1}`);
  return {
    sql: ["position IS NOT NULL", ...conditions].join(" AND "),
    values: given.map(([, value]) => value),
  };
}

/**
 * Sessions in Postgres (13 or later), for any number of machines; needs the package `pg`. Every append notifies, and a watcher that
 * lost its connection gets another. What an append was acknowledged for survives what the server's `synchronous_commit` says.
 */
export function postgresStore(options: PostgresStoreOptions): SessionStore {
  const db = new PostgresDatabase(options);
  const listener = new PostgresListener(db);
  const sql = sqlOf(db.schema);
  const now = () => options.now?.() ?? null;
  const channelOf = (key: string) => `agentchart_${hash("md5", `${db.schema} ${key}`)}`;

  async function seqOf(key: string): Promise<number | undefined> {
    const [row] = await db.query("read", sql.seq, [key]);
    return row && Number(row["seq"]);
  }

  return {
    async acquire(sessionId, { owner, ttlMs }) {
      const key = checkedKey(sessionId);
      checkId(owner, "An owner");
      return db.transaction("acquire a lease", async (client) => {
        const run = async (text: string, values: unknown[]) =>
          (await client.query<Row>(text, values)).rows[0];
        const row = await run(sql.acquire, [key, toKey(owner), ttlMs, now()]);
        if (!row) return undefined;
        const { fence, expires_at } = (row["is_new"] ? await run(sql.raiseFence, [key]) : row) ?? row;
        const takeovers = row["takeovers"] as number;
        return { sessionId, owner, fence: Number(fence), expiresAt: expires_at as number, takeovers };
      });
    },

    async renew(lease, ttlMs) {
      const { sessionId, fence } = lease;
      const [row] = await db.query("renew a lease", sql.renew, [checkedKey(sessionId), fence, ttlMs, now()]);
      if (!row) throw leaseLost(sessionId, fence);
      return { ...lease, expiresAt: row["expires_at"] as number };
    },

    async release({ sessionId, fence }) {
      await db.query("release a lease", sql.release, [checkedKey(sessionId), fence]);
    },

    async append(sessionId, batch) {
      const key = checkedKey(sessionId);
      const { fence, expectedSeq, entries, position, checkpoint, ackInputs = [] } = batch;
      const seq = expectedSeq + entries.length;
      const isNumbered = entries.every((entry, index) => entry.seq === expectedSeq + index + 1);
      const { phase, wakeAt = null, meta } = readPosition(position);
      const [row] = await db.query("append", sql.append, [
        key,
        fence,
        isNumbered ? expectedSeq : null,
        entries.map((entry) => entry.seq),
        entries.map((entry) => JSON.stringify(entry)),
        seq,
        JSON.stringify(position),
        phase,
        wakeAt,
        meta ? JSON.stringify(meta) : null,
        meta ? labelsOf(meta) : null,
        now(),
        checkpoint ? JSON.stringify(checkpoint) : null,
        ackInputs.map(toKey),
        channelOf(key),
      ]);
      if (row?.["fits"] === true) return seq;
      throw appendError(sessionId, batch, row && standingOf(row)) ?? leaseLost(sessionId, fence);
    },

    async *read(sessionId, { after = 0, limit = Number.POSITIVE_INFINITY } = {}) {
      const key = checkedKey(sessionId);
      let [last, left] = [after, limit];
      while (left > 0) {
        const wanted = Math.min(left, ENTRIES_PER_PAGE);
        const rows = await db.query("read", sql.read, [key, last, wanted]);
        for (const row of rows) {
          const entry = row["entry"] as JournalEntry;
          if (entry.seq !== ++last) throw sessionDamaged(sessionId, `entry ${last} is missing`);
          yield entry;
        }
        left -= rows.length;
        if (rows.length < wanted) return;
      }
    },

    async load(sessionId) {
      const [row] = await db.query("load", sql.load, [checkedKey(sessionId)]);
      if (!row) return undefined;
      const checkpoint = row["data"] as JsonObject | null;
      const position = row["position"] as JsonObject;
      return { seq: Number(row["seq"]), position, ...(checkpoint && { checkpoint }) };
    },

    async putInput(sessionId, { id, data, dueAt = 0 }) {
      const key = checkedKey(sessionId);
      checkId(id, "An input id");
      const values = [key, toKey(id), JSON.stringify(data), dueAt];
      const added = await db.query("put an input", sql.putInput, values);
      return added.length === 1 ? "accepted" : "duplicate";
    },

    async takeInputs(sessionId, limit) {
      const rows = await db.query("take inputs", sql.takeInputs, [checkedKey(sessionId), limit]);
      return rows.map(({ id, data, due_at }) => ({
        id: fromKey(id as string),
        data: data as JsonObject,
        ...(due_at !== 0 && { dueAt: due_at as number }),
      }));
    },

    async list(filter = {}) {
      const { limit = 100 } = filter;
      const { sql: condition, values } = conditionOf(filter);
      const rows = await db.query("list", sql.list(condition, values.length + 1), [...values, limit + 1]);
      const sessions = rows.slice(0, limit).map(infoOf);
      return { sessions, ...(rows.length > limit && { cursor: sessions.at(-1)!.sessionId }) };
    },

    async listDue({ before, cursor = "", limit = 100 }) {
      const rows = await db.query("list", sql.listDue, [before, toKey(cursor), now(), limit + 1]);
      return duePage(
        rows.map((row) => fromKey(row["session_id"] as string)),
        limit,
      );
    },

    async delete(sessionId) {
      const key = checkedKey(sessionId);
      return db.transaction("delete", async (client) => {
        const { rows } = await client.query<Row>(sql.deleteSession, [key]);
        await client.query(sql.noteFence, [rows[0]?.["fence"] ?? 0]);
        await client.query(sql.deleteCheckpoint, [key]);
        await client.query(sql.deleteEntries, [key]);
        const inputs = await client.query(sql.deleteInputs, [key]);
        return inputs.rowCount !== 0 || (rows[0]?.["existed"] ?? false) === true;
      });
    },

    watch(sessionId, { signal }) {
      const key = checkedKey(sessionId);
      let wake = (): void => {};
      const subscribe = (wakeUp: () => void) => {
        wake = wakeUp;
        return listener.subscribe(channelOf(key), wakeUp);
      };
      const current = async () => {
        try {
          return await seqOf(key);
        } catch (error) {
          if (!AgentError.is(error) || !error.isRetryable) throw error;
          setTimeout(() => wake(), RETRY_WATCH_MS);
          return undefined;
        }
      };
      return watchSeq({ current, subscribe, signal });
    },

    async close() {
      listener.close();
      await db.close();
    },
  };
}

import { AgentError } from "../base/error.ts";
import { checkOptions } from "../base/options.ts";
import { duePage } from "./due.ts";
import type { JournalEntry, SessionFilter, SessionInfo, SessionStore } from "./port.ts";
import { readPosition, isAtRest, labelsOf } from "./position.ts";
import { holdsLease, leaseLost, appendError, nextTakeovers, type AppendState } from "./append-check.ts";
import { checkId, fromKey, keyAfterPrefix, toKey } from "./session-id.ts";
import { SqliteDatabase, type Row } from "./sqlite-database.ts";
import { readJson } from "./stored-json.ts";
import { pollEvery, watchSeq } from "./watch-seq.ts";

export type SqliteStoreOptions = {
  /** A file, made with its folder when first used, or `:memory:`. */
  readonly path: string;
  /** What a power loss can take (`kill -9` takes nothing): `rest` (default) what was appended since the session last rested,
   *  `never` whatever the operating system had not written, `always` nothing. Accepted inputs count as rest. */
  readonly fsync?: "never" | "rest" | "always";
  /** How often {@link SessionStore.watch} looks, in ms; default 100. */
  readonly watchEveryMs?: number;
  readonly now?: () => number;
};

const ENTRIES_PER_PAGE = 100;
const LIST_DUE = `
  SELECT session_id FROM (
    SELECT session_id FROM inputs WHERE data IS NOT NULL AND due_at <= ? AND session_id > ?
    UNION SELECT session_id FROM sessions WHERE phase IN ('running', 'unfinished') AND session_id > ?
    UNION SELECT session_id FROM sessions WHERE wake_at <= ? AND session_id > ?
  ) LEFT JOIN sessions AS s USING (session_id)
  WHERE (s.owner IS NULL OR s.expires_at <= ?) AND s.phase IS NOT 'quarantined' ORDER BY session_id LIMIT ?`;

type FormerHolder = { readonly owner: string | null; readonly takeovers: number };

function checkedKey(sessionId: string): string {
  checkId(sessionId, "A session id");
  return toKey(sessionId);
}

const standingOf = (row: Row | undefined): AppendState | undefined => row as AppendState | undefined;

function infoOf(row: Row): SessionInfo {
  const sessionId = fromKey(row["session_id"] as string);
  const [seq, updatedAt] = [row["seq"] as number, row["updated_at"] as number];
  try {
    const facts = readPosition(readJson(row["position"], sessionId));
    return { sessionId, seq, ...facts, meta: readJson(row["meta"], sessionId), updatedAt };
  } catch {
    return { sessionId, seq, phase: "quarantined", waitsFor: [], meta: {}, updatedAt };
  }
}

/** The conditions of a list, each with its value. */
function conditionsOf({
  prefix,
  phase,
  meta,
  wakeBefore,
  cursor,
}: SessionFilter): [string, string | number][] {
  const after = prefix === undefined ? undefined : keyAfterPrefix(toKey(prefix));
  return [
    ...(prefix === undefined ? [] : [["session_id >= ?", toKey(prefix)] as [string, string]]),
    ...(after === undefined ? [] : [["session_id < ?", after] as [string, string]]),
    ...(cursor === undefined ? [] : [["session_id > ?", toKey(cursor)] as [string, string]]),
    ...(phase === undefined ? [] : [["phase = ?", phase] as [string, string]]),
    ...(wakeBefore === undefined ? [] : [["wake_at <= ?", wakeBefore] as [string, number]]),
    ...labelsOf(meta ?? {}).map((label): [string, string] => [
      "EXISTS (SELECT 1 FROM json_each(labels) WHERE value = ?)",
      label,
    ]),
  ];
}

/** Sessions in one SQLite file (built into Node), for any number of processes on one machine. */
export function sqliteStore(options: SqliteStoreOptions): SessionStore {
  const known = ["path", "fsync", "watchEveryMs", "now"];
  checkOptions(options, known, "sqliteStore", 'sqliteStore({ path: "./sessions.db" })');
  const { path, fsync = "rest", watchEveryMs = 100, now = Date.now } = options;
  if (typeof path !== "string" || path === "")
    throw new AgentError("config/invalid", "sqliteStore: `path` must name a file, or be :memory:.");
  const db = new SqliteDatabase(path);
  const find = (key: string): Row | undefined =>
    db.get("SELECT seq, fence, owner, expires_at, takeovers FROM sessions WHERE session_id = ?", key);
  const seqOf = (key: string): number | undefined =>
    db.get("SELECT seq FROM sessions WHERE session_id = ? AND position IS NOT NULL", key)?.["seq"] as
      | number
      | undefined;

  return {
    async acquire(sessionId, { owner, ttlMs }) {
      const key = checkedKey(sessionId);
      checkId(owner, "An owner");
      return db.transaction(false, () => {
        const row = find(key);
        const holder = row?.["owner"] ?? null;
        if (holder !== null && holder !== toKey(owner) && (row?.["expires_at"] as number) > now())
          return undefined;
        const former = row?.["fence"] ?? db.get("SELECT value FROM last_fence")?.["value"];
        const takeovers = nextTakeovers(row as FormerHolder | undefined, toKey(owner));
        const lease = {
          sessionId,
          owner,
          fence: (former as number) + 1,
          expiresAt: now() + ttlMs,
          takeovers,
        };
        db.run(
          `INSERT INTO sessions (session_id, fence, owner, expires_at, takeovers) VALUES (?, ?, ?, ?, ?)
           ON CONFLICT DO UPDATE SET fence = excluded.fence, owner = excluded.owner, expires_at = excluded.expires_at,
             takeovers = excluded.takeovers`,
          key,
          lease.fence,
          toKey(owner),
          lease.expiresAt,
          takeovers,
        );
        return lease;
      });
    },

    async renew(lease, ttlMs) {
      const key = checkedKey(lease.sessionId);
      return db.transaction(false, () => {
        const standing = standingOf(find(key));
        if (!holdsLease(lease, standing)) throw leaseLost(lease.sessionId, lease.fence, standing?.fence);
        const expiresAt = now() + ttlMs;
        db.run("UPDATE sessions SET expires_at = ? WHERE session_id = ?", expiresAt, key);
        return { ...lease, expiresAt };
      });
    },

    async release({ sessionId, fence }) {
      const key = checkedKey(sessionId);
      db.transaction(false, () =>
        db.run("UPDATE sessions SET owner = NULL WHERE session_id = ? AND fence = ?", key, fence),
      );
    },

    async append(sessionId, batch) {
      const key = checkedKey(sessionId);
      const { entries, position, checkpoint, ackInputs = [] } = batch;
      const { phase, wakeAt = null, meta } = readPosition(position);
      const isSynced = fsync === "always" || (fsync === "rest" && isAtRest(phase));
      return db.transaction(isSynced, () => {
        const refusal = appendError(sessionId, batch, standingOf(find(key)));
        if (refusal) throw refusal;
        for (const entry of entries) {
          db.run(
            "INSERT INTO entries (session_id, seq, entry) VALUES (?, ?, ?)",
            key,
            entry.seq,
            JSON.stringify(entry),
          );
        }
        const seq = batch.expectedSeq + entries.length;
        db.run(
          "UPDATE sessions SET seq = ?, position = ?, phase = ?, wake_at = ?, updated_at = ? WHERE session_id = ?",
          seq,
          JSON.stringify(position),
          phase,
          wakeAt,
          now(),
          key,
        );
        if (meta) {
          const labels = JSON.stringify(labelsOf(meta));
          db.run(
            "UPDATE sessions SET meta = ?, labels = ? WHERE session_id = ?",
            JSON.stringify(meta),
            labels,
            key,
          );
        }
        if (checkpoint) {
          const data = JSON.stringify(checkpoint);
          db.run("INSERT OR REPLACE INTO checkpoints (session_id, data) VALUES (?, ?)", key, data);
        }
        for (const id of ackInputs) {
          db.run("UPDATE inputs SET data = NULL WHERE session_id = ? AND id = ?", key, toKey(id));
        }
        return seq;
      });
    },

    async *read(sessionId, { after = 0, limit = Number.POSITIVE_INFINITY } = {}) {
      const key = checkedKey(sessionId);
      let [last, left] = [after, limit];
      while (left > 0) {
        const wanted = Math.min(left, ENTRIES_PER_PAGE);
        const rows = db.all(
          "SELECT entry FROM entries WHERE session_id = ? AND seq > ? ORDER BY seq LIMIT ?",
          key,
          last,
          wanted,
        );
        for (const row of rows) {
          const entry = readJson(row["entry"], sessionId, last + 1);
          yield entry as unknown as JournalEntry;
          last++;
        }
        left -= rows.length;
        if (rows.length < wanted) return;
      }
    },

    async load(sessionId) {
      const row = db.get(
        `SELECT seq, position, data FROM sessions LEFT JOIN checkpoints USING (session_id)
         WHERE session_id = ? AND position IS NOT NULL`,
        checkedKey(sessionId),
      );
      if (!row) return undefined;
      const position = readJson(row["position"], sessionId);
      const checkpoint = row["data"] === null ? undefined : readJson(row["data"], sessionId);
      return { seq: row["seq"] as number, position, ...(checkpoint && { checkpoint }) };
    },

    async putInput(sessionId, { id, data, dueAt = 0 }) {
      const key = checkedKey(sessionId);
      checkId(id, "An input id");
      const added = db.transaction(fsync !== "never", () =>
        db.run(
          "INSERT INTO inputs (session_id, id, data, due_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
          key,
          toKey(id),
          JSON.stringify(data),
          dueAt,
        ),
      );
      return added === 1 ? "accepted" : "duplicate";
    },

    async takeInputs(sessionId, limit) {
      const rows = db.all(
        `SELECT id, data, due_at FROM inputs WHERE session_id = ? AND data IS NOT NULL ORDER BY due_at, n LIMIT ?`,
        checkedKey(sessionId),
        limit,
      );
      return rows.map(({ id, data, due_at }) => ({
        id: fromKey(id as string),
        data: readJson(data, sessionId),
        ...(due_at !== 0 && { dueAt: due_at as number }),
      }));
    },

    async list(filter = {}) {
      const { limit = 100 } = filter;
      const conditions = conditionsOf(filter);
      const where = ["position IS NOT NULL", ...conditions.map(([condition]) => condition)].join(" AND ");
      const rows = db.all(
        `SELECT session_id, seq, position, meta, updated_at FROM sessions WHERE ${where} ORDER BY session_id LIMIT ?`,
        ...conditions.map(([, value]) => value),
        limit + 1,
      );
      const sessions = rows.slice(0, limit).map(infoOf);
      return { sessions, ...(rows.length > limit && { cursor: sessions.at(-1)!.sessionId }) };
    },

    async listDue({ before, cursor = "", limit = 100 }) {
      const after = toKey(cursor);
      const rows = db.all(LIST_DUE, before, after, after, before, after, now(), limit + 1);
      return duePage(
        rows.map((row) => fromKey(row["session_id"] as string)),
        limit,
      );
    },

    async delete(sessionId) {
      const key = checkedKey(sessionId);
      return db.transaction(fsync !== "never", () => {
        const row = db.get("SELECT fence, position FROM sessions WHERE session_id = ?", key);
        const fence = (row?.["fence"] ?? 0) as number;
        db.run("UPDATE last_fence SET value = max(value, ?)", fence);
        db.run("DELETE FROM sessions WHERE session_id = ?", key);
        db.run("DELETE FROM checkpoints WHERE session_id = ?", key);
        db.run("DELETE FROM entries WHERE session_id = ?", key);
        const inputs = db.run("DELETE FROM inputs WHERE session_id = ?", key);
        return inputs > 0 || (row?.["position"] ?? null) !== null;
      });
    },

    watch(sessionId, { signal }) {
      const key = checkedKey(sessionId);
      return watchSeq({ current: () => seqOf(key), subscribe: pollEvery(watchEveryMs), signal });
    },

    async close() {
      db.close();
    },
  };
}

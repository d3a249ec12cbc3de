import type { Row, Statement, Transaction } from "./sql/transaction.ts";

/** The interface that runs statements. */
export type SqlQueries = {
  /** Runs one statement. `isDurable`: what it wrote survives a power loss, as far as the store's options ask for it. */
  query(operation: string, statement: Statement, isDurable?: boolean): Promise<readonly Row[]>;
  /** Runs all statements or none. */
  transaction<T>(operation: string, run: () => Transaction<T>, isDurable?: boolean): Promise<T>;
};

/** The parts that the SQL of one database adds to the statements that all share. */
export type SqlDialect = {
  /** Qualifies table names, as SQL: `"agentchart"`, `main`. */
  readonly schema: string;
  /** An expression for the current time in epoch ms, given the number of the parameter that may carry it. */
  now(parameter: number): string;
  /** A table with a column `value`: the elements of the JSON array in parameter `parameter`. */
  eachOf(parameter: number): string;
  /** The statement `second`, with what `first` does if the database can do both in one statement. */
  after(first: string, second: string): string;
  /** A condition on `labels`: it holds all labels of the array in parameter `parameter`. */
  hasLabels(parameter: number): string;
};

/** The statements that are the same in SQLite and Postgres. Parameters are written `$1`, `$2` … in both. */
export function statementsOf({ schema, now, eachOf, after }: SqlDialect) {
  // One row, also if there is no session: `has_entries` tells whether its row was lost.
  const load = `
      SELECT s.seq, CAST(s.position AS text) AS position, s.checksum, s.position_checksum, s.checkpoint_checksum,
        CAST(c.data AS text) AS checkpoint, e.seq AS last_seq, e.checksum AS last_checksum,
        (SELECT seq FROM ${schema}.entries WHERE session_id = $1 ORDER BY seq LIMIT 1) IS NOT NULL AS has_entries
      FROM (SELECT 1) AS one LEFT JOIN ${schema}.sessions AS s ON s.session_id = $1 AND s.position IS NOT NULL
        LEFT JOIN ${schema}.checkpoints AS c ON c.session_id = s.session_id
        LEFT JOIN ${schema}.entries AS e ON e.session_id = s.session_id AND e.seq = s.seq`;
  const takeInputs = (limit: number): string => `
      SELECT id, CAST(data AS text) AS data, due_at, checksum, n FROM ${schema}.inputs
      WHERE session_id = $1 AND data IS NOT NULL ORDER BY due_at, n LIMIT $${limit}`;
  // The first lease of a row gets a fence above those of deleted sessions: whatever was deleted to make room for the row was gone before
  // this statement began, so that `last_fence` has its fence.
  const nextFence = `1 + CASE WHEN fence > 0 THEN fence ELSE (SELECT value FROM ${schema}.last_fence) END`;
  // Returns no row if there is none of the session, or another owner has not released the lease, other than the one in $5 with the fence
  // $6, if it has expired or $7 is 1. It leaves out $8 fences.
  const acquireIf = (condition = "", returned = "") => `
      UPDATE ${schema}.sessions SET owner = $2, expires_at = ${now(4)} + $3, fence = ${nextFence} + CAST($8 AS bigint),
        takeovers = CASE WHEN owner IS NULL THEN 0 WHEN owner = $2 THEN takeovers ELSE takeovers + 1 END
      WHERE session_id = $1 ${condition}
        AND (owner IS NULL OR owner = $2 OR (owner = $5 AND fence = $6 AND (expires_at <= ${now(4)} OR $7 = 1)))
      RETURNING fence, expires_at, takeovers${returned}`;
  // With the session and its first $9 inputs, as they stood when the statement began: `is_current` if the lease was free then, and nobody
  // had it before the row was locked, so that nobody can have appended.
  const acquireAndRead = (condition = "") => `
      WITH taken AS (${acquireIf(condition, `, watched_until > ${now(4)} AS is_watched`)})
      SELECT taken.*, loaded.*,
        (SELECT owner IS NULL AND taken.fence = ${nextFence} + CAST($8 AS bigint) FROM ${schema}.sessions WHERE session_id = $1) AS is_current,
        (SELECT json_agg(json_build_array(id, data, due_at, checksum) ORDER BY due_at, n) FROM (${takeInputs(9)}) AS i) AS inputs
      FROM taken, (${load}) AS loaded`;
  // There is something to do in the session that waits for nobody, and it has no parent.
  const isReady = `AND (phase IN ('running', 'unfinished') OR (phase IS NULL OR phase = 'stopped')
          AND (SELECT due_at FROM ${schema}.inputs WHERE session_id = $1 AND data IS NOT NULL ORDER BY due_at LIMIT 1) <= ${now(4)})
        AND NOT EXISTS (SELECT FROM unnest(labels) AS label WHERE label LIKE '["parent",%')`;
  // The row of a session that nobody has had yet: no lease, and no position.
  const newRow = `INSERT INTO ${schema}.sessions (session_id, fence) VALUES ($1, 0) ON CONFLICT DO NOTHING`;
  // Sessions after $2 with something to do by $1.
  const due = `
        SELECT session_id FROM ${schema}.inputs WHERE data IS NOT NULL AND due_at <= $1 AND session_id > $2
        UNION SELECT session_id FROM ${schema}.sessions WHERE phase IN ('running', 'unfinished') AND session_id > $2
        UNION SELECT session_id FROM ${schema}.sessions WHERE wake_at <= $1 AND session_id > $2
      `;
  return {
    acquire: acquireIf(),
    acquireAndRead: acquireAndRead(),
    acquireIfReady: acquireAndRead(isReady),
    makeRow: newRow,
    holding: `
      SELECT owner, fence, expires_at, expires_at <= ${now(2)} AS has_expired FROM ${schema}.sessions
      WHERE session_id = $1`,
    renew: `
      UPDATE ${schema}.sessions SET expires_at = ${now(4)} + $3
      WHERE session_id = $1 AND fence = $2 AND owner IS NOT NULL RETURNING expires_at`,
    renewAll: `
      UPDATE ${schema}.sessions SET expires_at = ${now(3)} + $2
      WHERE owner IS NOT NULL
        AND (session_id, fence) IN (SELECT value ->> 0, CAST(value ->> 1 AS bigint) FROM ${eachOf(1)})
      RETURNING session_id, fence, expires_at`,
    holder: `
      SELECT owner, expires_at - ${now(2)} AS left_ms FROM ${schema}.sessions
      WHERE session_id = $1 AND owner IS NOT NULL AND expires_at > ${now(2)}`,
    release: `UPDATE ${schema}.sessions SET owner = NULL WHERE session_id = $1 AND fence = $2`,
    // Entries, and a row without one: it has the newest seq, and the checksum of the entry before the first.
    read: `
      SELECT seq, entry, checksum FROM (
        SELECT seq, CAST(entry AS text) AS entry, checksum FROM ${schema}.entries
        WHERE session_id = $1 AND seq > $2 ORDER BY seq LIMIT $3
      ) AS page
      UNION ALL SELECT seq, CAST(NULL AS text),
        (SELECT checksum FROM ${schema}.entries WHERE session_id = $1 AND seq <= $2 ORDER BY seq DESC LIMIT 1)
      FROM ${schema}.sessions WHERE session_id = $1 AND position IS NOT NULL
      ORDER BY seq`,
    load,
    quarantine: `UPDATE ${schema}.sessions SET phase = 'quarantined', searched = 0 WHERE session_id = $1 AND position IS NOT NULL`,
    seq: `SELECT seq FROM ${schema}.sessions WHERE session_id = $1 AND position IS NOT NULL`,
    // Says that the session is watched for $2 ms more.
    mark: `
      UPDATE ${schema}.sessions SET watched_until = ${now(3)} + $2 WHERE session_id = $1
      RETURNING CASE WHEN position IS NOT NULL THEN seq END AS seq`,
    // With the row of the session, which a worker is about to acquire.
    putInput: after(
      newRow,
      `INSERT INTO ${schema}.inputs (session_id, id, data, due_at, checksum) VALUES ($1, $2, $3, $4, $5)
      ON CONFLICT DO NOTHING RETURNING id`,
    ),
    takeInputs: takeInputs(2),
    // A row for each input; one without, if there is none.
    peek: `
      SELECT s.seq, CAST(s.position AS text) AS position, s.position_checksum, i.id, i.data, i.due_at, i.checksum
      FROM (SELECT 1) AS one LEFT JOIN ${schema}.sessions AS s ON s.session_id = $1 AND s.position IS NOT NULL
        LEFT JOIN (${takeInputs(2)}) AS i ON 1 = 1
      ORDER BY i.due_at, i.n`,
    takenInputs: `
      SELECT id FROM ${schema}.inputs WHERE session_id = $1 AND data IS NULL AND id > $2 ORDER BY id LIMIT $3`,
    list: (condition: string, limit: number) => `
      SELECT session_id, seq, CAST(position AS text) AS position, position_checksum, CAST(meta AS text) AS meta,
        meta_checksum, updated_at FROM ${schema}.sessions
      WHERE ${condition} ORDER BY session_id LIMIT $${limit}`,
    /** Sessions whose index is not up to date, after `$1`. */
    unsearched: `
      SELECT session_id, seq, CAST(position AS text) AS position, position_checksum, CAST(meta AS text) AS meta,
        meta_checksum, updated_at FROM ${schema}.sessions
      WHERE searched = 0 AND position IS NOT NULL AND session_id > $1 ORDER BY session_id LIMIT $2`,
    countUnsearched: `SELECT count(*) AS total FROM ${schema}.sessions WHERE searched = 0 AND position IS NOT NULL`,
    // Locks the session, so that it is not deleted before its index is written.
    claimSearch: `
      UPDATE ${schema}.sessions SET searched = CASE WHEN seq = $2 AND updated_at = $3 THEN 1 ELSE 0 END
      WHERE session_id = $1 AND seq >= $2 RETURNING seq`,
    // Beside the free sessions those of the owners in $5.
    listDue: `
      SELECT session_id FROM (${due}) AS found LEFT JOIN ${schema}.sessions AS s USING (session_id)
      WHERE (s.owner IS NULL OR s.expires_at <= ${now(3)} OR s.owner IN (SELECT value ->> 0 FROM ${eachOf(5)}))
        AND s.phase IS DISTINCT FROM 'quarantined'
      ORDER BY session_id LIMIT $4`,
    dueOwners: `
      SELECT DISTINCT s.owner FROM (${due}) AS found JOIN ${schema}.sessions AS s USING (session_id)
      WHERE s.owner LIKE $4 AND s.expires_at > ${now(3)}`,
    deleteSession: `
      DELETE FROM ${schema}.sessions WHERE session_id = $1 RETURNING fence, position IS NOT NULL AS existed`,
    keepFence: `UPDATE ${schema}.last_fence SET value = $1 WHERE value < $1`,
    deleteCheckpoint: `DELETE FROM ${schema}.checkpoints WHERE session_id = $1`,
    deleteEntries: `DELETE FROM ${schema}.entries WHERE session_id = $1`,
    deleteTakenInputs: `DELETE FROM ${schema}.inputs WHERE session_id = $1 AND data IS NULL RETURNING id`,
    deleteInputs: `DELETE FROM ${schema}.inputs WHERE session_id = $1 RETURNING id`,
  };
}

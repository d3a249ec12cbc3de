/** The statements of the Postgres store. `now` parameters are null for the clock of the database. */
export function sqlOf(schema: string) {
  const now = (parameter: number) =>
    `coalesce($${parameter}::float8, floor(extract(epoch FROM clock_timestamp()) * 1000)::float8)`;
  return {
    // No row: another owner has it. `is_new`: the fence has still to be raised above those of deleted sessions, by another
    // statement, for this one may have waited for a `delete` that it cannot see.
    acquire: `
      INSERT INTO ${schema}.sessions AS s (session_id, fence, owner, expires_at) VALUES ($1, 1, $2, ${now(4)} + $3)
      ON CONFLICT (session_id) DO UPDATE SET fence = s.fence + 1, owner = $2, expires_at = ${now(4)} + $3,
        takeovers = CASE WHEN s.owner IS NULL THEN 0 WHEN s.owner = $2 THEN s.takeovers ELSE s.takeovers + 1 END
        WHERE s.owner IS NULL OR s.owner = $2 OR s.expires_at <= ${now(4)}
      RETURNING fence, expires_at, takeovers, fence = 1 AS is_new`,
    raiseFence: `
      UPDATE ${schema}.sessions SET fence = 1 + (SELECT value FROM ${schema}.last_fence) WHERE session_id = $1
      RETURNING fence, expires_at`,
    renew: `
      UPDATE ${schema}.sessions SET expires_at = ${now(4)} + $3
      WHERE session_id = $1 AND fence = $2 AND owner IS NOT NULL RETURNING expires_at`,
    release: `UPDATE ${schema}.sessions SET owner = NULL WHERE session_id = $1 AND fence = $2`,
    // One statement, so one round trip and one transaction: all of it happens, on the locked row, or nothing.
    append: `
      WITH head AS MATERIALIZED (
        SELECT seq, fence, owner FROM ${schema}.sessions WHERE session_id = $1 FOR UPDATE
      ), fits AS MATERIALIZED (
        SELECT 1 FROM head WHERE owner IS NOT NULL AND fence = $2 AND seq = $3
      ), added AS (
        INSERT INTO ${schema}.entries (session_id, seq, entry)
        SELECT $1, e.seq, e.entry FROM fits, unnest($4::bigint[], $5::json[]) AS e (seq, entry)
      ), moved AS (
        UPDATE ${schema}.sessions SET seq = $6, position = $7, phase = $8, wake_at = $9,
          meta = coalesce($10, meta), labels = coalesce($11, labels), updated_at = ${now(12)}
        FROM fits WHERE session_id = $1
      ), checkpointed AS (
        INSERT INTO ${schema}.checkpoints (session_id, data) SELECT $1, $13::json FROM fits WHERE $13::json IS NOT NULL
        ON CONFLICT (session_id) DO UPDATE SET data = excluded.data
      ), acknowledged AS (
        UPDATE ${schema}.inputs SET data = NULL FROM fits WHERE session_id = $1 AND id = ANY ($14::text[])
      )
      SELECT seq, fence, owner, EXISTS (SELECT FROM fits) AS fits,
        CASE WHEN EXISTS (SELECT FROM fits) THEN pg_notify($15, '') END
      FROM head`,
    read: `SELECT entry FROM ${schema}.entries WHERE session_id = $1 AND seq > $2 ORDER BY seq LIMIT $3`,
    load: `
      SELECT seq, position, data FROM ${schema}.sessions LEFT JOIN ${schema}.checkpoints USING (session_id)
      WHERE session_id = $1 AND position IS NOT NULL`,
    seq: `SELECT seq FROM ${schema}.sessions WHERE session_id = $1 AND position IS NOT NULL`,
    putInput: `
      INSERT INTO ${schema}.inputs (session_id, id, data, due_at) VALUES ($1, $2, $3, $4)
      ON CONFLICT DO NOTHING RETURNING id`,
    takeInputs: `
      SELECT id, data, due_at FROM ${schema}.inputs WHERE session_id = $1 AND data IS NOT NULL
      ORDER BY due_at, n LIMIT $2`,
    listDue: `
      SELECT session_id FROM (
        SELECT session_id FROM ${schema}.inputs WHERE data IS NOT NULL AND due_at <= $1 AND session_id > $2
        UNION SELECT session_id FROM ${schema}.sessions WHERE phase IN ('running', 'unfinished') AND session_id > $2
        UNION SELECT session_id FROM ${schema}.sessions WHERE wake_at <= $1 AND session_id > $2
      ) AS found LEFT JOIN ${schema}.sessions AS s USING (session_id)
      WHERE (s.owner IS NULL OR s.expires_at <= ${now(3)}) AND s.phase IS DISTINCT FROM 'quarantined'
      ORDER BY session_id LIMIT $4`,
    list: (condition: string, limit: number) => `
      SELECT session_id, seq, position, meta, updated_at FROM ${schema}.sessions
      WHERE ${condition} ORDER BY session_id LIMIT $${limit}`,
    deleteSession: `
      DELETE FROM ${schema}.sessions WHERE session_id = $1 RETURNING fence, position IS NOT NULL AS existed`,
    noteFence: `UPDATE ${schema}.last_fence SET value = $1 WHERE value < $1`,
    deleteCheckpoint: `DELETE FROM ${schema}.checkpoints WHERE session_id = $1`,
    deleteEntries: `DELETE FROM ${schema}.entries WHERE session_id = $1`,
    deleteInputs: `DELETE FROM ${schema}.inputs WHERE session_id = $1`,
  };
}

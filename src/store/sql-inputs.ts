import { hashOf } from "./checksum.ts";
import { SESSION_PHASES, type OfferedInput, type SessionInput } from "./port.ts";
import { checkId, toKey } from "./shared.ts";
import type { Row } from "./sql/transaction.ts";

/** The values of the columns of an input. Ids are keys (see {@link toKey}). */
export type InputRow = readonly [
  key: string,
  inputKey: string,
  json: string,
  dueAt: number,
  checksum: number,
];

/** Returns an input of the session with this key as a row. */
export function inputRowOf(key: string, { id, data, dueAt = 0 }: SessionInput): InputRow {
  checkId(id, "An input id");
  const json = JSON.stringify(data);
  return [key, toKey(id), json, dueAt, hashOf(json, "input", key, toKey(id), dueAt)];
}

/** Returns what has become of an input that was offered, by the row that {@link offerSql} returns. */
export function offeredOf(row: Row, isWoken: boolean): OfferedInput | undefined {
  if (row["fits"] !== true) return undefined;
  const phase = SESSION_PHASES.find((known) => known === row["phase"]);
  return { state: row["is_added"] === true ? "accepted" : "duplicate", ...(phase && { phase }), isWoken };
}

/** The statement that puts an input, whose row is `$1` to `$5`. It does nothing for a session with a parent, which may be inside of a call
 *  of that one, and if `$6` is true and there is neither a session nor a waiting input. `wake`: a statement whose parameters come next,
 *  which is run after the input is there. */
export function offerSql(schema: string, wake?: string): string {
  const woken = wake?.replaceAll(/\$(\d+)/gu, (_, number: string) => `$${Number(number) + 6}`);
  return `
  WITH found AS MATERIALIZED (
    SELECT phase, EXISTS (SELECT FROM unnest(labels) AS label WHERE label LIKE '["parent",%') AS is_part
    FROM ${schema}.sessions WHERE session_id = $1 AND position IS NOT NULL
  ), fitting AS MATERIALIZED (
    SELECT 1 AS one WHERE NOT EXISTS (SELECT FROM found WHERE is_part) AND (NOT $6::boolean OR EXISTS (SELECT FROM found)
      OR EXISTS (SELECT FROM ${schema}.inputs WHERE session_id = $1 AND data IS NOT NULL))
  ), made AS (
    INSERT INTO ${schema}.sessions (session_id, fence) SELECT $1, 0 FROM fitting ON CONFLICT DO NOTHING
  ), added AS (
    INSERT INTO ${schema}.inputs (session_id, id, data, due_at, checksum)
    SELECT $1, $2, $3::json, $4::float8, $5::bigint FROM fitting ON CONFLICT DO NOTHING RETURNING id
  )${
    woken === undefined
      ? ""
      : `, woken AS (
    SELECT (${woken.trim().replace(/;$/u, "")}) AS job FROM fitting WHERE (SELECT count(*) FROM added) >= 0
  )`
  }
  SELECT (SELECT phase FROM found) AS phase, EXISTS (SELECT FROM fitting) AS fits, EXISTS (SELECT FROM added) AS is_added${woken === undefined ? "" : ", (SELECT job FROM woken) AS job"}`;
}

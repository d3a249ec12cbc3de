import type { ClientBase } from "pg";
import { AgentError } from "../base/error.ts";
import { POSTGRES_SEARCH_TABLES } from "./search-sql.ts";

/** Each migrates the tables from the version that is its index to the next one. A released migration never changes. `S`
 *  stands for the schema. */
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE S.sessions (
     session_id text COLLATE "C" PRIMARY KEY,
     seq bigint NOT NULL DEFAULT 0,
     fence bigint NOT NULL DEFAULT 0,
     owner text,
     expires_at double precision NOT NULL DEFAULT 0,
     position json,
     phase text,
     wake_at double precision,
     meta json NOT NULL DEFAULT '{}',
     labels text[] NOT NULL DEFAULT '{}',
     updated_at double precision NOT NULL DEFAULT 0
   );
   CREATE INDEX sessions_by_phase ON S.sessions (phase, session_id);
   CREATE INDEX sessions_by_wake_at ON S.sessions (wake_at) WHERE wake_at IS NOT NULL;
   CREATE INDEX sessions_by_label ON S.sessions USING gin (labels);
   CREATE TABLE S.checkpoints (session_id text COLLATE "C" PRIMARY KEY, data json NOT NULL);
   CREATE TABLE S.entries (
     session_id text COLLATE "C" NOT NULL,
     seq bigint NOT NULL,
     entry json NOT NULL,
     PRIMARY KEY (session_id, seq)
   );
   CREATE TABLE S.inputs (
     session_id text COLLATE "C" NOT NULL,
     id text COLLATE "C" NOT NULL,
     n bigint GENERATED ALWAYS AS IDENTITY,
     data json,
     PRIMARY KEY (session_id, id)
   );
   CREATE INDEX inputs_waiting ON S.inputs (session_id, n) WHERE data IS NOT NULL;
   CREATE TABLE S.last_fence (value bigint NOT NULL);
   INSERT INTO S.last_fence VALUES (0);`,
  `ALTER TABLE S.sessions ADD COLUMN takeovers int NOT NULL DEFAULT 0;
   ALTER TABLE S.inputs ADD COLUMN due_at double precision NOT NULL DEFAULT 0;
   DROP INDEX S.inputs_waiting;
   CREATE INDEX inputs_waiting ON S.inputs (session_id, due_at, n) WHERE data IS NOT NULL;
   CREATE INDEX inputs_by_due_at ON S.inputs (due_at) WHERE data IS NOT NULL;`,
  // NOT VALID: former entries have no checksum; a release that writes none may not append.
  `ALTER TABLE S.sessions ADD COLUMN checksum bigint, ADD COLUMN position_checksum bigint,
     ADD COLUMN meta_checksum bigint, ADD COLUMN checkpoint_checksum bigint;
   ALTER TABLE S.entries ADD COLUMN checksum bigint;
   ALTER TABLE S.entries ADD CONSTRAINT entries_checksum CHECK (checksum IS NOT NULL) NOT VALID;
   ALTER TABLE S.inputs ADD COLUMN checksum bigint;`,
  `ALTER TABLE S.sessions ADD COLUMN searched int NOT NULL DEFAULT 0;
   CREATE INDEX sessions_unsearched ON S.sessions (session_id) WHERE searched = 0 AND position IS NOT NULL;
   ${POSTGRES_SEARCH_TABLES}`,
];

async function versionOf(client: ClientBase, schema: string): Promise<number> {
  // Not to_regclass, which may not see what another process has just created.
  const known = await client.query(
    "SELECT FROM pg_tables WHERE schemaname = $1 AND tablename = 'migrations'",
    [schema.slice(1, -1)],
  );
  if (known.rowCount === 0) return 0;
  const { rows } = await client.query(
    `SELECT coalesce(max(version), 0) AS version FROM ${schema}.migrations`,
  );
  return Number(rows[0].version);
}

/** Creates or migrates the tables, in a transaction that the caller commits; several processes may do so at once. Needs no
 *  right to create anything if the tables are current. Throws `session/version` for tables of a newer release. */
export async function migrate(client: ClientBase, schema: string): Promise<void> {
  const newest = MIGRATIONS.length;
  if ((await versionOf(client, schema)) === newest) return;
  await client.query("SELECT pg_advisory_xact_lock(hashtext($1))", [`agentchart ${schema}`]);
  const found = await versionOf(client, schema);
  if (found > newest) {
    const message = `The schema has tables of version ${found}; this release supports ${newest}.`;
    throw new AgentError("session/version", message);
  }
  await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
  await client.query(
    `CREATE TABLE IF NOT EXISTS ${schema}.migrations (version int PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())`,
  );
  for (const [index, migration] of MIGRATIONS.entries()) {
    if (index < found) continue;
    await client.query(migration.replaceAll(/\bS\./gu, `${schema}.`));
    await client.query(`INSERT INTO ${schema}.migrations (version) VALUES ($1)`, [index + 1]);
  }
}

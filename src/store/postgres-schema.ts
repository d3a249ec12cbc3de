import { POSTGRES_SEARCH_TABLES } from "./search-sql.ts";

/** Each migrates the tables from the version that is its index to the next one. A released migration never changes. `S`
 *  stands for the schema. */
export const MIGRATIONS: readonly string[] = [
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
  // No index names a column that each append changes: the new version of a row needs no new index entries then, if its page has room.
  `ALTER TABLE S.sessions ADD COLUMN watched_until double precision NOT NULL DEFAULT 0, SET (fillfactor = 70);
   DROP INDEX S.sessions_unsearched;
   CREATE INDEX sessions_unsearched ON S.sessions (session_id) WHERE searched = 0;`,
  // A row that is new or rests is in fewer indexes: an append that is not a heap-only update writes an entry into each of them.
  `ALTER TABLE S.sessions ALTER COLUMN searched SET DEFAULT 1;
   DROP INDEX S.sessions_by_phase, S.sessions_by_label;
   CREATE INDEX sessions_by_phase ON S.sessions (phase, session_id) WHERE phase <> 'stopped';
   CREATE INDEX sessions_by_label ON S.sessions USING gin (labels) WHERE labels <> '{}';`,
];

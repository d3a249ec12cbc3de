import type { DatabaseSync } from "node:sqlite";
import { inSqliteTransaction } from "./sql/sqlite.ts";
import { SQLITE_SEARCH_TABLES } from "./search-sql.ts";

/** Each migrates the tables from the version that is its index to the next one. A released migration never changes. */
export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE sessions (
     session_id TEXT PRIMARY KEY,
     seq INTEGER NOT NULL DEFAULT 0,
     fence INTEGER NOT NULL,
     owner TEXT,
     expires_at REAL NOT NULL DEFAULT 0,
     position TEXT,
     phase TEXT,
     wake_at REAL,
     meta TEXT NOT NULL DEFAULT '{}',
     labels TEXT NOT NULL DEFAULT '[]',
     updated_at REAL NOT NULL DEFAULT 0
   ) WITHOUT ROWID;
   CREATE INDEX sessions_by_phase ON sessions (phase, session_id);
   CREATE INDEX sessions_by_wake_at ON sessions (wake_at) WHERE wake_at IS NOT NULL;
   CREATE TABLE checkpoints (session_id TEXT PRIMARY KEY, data TEXT NOT NULL) WITHOUT ROWID;
   CREATE TABLE entries (
     session_id TEXT NOT NULL,
     seq INTEGER NOT NULL,
     entry TEXT NOT NULL,
     PRIMARY KEY (session_id, seq)
   );
   CREATE TABLE inputs (
     n INTEGER PRIMARY KEY AUTOINCREMENT,
     session_id TEXT NOT NULL,
     id TEXT NOT NULL,
     data TEXT,
     UNIQUE (session_id, id)
   );
   CREATE INDEX inputs_waiting ON inputs (session_id, n) WHERE data IS NOT NULL;
   CREATE TABLE last_fence (value INTEGER NOT NULL);
   INSERT INTO last_fence VALUES (0);`,
  `ALTER TABLE sessions ADD COLUMN takeovers INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE inputs ADD COLUMN due_at REAL NOT NULL DEFAULT 0;
   DROP INDEX inputs_waiting;
   CREATE INDEX inputs_waiting ON inputs (session_id, due_at, n) WHERE data IS NOT NULL;
   CREATE INDEX inputs_by_due_at ON inputs (due_at) WHERE data IS NOT NULL;`,
  `ALTER TABLE sessions ADD COLUMN checksum INTEGER;
   ALTER TABLE sessions ADD COLUMN position_checksum INTEGER;
   ALTER TABLE sessions ADD COLUMN meta_checksum INTEGER;
   ALTER TABLE sessions ADD COLUMN checkpoint_checksum INTEGER;
   ALTER TABLE entries ADD COLUMN checksum INTEGER;
   ALTER TABLE inputs ADD COLUMN checksum INTEGER;
   CREATE TRIGGER entries_checksum BEFORE INSERT ON entries WHEN NEW.checksum IS NULL
     BEGIN SELECT raise(ABORT, 'a release without checksums may not append'); END;`,
  `ALTER TABLE sessions ADD COLUMN searched INTEGER NOT NULL DEFAULT 0;
   CREATE INDEX sessions_unsearched ON sessions (session_id) WHERE searched = 0 AND position IS NOT NULL;
   ${SQLITE_SEARCH_TABLES}`,
  `DROP INDEX sessions_unsearched;
   CREATE INDEX sessions_unsearched ON sessions (session_id) WHERE searched = 0;`,
];

/** The tables of an index that is a database of its own; of another version it is made again. */
export const INDEX_MIGRATIONS: readonly string[] = [SQLITE_SEARCH_TABLES];

/** Makes the tables of the index of sessions again, empty. */
export function renewSearchTables(db: DatabaseSync): void {
  const tables = ["search_words", "search_texts", "search_labels", "search_sessions"];
  inSqliteTransaction(db, () => {
    for (const table of tables) db.exec(`DROP TABLE IF EXISTS ${table}`);
    db.exec(SQLITE_SEARCH_TABLES);
    db.exec("UPDATE sessions SET searched = 0");
  });
}

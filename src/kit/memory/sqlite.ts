import type { DatabaseSync } from "node:sqlite";
import * as s from "../../core/base/option-schema.ts";
import { check } from "../../core/base/options.ts";
import { migrateSqlite, SqliteStatements, SqliteTables } from "../../store/sql/sqlite.ts";
import type { MemoryStore } from "./port.ts";
import {
  ADDED_COLUMNS,
  COLUMNS,
  limitsShape,
  sqlMemory,
  type MemoryDatabase,
  type MemoryLimits,
} from "./sql-memory.ts";

/** Options of {@link sqliteMemory}. */
export type SqliteMemoryOptions = MemoryLimits & {
  /** A file, made with its folder when first used, or `:memory:`. */
  readonly path: string;
};

/** The schema of {@link SqliteMemoryOptions}. */
export const sqliteMemorySchema = s.lazily(() =>
  s.options<SqliteMemoryOptions>(
    { path: s.nonEmpty("the path of a file, or :memory:"), ...limitsShape() },
    { what: 'options, such as { path: "./memory.db" }' },
  ),
);

/** Tables of earlier releases have no version: the first migration takes them as they are. */
const MIGRATIONS = [
  (db: DatabaseSync): void => {
    db.exec(`CREATE TABLE IF NOT EXISTS memories (${COLUMNS}) WITHOUT ROWID`);
    const known = db.prepare("SELECT name FROM pragma_table_info('memories')").all();
    for (const column of ADDED_COLUMNS)
      if (!known.some(({ name }) => column.startsWith(`${String(name)} `)))
        db.exec(`ALTER TABLE memories ADD COLUMN ${column}`);
  },
];

function sqliteDatabase(path: string): MemoryDatabase {
  const tables = new SqliteTables(path, (db) => migrateSqlite(db, MIGRATIONS, "memory"));
  const statements = new SqliteStatements();
  return {
    table: "memories",
    query: (operation, statement) => tables.run(operation, (db) => statements.all(db, ...statement)),
    transaction: (operation, _, run) => tables.run(operation, (db) => statements.transaction(db, run)),
    async close() {
      statements.clear();
      tables.close();
    },
  };
}

/**
 * Keeps memories in one SQLite file, for any number of processes on one machine. SQLite is part of Node. Throws `config/invalid`
 * for unknown options and without a `path`.
 *
 * @example
 * ```ts
 * import { longTermMemory, sqliteMemory } from "agentchart/memory";
 *
 * export const memory = longTermMemory({
 *   store: sqliteMemory({ path: "./memory.db" }),
 *   scope: ({ context }) => String(context),
 * });
 * ```
 */
export function sqliteMemory(options: SqliteMemoryOptions): MemoryStore {
  check(sqliteMemorySchema(), options, "sqliteMemory");
  return sqlMemory(sqliteDatabase(options.path), options);
}

/**
 * Keeps memories in this process, for tests.
 *
 * @example
 * ```ts
 * import { memoryMemory } from "agentchart/memory";
 *
 * const store = memoryMemory();
 * await store.put("acme/ada", [{ text: "Ada likes tea." }]);
 * const [found] = await store.search("acme/ada", { text: "tea", limit: 1 });
 * ```
 */
export function memoryMemory(limits: MemoryLimits = {}): MemoryStore {
  return sqliteMemory({ ...limits, path: ":memory:" });
}

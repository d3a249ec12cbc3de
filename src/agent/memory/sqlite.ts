import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { AgentError, messageOf } from "../../base/error.ts";
import * as s from "../../base/option-schema.ts";
import { check } from "../../base/options.ts";
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

function openDatabase(path: string): DatabaseSync {
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
  if (path !== ":memory:") {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    closeSync(openSync(path, "a", 0o600)); // what is remembered of a user is for this user only
  }
  const db = new DatabaseSync(path, { timeout: 5_000 });
  try {
    addTable(db);
  } catch (error) {
    db.close(); // also ends its transaction
    throw error;
  }
  return db;
}

function addTable(db: DatabaseSync): void {
  db.exec(
    `PRAGMA journal_mode = WAL; BEGIN IMMEDIATE; CREATE TABLE IF NOT EXISTS memories (${COLUMNS}) WITHOUT ROWID`,
  );
  const known = db.prepare("SELECT name FROM pragma_table_info('memories')").all();
  for (const column of ADDED_COLUMNS)
    if (!known.some(({ name }) => column.startsWith(`${String(name)} `)))
      db.exec(`ALTER TABLE memories ADD COLUMN ${column}`);
  db.exec("COMMIT");
}

function sqliteDatabase(path: string): MemoryDatabase {
  let db: DatabaseSync | undefined;
  let isClosed = false;
  return {
    table: "memories",
    async query(operation, sql, values) {
      try {
        if (isClosed) throw new Error("the store is closed");
        db ??= openDatabase(path);
        const order: number[] = []; // node:sqlite does not bind `$1` by position
        const statement = db.prepare(
          sql.replaceAll(/\$(\d+)/gu, (_, number: string) => (order.push(Number(number) - 1), "?")),
        );
        return statement.all(...order.map((index) => values[index]!));
      } catch (error) {
        const message = `SQLite could not ${operation}: ${messageOf(error)}`;
        throw new AgentError("store/failed", message, { cause: error });
      }
    },
    async close() {
      isClosed = true;
      db?.close();
      db = undefined;
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

// src/store/sql opens SQLite and Postgres for stores: files, pools, transactions, migrations, prepared statements and searches by words.
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { AgentError, configError, messageOf } from "../../core/base/error.ts";
import { builtin } from "../../core/base/platform.ts";
import type { Transaction } from "./transaction.ts";

const BUSY_TIMEOUT_MS = 5_000;
const BUSY_RETRY_MS = 5;

/** The codes of errors of SQLite that callers tell apart. */
export const SQLITE = { busy: 5, locked: 6, corrupt: 11, notADatabase: 26 } as const;

/** The code of an error of SQLite; undefined for any other error. */
export function sqliteCodeOf(thrown: unknown): number | undefined {
  const errcode = (thrown as { errcode?: unknown } | null)?.errcode;
  return typeof errcode === "number" ? errcode & 0xff : undefined;
}

/** Switches to WAL mode. While several processes make the same new file, SQLite fails with BUSY without waiting. */
function useWal(db: DatabaseSync): void {
  const deadline = performance.now() + BUSY_TIMEOUT_MS;
  for (;;) {
    try {
      return db.exec("PRAGMA journal_mode = WAL");
    } catch (error) {
      if (sqliteCodeOf(error) !== SQLITE.busy || performance.now() > deadline) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_RETRY_MS);
    }
  }
}

/** Makes the file, for this user only, unless it is there. SQLite gives its `-wal` and `-shm` the same mode. */
function createFile(path: string): void {
  const { closeSync, mkdirSync, openSync } = builtin("node:fs")!;
  mkdirSync(builtin("node:path")!.dirname(path), { recursive: true, mode: 0o700 });
  try {
    closeSync(openSync(path, "a", 0o600));
  } catch {
    // SQLite reports why it cannot open the file
  }
}

/** Returns the class of databases. Not imported, so that an older Node.js can load this file and report the required version. */
function databaseClass(): typeof DatabaseSync {
  const sqlite = builtin("node:sqlite");
  if (sqlite) return sqlite.DatabaseSync;
  throw configError("SQLite, which also searches in sessions, needs Node.js.");
}

/** Opens a file, made with its folder if it is missing, or `:memory:`, in WAL mode. `prepare` makes its tables. */
export function openSqlite(
  path: string,
  prepare: (db: DatabaseSync) => void,
  options: { readonly allowExtension?: boolean } = {},
): DatabaseSync {
  const Database = databaseClass();
  if (path !== ":memory:") createFile(path);
  const db = new Database(path, { timeout: BUSY_TIMEOUT_MS, ...options });
  try {
    useWal(db);
    prepare(db);
    return db;
  } catch (error) {
    db.close(); // also ends its transaction
    throw error;
  }
}

/** Runs `work` as one transaction of this process alone; other processes wait. It must not wait for anything. */
export function inSqliteTransaction<T>(db: DatabaseSync, work: () => T): T {
  db.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    db.exec("COMMIT");
    return result;
  } catch (error) {
    if (db.isTransaction) db.exec("ROLLBACK");
    throw error;
  }
}

/** Statements that lead from one version of the tables to the next one. */
export type SqliteMigration = string | ((db: DatabaseSync) => void);

/** The version of the tables. Those of a part that may lie beside others in one file have a table of their own for it. */
function versionOf(db: DatabaseSync, part?: string): number {
  if (part === undefined) return Number(db.prepare("PRAGMA user_version").get()?.["user_version"]);
  const table = `${part}_migrations`;
  const known = db.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(table);
  return known ? Number(db.prepare(`SELECT max(version) AS version FROM ${table}`).get()?.["version"]) : 0;
}

function noteVersion(db: DatabaseSync, version: number, part?: string): void {
  if (part === undefined) return db.exec(`PRAGMA user_version = ${version}`);
  db.exec(`CREATE TABLE IF NOT EXISTS ${part}_migrations (version INTEGER PRIMARY KEY)`);
  db.exec(`INSERT INTO ${part}_migrations VALUES (${version})`);
}

/** Returns the version of the tables in a file that is there, which stays as it is. Throws `session/damaged` for a file that is not
 *  a database. */
export function sqliteTables(path: string): number {
  const Database = databaseClass();
  const db = new Database(path, { timeout: BUSY_TIMEOUT_MS, readOnly: true });
  try {
    return versionOf(db);
  } catch (cause) {
    if (sqliteCodeOf(cause) !== SQLITE.notADatabase) throw cause;
    throw new AgentError(
      "session/damaged",
      "The file is not a SQLite database, or its beginning is damaged.",
      {
        cause,
        data: { code: "NOTADB" },
      },
    );
  } finally {
    db.close();
  }
}

/** True for tables of this release. Throws `session/version` for those of a newer one. */
function isMigrated(db: DatabaseSync, newest: number, part?: string): boolean {
  const found = versionOf(db, part);
  if (found <= newest) return found === newest;
  throw new AgentError(
    "session/version",
    `The database has tables of version ${found}; this release supports ${newest}.`,
  );
}

/** Creates or migrates the tables; several processes may do so at once. Each migration leads from the version that is its index to
 *  the next one. `part` names tables that may lie in the file of others, such as "memory". Throws `session/version` for tables of
 *  a newer release. */
export function migrateSqlite(db: DatabaseSync, migrations: readonly SqliteMigration[], part?: string): void {
  const newest = migrations.length;
  if (isMigrated(db, newest, part)) return;
  inSqliteTransaction(db, () => {
    // Another process may have migrated them since, also a newer release.
    if (isMigrated(db, newest, part)) return;
    for (const migration of migrations.slice(versionOf(db, part)))
      if (typeof migration === "string") db.exec(migration);
      else migration(db);
    noteVersion(db, newest, part);
  });
}

/** The statements that a database keeps prepared: all of a store, and some lists and searches. Those differ by what is asked for. */
const MAX_PREPARED = 200;

type Prepared = { readonly statement: StatementSync; readonly order: readonly number[] };

/** The prepared statements of a database, by their text with `$1` as Postgres has it: node:sqlite does not bind these by position. */
export class SqliteStatements {
  readonly #prepared = new Map<string, Prepared>();

  /** The rows of a statement. */
  all(db: DatabaseSync, sql: string, values: readonly unknown[]): Record<string, unknown>[] {
    const { statement, order } = this.#prepared.get(sql) ?? this.#prepare(db, sql);
    return statement.all(...order.map((index) => values[index] as SQLInputValue));
  }

  /** Runs the statements of a transaction of this process alone. No other statement of it comes in between. */
  transaction<T>(db: DatabaseSync, run: () => Transaction<T>): T {
    return inSqliteTransaction(db, () => {
      const statements = run();
      let step = statements.next();
      while (!step.done) step = statements.next(this.all(db, ...step.value));
      return step.value;
    });
  }

  /** Forgets them, because the tables or the database changed. */
  clear(): void {
    this.#prepared.clear();
  }

  #prepare(db: DatabaseSync, sql: string): Prepared {
    const order: number[] = [];
    const text = sql.replaceAll(/\$(\d+)/gu, (_, number: string) => (order.push(Number(number) - 1), "?"));
    const prepared = { statement: db.prepare(text), order };
    if (this.#prepared.size >= MAX_PREPARED) this.#prepared.clear();
    this.#prepared.set(sql, prepared);
    return prepared;
  }
}

/** A SQLite file with tables of its own, opened when first used. */
export class SqliteTables {
  readonly #open: () => DatabaseSync;
  #db: DatabaseSync | undefined;
  #isClosed = false;

  constructor(...args: Parameters<typeof openSqlite>) {
    this.#open = () => openSqlite(...args);
  }

  /** Runs `use`. Rejects with `store/failed` and the words of SQLite if that fails. */
  async run<T>(operation: string, use: (db: DatabaseSync) => T | Promise<T>): Promise<T> {
    try {
      if (this.#isClosed) throw new Error("the store is closed");
      return await use((this.#db ??= this.#open()));
    } catch (error) {
      if (AgentError.is(error)) throw error;
      const message = `SQLite could not ${operation}: ${messageOf(error)}`;
      throw new AgentError("store/failed", message, { cause: error });
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#db?.close();
    this.#db = undefined;
  }
}

import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { AgentError } from "../base/error.ts";
import { storeClosed } from "./append-check.ts";
import { migrate } from "./sqlite-schema.ts";

export type Row = { readonly [column: string]: unknown };

const BUSY_TIMEOUT_MS = 5_000;
const BUSY_RETRY_MS = 5;
const [BUSY, LOCKED, CORRUPT, NOT_A_DATABASE] = [5, 6, 11, 26];
const REASONS: { readonly [code: number]: string } = {
  [BUSY]: "another process holds it",
  [LOCKED]: "another process holds it",
  8: "it is read-only",
  10: "the disk failed",
  13: "the disk is full",
  14: "it cannot be opened",
};

function codeOf(thrown: unknown): number | undefined {
  const errcode = (thrown as { errcode?: unknown } | null)?.errcode;
  return typeof errcode === "number" ? errcode & 0xff : undefined;
}

function sqliteError(thrown: unknown, doing: string): AgentError {
  if (AgentError.is(thrown)) return thrown;
  const code = codeOf(thrown);
  const options = { cause: thrown, isRetryable: code === BUSY || code === LOCKED };
  if (code === CORRUPT) return new AgentError("session/damaged", "The SQLite file is damaged.", options);
  if (code === NOT_A_DATABASE)
    return new AgentError("session/damaged", "The file is no SQLite database, or its beginning is damaged.", {
      ...options,
      data: { code: "NOTADB" },
    });
  const reason = code === undefined ? "" : ` (${REASONS[code] ?? `SQLite error ${code}`})`;
  return new AgentError("store/failed", `SQLite could not ${doing}${reason}.`, options);
}

/** Of several processes that make the same new file at once, SQLite tells some that it is busy without waiting. */
function useWal(db: DatabaseSync): void {
  const deadline = Date.now() + BUSY_TIMEOUT_MS;
  for (;;) {
    try {
      return db.exec("PRAGMA journal_mode = WAL");
    } catch (error) {
      if (codeOf(error) !== BUSY || Date.now() > deadline) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_RETRY_MS);
    }
  }
}

/** One SQLite file with its statements. Opens when first used; everything it throws is an AgentError. */
export class SqliteDatabase {
  readonly #path: string;
  readonly #statements = new Map<string, StatementSync>();
  #db: DatabaseSync | undefined;
  #isClosed = false;
  #synchronous = "NORMAL";

  constructor(path: string) {
    this.#path = path;
  }

  #open(): DatabaseSync {
    if (this.#isClosed) throw storeClosed();
    if (this.#db) return this.#db;
    if (this.#path !== ":memory:") mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
    const db = new DatabaseSync(this.#path);
    try {
      db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
      db.exec("PRAGMA synchronous = NORMAL");
      useWal(db);
      migrate(db);
    } catch (error) {
      db.close();
      throw error;
    }
    this.#db = db;
    return db;
  }

  #run<T>(doing: string, work: (db: DatabaseSync) => T): T {
    try {
      return work(this.#open());
    } catch (error) {
      throw sqliteError(error, doing);
    }
  }

  #statement(db: DatabaseSync, sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = db.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  all(sql: string, ...values: SQLInputValue[]): readonly Row[] {
    return this.#run("read", (db) => this.#statement(db, sql).all(...values));
  }

  get(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#run("read", (db) => this.#statement(db, sql).get(...values));
  }

  /** The number of rows it changed. */
  run(sql: string, ...values: SQLInputValue[]): number {
    return this.#run("write", (db) => Number(this.#statement(db, sql).run(...values).changes));
  }

  /** All or nothing; no other process writes meanwhile. `isSynced`: it survives a power loss when this returns. */
  transaction<T>(isSynced: boolean, work: () => T): T {
    return this.#run("write", (db) => {
      // WAL mode: NORMAL survives a crash of the process, FULL one of the machine.
      const synchronous = isSynced ? "FULL" : "NORMAL";
      if (synchronous !== this.#synchronous) db.exec(`PRAGMA synchronous = ${synchronous}`);
      this.#synchronous = synchronous;
      db.exec("BEGIN IMMEDIATE");
      try {
        const result = work();
        db.exec("COMMIT");
        return result;
      } catch (error) {
        if (db.isTransaction) db.exec("ROLLBACK");
        throw error;
      }
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#statements.clear();
    this.#db?.close();
    this.#db = undefined;
  }
}

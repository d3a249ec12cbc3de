import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { AgentError } from "../base/error.ts";
import { appendError, storeClosed, type AppendState } from "./append-check.ts";
import { chained } from "./checksum.ts";
import type { Batch } from "./port.ts";
import { isAppendSynced, type LocalStoreOptions } from "./local-options.ts";
import type { Row } from "./sql-rows.ts";
import type { Statement, Transaction } from "./sql-statements.ts";
import type { AppendRow, SqlDatabase } from "./sql-store.ts";
import { SQLITE_SEARCH } from "./search-sql.ts";
import { migrate, renewSearchTables } from "./sqlite-schema.ts";
import { pollEvery } from "./watch-seq.ts";

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

function sqliteError(thrown: unknown, operation: string): AgentError {
  if (AgentError.is(thrown)) return thrown;
  const code = codeOf(thrown);
  const options = { cause: thrown, isRetryable: code === BUSY || code === LOCKED };
  if (code === CORRUPT) return new AgentError("session/damaged", "The SQLite file is damaged.", options);
  if (code === NOT_A_DATABASE)
    return new AgentError(
      "session/damaged",
      "The file is not a SQLite database, or its beginning is damaged.",
      {
        ...options,
        data: { code: "NOTADB" },
      },
    );
  const reason = code === undefined ? "" : ` (${REASONS[code] ?? `SQLite error ${code}`})`;
  return new AgentError("store/failed", `SQLite could not ${operation}${reason}.`, options);
}

/** Switches to WAL mode. While several processes make the same new file, SQLite fails with BUSY without waiting. */
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

/** Makes the file, for this user only, unless it is there. SQLite gives its `-wal` and `-shm` the same mode. */
function createFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    closeSync(openSync(path, "a", 0o600));
  } catch {
    // SQLite reports why it cannot open the file
  }
}

/** A prepared statement, and the index of the value for each of its `?`: node:sqlite does not bind `$1` by position. */
type Prepared = { readonly statement: StatementSync; readonly order: readonly number[] };

function prepare(db: DatabaseSync, sql: string): Prepared {
  const order: number[] = [];
  const statement = db.prepare(
    sql.replaceAll(/\$(\d+)/gu, (_, number: string) => {
      order.push(Number(number) - 1);
      return "?";
    }),
  );
  return { statement, order };
}

const STATE = `
  SELECT seq, fence, owner, checksum, phase, wake_at, searched, meta FROM sessions WHERE session_id = $1`;
const ADD_ENTRY = "INSERT INTO entries (session_id, seq, entry, checksum) VALUES ($1, $2, $3, $4)";
const SET_POSITION = `
  UPDATE sessions SET seq = $2, position = $3, phase = $4, wake_at = $5, updated_at = $6, searched = 0,
    meta = coalesce($7, meta), labels = coalesce($8, labels), checksum = $9, position_checksum = $10,
    meta_checksum = coalesce($11, meta_checksum), checkpoint_checksum = coalesce($12, checkpoint_checksum)
  WHERE session_id = $1`;
/** The same where no more changes. No index has one of these columns, so that no page of an index is written. */
const MOVE_POSITION = `
  UPDATE sessions SET seq = $2, position = $3, updated_at = $4, checksum = $5, position_checksum = $6
  WHERE session_id = $1`;
const SET_CHECKPOINT = "INSERT OR REPLACE INTO checkpoints (session_id, data) VALUES ($1, $2)";
const ACKNOWLEDGE = "UPDATE inputs SET data = NULL WHERE session_id = $1 AND id = $2";

/** One SQLite file. It is opened when first used. */
export class SqliteDatabase implements SqlDatabase {
  readonly schema = "main";
  readonly search = SQLITE_SEARCH;
  readonly #path: string;
  readonly #fsync: LocalStoreOptions["fsync"];
  readonly #watchEveryMs: number;
  readonly #statements = new Map<string, Prepared>();
  #db: DatabaseSync | undefined;
  #isClosed = false;
  readonly #migrations: readonly string[] | undefined;
  #synchronous = "NORMAL";

  /** `migrations` make its tables; default: those of sessions. */
  constructor(
    path: string,
    fsync: LocalStoreOptions["fsync"],
    watchEveryMs: number,
    migrations?: readonly string[],
  ) {
    this.#migrations = migrations;
    this.#path = path;
    this.#fsync = fsync;
    this.#watchEveryMs = watchEveryMs;
  }

  now(parameter: number): string {
    return `$${parameter}`;
  }

  eachOf(parameter: number): string {
    return `json_each($${parameter})`;
  }

  hasLabels(parameter: number): string {
    return `NOT EXISTS (SELECT 1 FROM json_each($${parameter}) WHERE value NOT IN (SELECT value FROM json_each(labels)))`;
  }

  array(strings: readonly string[]): string {
    return JSON.stringify(strings);
  }

  subscribe(_key: string, wake: () => void): () => void {
    return pollEvery(this.#watchEveryMs)(wake);
  }

  async query(operation: string, statement: Statement, isDurable = false): Promise<readonly Row[]> {
    return this.#use(operation, (db) => {
      this.#sync(db, isDurable && this.#fsync !== "never");
      return this.#all(db, statement);
    });
  }

  async transaction<T>(operation: string, run: () => Transaction<T>, isDurable = false): Promise<T> {
    return this.#transaction(operation, run, isDurable && this.#fsync !== "never");
  }

  async renewSearch(): Promise<void> {
    this.#statements.clear();
    this.#use("search", renewSearchTables);
  }

  async append(batch: Batch, row: AppendRow): Promise<"written" | AppendState | undefined> {
    const isSynced = isAppendSynced(this.#fsync, row.phase);
    return this.#transaction("append", () => this.#append(batch, row), isSynced);
  }

  *#append(batch: Batch, row: AppendRow): Transaction<"written" | AppendState | undefined> {
    const { key, seq, entries, positionJson, phase, wakeAt, now } = row;
    const { metaJson, labels, checkpointJson, inputKeys, checksums } = row;
    const [found] = yield [STATE, [key]];
    const state = found as AppendState | undefined;
    if (appendError(key, batch, state)) return state;
    const before = Number(found!["checksum"] ?? 0);
    for (const entry of entries)
      yield [ADD_ENTRY, [key, entry.seq, entry.json, chained(before, entry.checksum)]];
    const { batch: added, position, meta, checkpoint } = checksums;
    const sum = chained(before, added);
    const isAlike = found!["phase"] === phase && found!["wake_at"] === wakeAt && found!["searched"] === 0;
    const isMeta = metaJson === null || metaJson === found!["meta"];
    if (isAlike && isMeta && checkpointJson === null)
      yield [MOVE_POSITION, [key, seq, positionJson, now, sum, position]];
    else {
      const labelsJson = labels && this.array(labels);
      const about = [key, seq, positionJson, phase, wakeAt, now, metaJson, labelsJson];
      yield [SET_POSITION, [...about, sum, position, meta, checkpoint]];
    }
    if (checkpointJson !== null) yield [SET_CHECKPOINT, [key, checkpointJson]];
    for (const inputKey of inputKeys) yield [ACKNOWLEDGE, [key, inputKey]];
    return "written";
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#statements.clear();
    this.#db?.close();
    this.#db = undefined;
  }

  #open(): DatabaseSync {
    if (this.#isClosed) throw storeClosed();
    if (this.#db) return this.#db;
    if (this.#path !== ":memory:") createFile(this.#path);
    // Not imported, so that an older Node can load this file and report the required version.
    const sqlite = process.getBuiltinModule("node:sqlite");
    const db = new sqlite.DatabaseSync(this.#path);
    try {
      db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
      db.exec("PRAGMA synchronous = NORMAL");
      useWal(db);
      migrate(db, this.#migrations);
    } catch (error) {
      db.close();
      throw error;
    }
    this.#db = db;
    return db;
  }

  #use<T>(operation: string, work: (db: DatabaseSync) => T): T {
    try {
      return work(this.#open());
    } catch (error) {
      throw sqliteError(error, operation);
    }
  }

  /** Sets whether the next writes survive a power loss. In WAL mode NORMAL survives a crash of the process, FULL also one of
   *  the machine. */
  #sync(db: DatabaseSync, isSynced: boolean): void {
    const synchronous = isSynced ? "FULL" : "NORMAL";
    if (synchronous !== this.#synchronous) db.exec(`PRAGMA synchronous = ${synchronous}`);
    this.#synchronous = synchronous;
  }

  #all(db: DatabaseSync, [sql, values]: Statement): readonly Row[] {
    let prepared = this.#statements.get(sql);
    if (!prepared) this.#statements.set(sql, (prepared = prepare(db, sql)));
    const { statement, order } = prepared;
    return statement.all(...order.map((index) => values[index] as SQLInputValue));
  }

  /** Runs synchronously, so that no other statement of this process comes in between; other processes wait. */
  #transaction<T>(operation: string, run: () => Transaction<T>, isSynced: boolean): T {
    return this.#use(operation, (db) => {
      this.#sync(db, isSynced);
      db.exec("BEGIN IMMEDIATE");
      try {
        const statements = run();
        let step = statements.next();
        while (!step.done) step = statements.next(this.#all(db, step.value));
        db.exec("COMMIT");
        return step.value;
      } catch (error) {
        if (db.isTransaction) db.exec("ROLLBACK");
        throw error;
      }
    });
  }
}

import type { DatabaseSync } from "node:sqlite";
import { AgentError } from "../core/base/error.ts";
import { appendError, storeClosed, type AppendState } from "./shared.ts";
import { chained } from "./checksum.ts";
import type { Batch } from "./port.ts";
import { isAppendSynced, type LocalStoreOptions } from "./local-options.ts";
import type { Appended, AppendRow } from "./sql-append.ts";
import type { Row, Statement, Transaction } from "./sql/transaction.ts";
import type { SqlDatabase } from "./sql-store.ts";
import { SQLITE_SEARCH } from "./search-sql.ts";
import { migrateSqlite, openSqlite, SQLITE, sqliteCodeOf, SqliteStatements } from "./sql/sqlite.ts";
import { MIGRATIONS, renewSearchTables } from "./sqlite-schema.ts";
import { pollEvery } from "./watch-seq.ts";

const REASONS: { readonly [code: number]: string } = {
  [SQLITE.busy]: "another process holds it",
  [SQLITE.locked]: "another process holds it",
  8: "it is read-only",
  10: "the disk failed",
  13: "the disk is full",
  14: "it cannot be opened",
};

function sqliteError(thrown: unknown, operation: string): AgentError {
  if (AgentError.is(thrown)) return thrown;
  const code = sqliteCodeOf(thrown);
  const options = { cause: thrown, isRetryable: code === SQLITE.busy || code === SQLITE.locked };
  if (code === SQLITE.corrupt)
    return new AgentError("session/damaged", "The SQLite file is damaged.", options);
  if (code === SQLITE.notADatabase)
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
/** Ends the lease, unless an input is due. */
const RELEASE = `
  UPDATE sessions SET owner = NULL
  WHERE session_id = $1 AND NOT EXISTS (SELECT 1 FROM inputs WHERE session_id = $1 AND data IS NOT NULL AND due_at <= $2)
  RETURNING seq`;

/** One SQLite file. It is opened when first used. */
export class SqliteDatabase implements SqlDatabase {
  readonly schema = "main";
  readonly readsWhatItWrites = false;
  readonly search = SQLITE_SEARCH;
  readonly #path: string;
  readonly #fsync: LocalStoreOptions["fsync"];
  readonly #watchEveryMs: number;
  readonly #statements = new SqliteStatements();
  #db: DatabaseSync | undefined;
  #isClosed = false;
  readonly #migrations: readonly string[];
  #synchronous = "NORMAL";

  /** `migrations` make its tables; default: those of sessions. */
  constructor(
    path: string,
    fsync: LocalStoreOptions["fsync"],
    watchEveryMs: number,
    migrations = MIGRATIONS,
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

  after(_first: string, second: string): string {
    return second;
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
      return this.#statements.all(db, ...statement);
    });
  }

  async transaction<T>(operation: string, run: () => Transaction<T>, isDurable = false): Promise<T> {
    return this.#transaction(operation, run, isDurable && this.#fsync !== "never");
  }

  async renewSearch(): Promise<void> {
    this.#statements.clear();
    this.#use("search", renewSearchTables);
  }

  async append(batch: Batch, row: AppendRow): Promise<Appended> {
    const isSynced = isAppendSynced(this.#fsync, row.phase);
    return this.#transaction("append", () => this.#append(batch, row), isSynced);
  }

  *#append(batch: Batch, row: AppendRow): Transaction<Appended> {
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
    const released = row.releases ? yield [RELEASE, [key, now]] : [];
    return released.length > 0 ? "released" : "written";
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
    this.#db = openSqlite(this.#path, (db) => {
      db.exec("PRAGMA synchronous = NORMAL");
      migrateSqlite(db, this.#migrations);
    });
    return this.#db;
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

  /** Runs synchronously, so that no other statement of this process comes in between; other processes wait. */
  #transaction<T>(operation: string, run: () => Transaction<T>, isSynced: boolean): T {
    return this.#use(operation, (db) => {
      this.#sync(db, isSynced);
      return this.#statements.transaction(db, run);
    });
  }
}

import crypto from "node:crypto";
import type { Pool, PoolClient, QueryConfig } from "pg";
import { AgentError, configError } from "../core/base/error.ts";
import { failureCode } from "../core/base/failure-code.ts";
import { LONGEST_DELAY_MS } from "../core/base/time.ts";
import { storeClosed } from "./shared.ts";
import { MODULUS } from "./checksum.ts";
import type { Batch, OfferOptions } from "./port.ts";
import { notifyKey, PostgresListener } from "./postgres-listener.ts";
import type { PostgresConnection } from "./sql/postgres-connection.ts";
import { PIPELINE_CONNECTIONS, PostgresPipeline, socketOf } from "./postgres-pipeline.ts";
import { inPostgresTransaction, loadPg, migratePostgres, newPool, stepsOf } from "./sql/postgres.ts";
import type { Row, Statement, Transaction } from "./sql/transaction.ts";
import { MIGRATIONS } from "./postgres-schema.ts";
import { postgresSearch, type SearchDialect } from "./search-sql.ts";
import type { Appended, AppendRow } from "./sql-append.ts";
import { offerSql, type InputRow } from "./sql-inputs.ts";
import type { SqlDatabase } from "./sql-store.ts";

/** Connection lost, server going down or starting up or still a standby, too many connections, deadlock, serialization. */
const TRANSIENT =
  /^(?:08...|57P0.|25006|53300|40P01|40001|ECONN.*|EHOST.*|ENET.*|EPIPE|ETIMEDOUT|EAI_AGAIN|ENOTFOUND)$/u;

/** Turns an error of the driver into an AgentError. Its message quotes neither Postgres, which may repeat data, nor the
 *  connection string. */
export function postgresError(thrown: unknown, operation: string): AgentError {
  if (AgentError.is(thrown)) return thrown;
  const found = (thrown as { code?: unknown } | null)?.code;
  const code = typeof found === "string" ? found : undefined;
  if (code === "ERR_INVALID_URL") {
    return configError("postgresStore: `connectionString` is not a URL."); // without a cause, which would hold it
  }
  // An error without a code comes from the driver: the connection ended.
  const isRetryable = code === undefined || TRANSIENT.test(code);
  const reason = failureCode(thrown) ?? code;
  return new AgentError("store/failed", `Postgres: could not ${operation}${reason ? ` (${reason})` : ""}.`, {
    cause: thrown,
    isRetryable,
    ...(code !== undefined && { data: { code } }),
  });
}

/** The most connections of a store, beside one that listens. */
const CONNECTIONS = 10;

/** The statements that a connection keeps prepared: all that a session needs, and some lists and searches. */
const MAX_PREPARED = 100;

/** The operations that touch few rows. They share connections, since none is long. The renewals of leases, which must not wait for a row
 *  that is locked, do not. */
const SHORT: ReadonlySet<string> = new Set([
  "append",
  "acquire a lease",
  "put an input",
  "take inputs",
  "release a lease",
]);

/** For so long a session counts as watched after its watcher has said so, ms. */
const WATCH_MS = 60_000;

const ignore = (): void => {};

/** The append as one statement: one round trip, and all or nothing on the row, which the update locks. It returns no row if the session does
 *  not accept it. Of an input that is put while it waits for that row it does not know: the wake-up of that input comes after it. It notifies
 *  only of a session that somebody watches, because all commits that notify wait for one lock. The lock on the row orders it and the mark of
 *  a watcher. */
const appendSql = (schema: string, now: string, channel: string) => `
  WITH moved AS (
    UPDATE ${schema}.sessions SET seq = $6, position = $7, phase = $8, wake_at = $9, searched = 0,
      meta = coalesce($10, meta), labels = coalesce($11, labels), updated_at = ${now},
      checksum = (coalesce(checksum, 0) + $17::bigint) % ${MODULUS}, position_checksum = $18,
      meta_checksum = coalesce($19, meta_checksum), checkpoint_checksum = coalesce($20, checkpoint_checksum),
      owner = CASE WHEN $21::boolean AND NOT EXISTS (
        SELECT FROM ${schema}.inputs WHERE session_id = $1 AND data IS NOT NULL AND due_at <= ${now} AND id <> ALL ($14::text[])
      ) THEN NULL ELSE owner END
    WHERE session_id = $1 AND owner IS NOT NULL AND fence = $2 AND seq = $3
    RETURNING checksum + ${MODULUS} - $17::bigint AS before, owner IS NULL AS releases, watched_until > ${now} AS is_watched
  ), added AS (
    INSERT INTO ${schema}.entries (session_id, seq, entry, checksum)
    SELECT $1, e.seq, e.entry, (before + e.checksum) % ${MODULUS}
    FROM moved, ROWS FROM (unnest($4::bigint[]), json_array_elements($5::json), unnest($16::bigint[])) AS e (seq, entry, checksum)
  ), checkpointed AS (
    UPDATE ${schema}.checkpoints SET data = $13 FROM moved WHERE session_id = $1 AND $13::json IS NOT NULL RETURNING 1
  ), first_checkpointed AS (
    INSERT INTO ${schema}.checkpoints (session_id, data) SELECT $1, $13 FROM moved
    WHERE $13::json IS NOT NULL AND NOT EXISTS (SELECT FROM checkpointed)
  ), acknowledged AS (
    UPDATE ${schema}.inputs SET data = NULL FROM moved WHERE session_id = $1 AND id = ANY ($14::text[])
  )
  SELECT releases, CASE WHEN is_watched THEN pg_notify('${channel}', $15) END FROM moved`;

/** One schema in one database. It connects and migrates when first used. */
export class PostgresDatabase implements SqlDatabase {
  readonly readsWhatItWrites = true;
  readonly watchMs = WATCH_MS;
  readonly schema: string;
  readonly search: SearchDialect;
  readonly #options: PostgresConnection;
  readonly #listener: PostgresListener;
  /** Absent with a pool of the caller, who counts its connections. */
  readonly #pipeline: PostgresPipeline | undefined;
  readonly #appendSql: string;
  readonly #timeoutMs: number;
  /** The names under which statements are prepared, by their text. */
  readonly #names = new Map<string, string>();
  /** The connections of a pool of ours, to be cut if closing it takes too long. */
  readonly #clients = new Set<PoolClient>();
  #ready: Promise<Pool> | undefined;
  #isClosed = false;

  constructor(options: PostgresConnection, timeoutMs: number) {
    this.#options = options;
    this.#timeoutMs = Math.min(timeoutMs, LONGEST_DELAY_MS);
    this.schema = `"${options.schema ?? "agentchart"}"`;
    this.search = postgresSearch(this.schema);
    const channel = `agentchart_${crypto.hash("md5", this.schema)}`; // a name that needs no quotes
    this.#listener = new PostgresListener(channel, () => this.#newClient());
    if (!options.pool)
      this.#pipeline = new PostgresPipeline(
        (more) => this.#newClient(more),
        async (config) => (await this.#pool()).query(config),
        this.#timeoutMs,
      );
    this.#appendSql = appendSql(this.schema, this.now(12), channel);
  }

  now(parameter: number): string {
    return `coalesce($${parameter}::float8, floor(extract(epoch FROM clock_timestamp()) * 1000)::float8)`;
  }

  eachOf(parameter: number): string {
    return `json_array_elements(CAST($${parameter} AS json)) AS each(value)`;
  }

  after(first: string, second: string): string {
    return `WITH made AS (${first}) ${second}`;
  }

  hasLabels(parameter: number): string {
    return `labels <> '{}' AND labels @> $${parameter}`;
  }

  array(strings: readonly string[]): readonly string[] {
    return strings;
  }

  subscribe(key: string, wake: () => void): () => void {
    return this.#listener.subscribe(notifyKey(key), () => wake());
  }

  async query(operation: string, [sql, values]: Statement): Promise<readonly Row[]> {
    try {
      const pool = await this.#pool();
      const shared = SHORT.has(operation) ? this.#pipeline : undefined;
      const { rows } = shared
        ? await shared.query<Row>(this.#prepared(sql, values))
        : await pool.query<Row>(this.#timed(sql, values));
      return rows;
    } catch (error) {
      throw postgresError(error, operation);
    }
  }

  async transaction<T>(operation: string, run: () => Transaction<T>): Promise<T> {
    try {
      return await this.#within(await this.#pool(), (client) =>
        stepsOf(run(), (sql, values) => client.query<Row>(this.#timed(sql, values))),
      );
    } catch (error) {
      throw postgresError(error, operation);
    }
  }

  offer(
    input: InputRow,
    { isKnown, wake }: OfferOptions,
  ): { readonly statement: Statement; readonly wakes: boolean } {
    const isHere = wake !== undefined && wake.database === this.#options.connectionString;
    const sql = offerSql(this.schema, isHere ? wake.sql : undefined);
    return { statement: [sql, [...input, isKnown, ...(isHere ? wake.values : [])]], wakes: isHere };
  }

  async append(batch: Batch, row: AppendRow): Promise<Appended> {
    const { fence, expectedSeq } = batch;
    const { key, seq, entries, positionJson, phase, wakeAt, now } = row;
    const { metaJson, labels, checkpointJson, inputKeys, checksums } = row;
    const isNumbered = batch.entries.every((entry, index) => entry.seq === expectedSeq + index + 1);
    const values = [
      key,
      fence,
      isNumbered ? expectedSeq : null,
      entries.map((entry) => entry.seq),
      `[${entries.map(({ json }) => json).join()}]`, // as an array of Postgres each quote in it would be escaped
      seq,
      positionJson,
      phase,
      wakeAt,
      metaJson,
      labels,
      now,
      checkpointJson,
      inputKeys,
      notifyKey(key),
      entries.map(({ checksum }) => checksum),
      checksums.batch,
      checksums.position,
      checksums.meta,
      checksums.checkpoint,
      row.releases,
    ];
    const [moved] = await this.query("append", [this.#appendSql, values]);
    if (moved) return moved["releases"] === true ? "released" : "written";
    const state = `SELECT seq, fence, owner FROM ${this.schema}.sessions WHERE session_id = $1`;
    const [found] = await this.query("append", [state, [key]]);
    // `bigint` comes as a string
    return (
      found && {
        seq: Number(found["seq"]),
        fence: Number(found["fence"]),
        owner: found["owner"] as string | null,
      }
    );
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#listener.close();
    const pool = await this.#ready?.catch(ignore);
    if (pool && !this.#options.pool) await this.#end(pool, this.#pipeline);
  }

  /** Ends a pool of ours, and with the store its pipeline. The connections of a server that does not answer are cut. */
  async #end(pool: Pool, pipeline?: PostgresPipeline): Promise<void> {
    const cut = setTimeout(() => {
      pipeline?.cut();
      for (const client of this.#clients) socketOf(client).destroy();
    }, this.#timeoutMs);
    await Promise.all([pool.end(), pipeline?.end()]).finally(() => clearTimeout(cut));
  }

  /** Returns a query that the driver gives up in time, of whichever pool. */
  #timed(text: string, values: readonly unknown[] = []): QueryConfig {
    const timed = { ...this.#prepared(text, values), query_timeout: this.#timeoutMs };
    return timed;
  }

  /** Returns a query that each connection prepares once. Planning a statement takes longer than running it. */
  #prepared(text: string, values: readonly unknown[] = []): QueryConfig {
    const name = this.#nameOf(text);
    return { text, values: [...values], ...(name && { name }) };
  }

  /** The name under which a statement is prepared; undefined for the later ones of too many, which are searches that differ. */
  #nameOf(text: string): string | undefined {
    const known = this.#names.get(text);
    if (known !== undefined || this.#names.size >= MAX_PREPARED) return known;
    const name = `agentchart_${crypto.hash("md5", text)}`;
    this.#names.set(text, name);
    return name;
  }

  async #connect(): Promise<Pool> {
    const { pool: ownPool, connectionString } = this.#options;
    const pool =
      ownPool ??
      (await newPool("postgresStore", {
        ...(connectionString !== undefined && { connectionString }),
        timeoutMs: this.#timeoutMs,
        max: CONNECTIONS - PIPELINE_CONNECTIONS,
        allowExitOnIdle: true, // a program that has nothing left to do ends
      }));
    if (!ownPool) {
      pool.on("connect", (client) => void this.#clients.add(client));
      pool.on("remove", (client) => void this.#clients.delete(client));
    }
    try {
      await this.#within(pool, (client) => migratePostgres(client, this.schema, MIGRATIONS));
      return pool;
    } catch (error) {
      if (!ownPool) await this.#end(pool);
      throw error;
    }
  }

  /** Resolves once the tables exist. A failed attempt is repeated by the next call. */
  #pool(): Promise<Pool> {
    if (this.#isClosed) throw storeClosed();
    this.#ready ??= this.#connect().catch((error: unknown) => {
      this.#ready = undefined;
      throw error;
    });
    return this.#ready;
  }

  #within<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
    return inPostgresTransaction(pool, work, this.#timeoutMs);
  }

  /** Returns a client that the caller connects and ends. */
  async #newClient(more: { readonly pipeline?: true } = {}): Promise<import("pg").Client> {
    const { options } = await this.#pool();
    const { Client } = await loadPg("postgresStore");
    return new Client({
      ...options,
      ...more,
      password: options.password,
      keepAlive: true,
      connectionTimeoutMillis: this.#timeoutMs,
      query_timeout: more.pipeline ? undefined : this.#timeoutMs,
    });
  }
}

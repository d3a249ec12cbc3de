import type { ClientBase, Pool, PoolClient, PoolConfig } from "pg";
import { AgentError } from "../../core/base/error.ts";
import { missingPackage } from "../../core/base/missing-package.ts";
import type { PostgresConnection } from "./postgres-connection.ts";
import type { Row, Statement, Transaction } from "./transaction.ts";

const TIMEOUT_MS = 10_000;

/** Loads the package `pg` for the function `of`. Throws `config/invalid` without it. */
export async function loadPg(of: string): Promise<(typeof import("pg"))["default"]> {
  const { default: pg } = await import("pg").catch(missingPackage(of, "pg"));
  return pg;
}

/** Makes a pool for the function `of`. A lost idle connection is not an error: the pool opens another one. */
export async function newPool(
  of: string,
  { timeoutMs, ...config }: PoolConfig & { timeoutMs: number },
): Promise<Pool> {
  const pg = await loadPg(of);
  const times = { connectionTimeoutMillis: timeoutMs, query_timeout: timeoutMs, keepAlive: true };
  const pool = new pg.Pool({ ...times, ...config });
  pool.on("error", ignore);
  return pool;
}

const ignore = (): void => {};

/** Takes a client out of the pool, with a listener for `error`: a lost connection fails the current query and is not an
 *  uncaught error. Uses the callback, because the connection may be lost before a promise would resolve. */
function checkOut(pool: Pool): Promise<PoolClient> {
  return new Promise((resolve, reject) => {
    pool.connect((error, client) => {
      if (!client) return reject(error ?? new Error("no client"));
      client.on("error", ignore);
      resolve(client);
    });
  });
}

/** True for the error of a query that the driver gave up. Nothing more may be asked of its connection. */
const isTimeout = (error: unknown): boolean =>
  error instanceof Error && error.message === "Query read timeout";

/** Runs `work` as one transaction of a client of the pool. `timeoutMs` is for its beginning and its end. */
export async function inPostgresTransaction<T>(
  pool: Pool,
  work: (client: PoolClient) => Promise<T>,
  timeoutMs?: number,
): Promise<T> {
  const command = (text: string) => ({ text, ...(timeoutMs !== undefined && { query_timeout: timeoutMs }) });
  const client = await checkOut(pool);
  let isBroken = true;
  try {
    await client.query(command("BEGIN"));
    const result = await work(client);
    await client.query(command("COMMIT"));
    isBroken = false;
    return result;
  } catch (error) {
    if (!isTimeout(error))
      isBroken = await client.query(command("ROLLBACK")).then(
        () => false,
        () => true,
      );
    throw error;
  } finally {
    client.off("error", ignore);
    client.release(isBroken);
  }
}

/** Runs the statements of a transaction. */
export async function stepsOf<T>(
  statements: Transaction<T>,
  query: (...statement: Statement) => Promise<{ readonly rows: readonly Row[] }>,
): Promise<T> {
  let step = statements.next();
  while (!step.done) step = statements.next((await query(...step.value)).rows);
  return step.value;
}

/** The table of the versions: that of the store, or that of another part in the same schema, such as "memory". */
const versionsOf = (part?: string): string => (part === undefined ? "migrations" : `${part}_migrations`);

/** Returns the version of the tables in a schema, such as `"agentchart"` with its quotes; 0 if there are none. */
export async function postgresTables(
  client: Pick<ClientBase, "query">,
  schema: string,
  part?: string,
): Promise<number> {
  const table = versionsOf(part);
  const known = await client.query("SELECT FROM pg_tables WHERE schemaname = $1 AND tablename = $2", [
    schema.slice(1, -1),
    table,
  ]);
  if (known.rowCount === 0) return 0;
  const { rows } = await client.query(`SELECT coalesce(max(version), 0) AS version FROM ${schema}.${table}`);
  return Number(rows[0].version);
}

/** Creates or migrates the tables, in a transaction that the caller commits; several processes may do so at once. In a migration `S`
 *  stands for the schema. `part` names tables that lie beside those of the store. Needs no right to create anything if the tables are
 *  current. Throws `session/version` for tables of a newer release. */
export async function migratePostgres(
  client: ClientBase,
  schema: string,
  migrations: readonly string[],
  part?: string,
): Promise<void> {
  const newest = migrations.length;
  if ((await postgresTables(client, schema, part)) === newest) return;
  await client.query("SELECT pg_advisory_xact_lock(hashtext($1))", [`agentchart ${schema}`]);
  const found = await postgresTables(client, schema, part);
  if (found > newest) {
    const message = `The schema has tables of version ${found}; this release supports ${newest}.`;
    throw new AgentError("session/version", message);
  }
  const versions = `${schema}.${versionsOf(part)}`;
  await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
  await client.query(
    `CREATE TABLE IF NOT EXISTS ${versions} (version int PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())`,
  );
  for (const [index, migration] of migrations.entries()) {
    if (index < found) continue;
    await client.query(migration.replaceAll(/\bS\./gu, `${schema}.`));
    await client.query(`INSERT INTO ${versions} (version) VALUES ($1)`, [index + 1]);
  }
}

/** Tables in a schema of Postgres, made by `prepare` when first used; what it returns is passed to each use. */
export class PostgresTables<P = void> {
  readonly #connection: PostgresConnection;
  readonly #open: () => Promise<{ readonly pool: Pool; readonly prepared: P }>;
  #ready: Promise<{ readonly pool: Pool; readonly prepared: P }> | undefined;
  #isClosed = false;

  /** `of` is the function of the user that needs the package `pg`. */
  constructor(connection: PostgresConnection, of: string, prepare: (pool: Pool) => Promise<P>) {
    const { pool: given, connectionString } = connection;
    this.#connection = connection;
    this.#open = async () => {
      const pool = given ?? (await newPool(of, { connectionString, timeoutMs: TIMEOUT_MS, max: 4 }));
      try {
        return { pool, prepared: await prepare(pool) };
      } catch (error) {
        if (!given) await pool.end().catch(ignore); // the next use makes another one
        throw error;
      }
    };
  }

  /** Runs `use`. Rejects with `store/failed` if that fails, without the words of Postgres, which may repeat data. */
  async run<T>(operation: string, use: (pool: Pool, prepared: P) => Promise<T>): Promise<T> {
    if (this.#isClosed)
      throw new AgentError("store/failed", `Postgres: could not ${operation}: the store is closed.`);
    try {
      const opening = (this.#ready ??= this.#open());
      opening.catch(() => (this.#ready === opening ? (this.#ready = undefined) : undefined)); // the next use tries again
      const { pool, prepared } = await opening;
      return await use(pool, prepared);
    } catch (error) {
      if (AgentError.is(error)) throw error;
      throw new AgentError("store/failed", `Postgres: could not ${operation}.`, { cause: error });
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (!this.#connection.pool) await (await this.#ready?.catch(() => undefined))?.pool.end();
    this.#ready = undefined;
  }
}

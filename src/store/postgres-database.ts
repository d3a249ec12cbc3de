import type { ClientBase, Pool, PoolClient } from "pg";
import { AgentError } from "../base/error.ts";
import { migrate, quotedSchema } from "./postgres-schema.ts";
import { storeClosed } from "./append-check.ts";

export type PostgresConnection = {
  /** `postgres://…`. The store opens connections when first used and ends them when closed. */
  readonly connectionString?: string;
  /** Instead, a pool of `pg` that the caller ends. */
  readonly pool?: Pool;
  /** Where the tables are, made when first used; default `agentchart`. */
  readonly schema?: string;
};

type Driver = typeof import("pg");
export type Row = { readonly [column: string]: unknown };

const CONNECT_TIMEOUT_MS = 10_000;
/** Connection lost, server going down or starting up or still a standby, too many connections, deadlock, serialization. */
const TRANSIENT =
  /^(?:08...|57P0.|25006|53300|40P01|40001|ECONN.*|EHOST.*|ENET.*|EPIPE|ETIMEDOUT|EAI_AGAIN|ENOTFOUND)$/u;

async function loadDriver(): Promise<Driver> {
  try {
    const module = await import("pg");
    return module.default as unknown as Driver;
  } catch (error) {
    throw new AgentError("config/invalid", "postgresStore needs the package pg: npm install pg", {
      cause: error,
    });
  }
}

/** Never quotes what Postgres said, for that may hold data, nor the connection string. */
export function postgresError(thrown: unknown, doing: string): AgentError {
  if (AgentError.is(thrown)) return thrown;
  const found = (thrown as { code?: unknown } | null)?.code;
  const code = typeof found === "string" ? found : undefined;
  if (code === "ERR_INVALID_URL") {
    return new AgentError("config/invalid", "postgresStore: the connection string is no URL."); // a cause would hold it
  }
  // Without a code it is the driver's own word for a connection that ended.
  const isRetryable = code === undefined || TRANSIENT.test(code);
  return new AgentError("store/failed", `Postgres: could not ${doing}${code ? ` (${code})` : ""}.`, {
    cause: thrown,
    isRetryable,
    ...(code !== undefined && { data: { code } }),
  });
}

const ignore = (): void => {};

/** A client whose lost connection is no uncaught error: the query that is under way fails with it. Not by promise, for the
 *  connection may be lost before a promise says that it is there. */
function checkOut(pool: Pool): Promise<PoolClient> {
  return new Promise((resolve, reject) => {
    pool.connect((error, client) => {
      if (!client) return reject(error ?? new Error("no client"));
      client.on("error", ignore);
      resolve(client);
    });
  });
}

/** One schema in one database. Connects and migrates when first used; everything it throws is an AgentError. */
export class PostgresDatabase {
  /** As SQL. */
  readonly schema: string;
  readonly #options: PostgresConnection;
  #ready: Promise<Pool> | undefined;
  #isClosed = false;

  constructor(options: PostgresConnection) {
    if ((options.connectionString === undefined) === (options.pool === undefined)) {
      throw new AgentError("config/invalid", "postgresStore needs either a connectionString or a pool.");
    }
    this.#options = options;
    this.schema = quotedSchema(options.schema ?? "agentchart");
  }

  async #connect(): Promise<Pool> {
    const { pool: given, connectionString } = this.#options;
    const { Pool: PoolOf } = await loadDriver();
    const pool =
      given ??
      new PoolOf({
        ...(connectionString !== undefined && { connectionString }),
        connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      });
    // A lost idle connection is no failure: the pool opens another.
    if (!given) pool.on("error", ignore);
    try {
      await this.#within(pool, (client) => migrate(client, this.schema));
      return pool;
    } catch (error) {
      if (!given) await pool.end();
      throw error;
    }
  }

  /** The pool, once the tables are there. A failure is tried again by the next call. */
  #pool(): Promise<Pool> {
    if (this.#isClosed) throw storeClosed();
    this.#ready ??= this.#connect().catch((error: unknown) => {
      this.#ready = undefined;
      throw error;
    });
    return this.#ready;
  }

  async #within<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await checkOut(pool);
    let isBroken = true;
    try {
      await client.query("BEGIN");
      const result = await work(client);
      await client.query("COMMIT");
      isBroken = false;
      return result;
    } catch (error) {
      isBroken = await client.query("ROLLBACK").then(
        () => false,
        () => true,
      );
      throw error;
    } finally {
      client.off("error", ignore);
      client.release(isBroken);
    }
  }

  async query(doing: string, sql: string, values: readonly unknown[]): Promise<readonly Row[]> {
    try {
      const pool = await this.#pool();
      return (await pool.query<Row>(sql, [...values])).rows;
    } catch (error) {
      throw postgresError(error, doing);
    }
  }

  /** All or nothing. */
  async transaction<T>(doing: string, work: (client: ClientBase) => Promise<T>): Promise<T> {
    try {
      return await this.#within(await this.#pool(), work);
    } catch (error) {
      throw postgresError(error, doing);
    }
  }

  /** A connection of its own that is not connected yet, to be ended by the caller. */
  async newClient(): Promise<import("pg").Client> {
    const { options } = await this.#pool();
    const { Client } = await loadDriver();
    return new Client({ ...options, password: options.password, keepAlive: true });
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const pool = await this.#ready?.catch(ignore);
    if (pool && !this.#options.pool) await pool.end();
  }
}

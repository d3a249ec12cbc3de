import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import type { PgPool } from "bullmq";
import type { Pool, PoolClient } from "pg";
import { missingPackage } from "../../core/base/missing-package.ts";
import { withMembers } from "../../core/base/with-members.ts";
import { postgresError } from "../../store/postgres-database.ts";
import { PIPELINE_CONNECTIONS, PostgresPipeline, socketOf } from "../../store/postgres-pipeline.ts";
import type { BullTransport, Ticket } from "./bull-transport.ts";
import { PostgresSignals } from "./postgres-signals.ts";

/** The schema of the queue's tables, which is the search path of its connections. In that of BullMQ there may be queues of others. */
const SCHEMA = "agentchart_queue";
/** BullMQ looks here for the version of its tables, and uses those of the search path. */
const CHECKED_SCHEMA = "bullmq";
/** The tables with wake-ups; those that refer to others come first. */
const WAKE_UPS = ["job_dependency", "job_log", "dedup", "dedup_next", "job"];
/** A server that crashes may lose wake-ups, because the store has the work, and sweeps find it: they need no WAL. Nobody reads the events of
 *  BullMQ, each of which would be a row and a notification. */
const PREPARE = `DO $do$ BEGIN
  IF EXISTS (SELECT FROM pg_class WHERE oid = 'job'::regclass AND relpersistence = 'p') THEN
    ${WAKE_UPS.map((table) => `ALTER TABLE ${table} SET UNLOGGED;`).join(" ")}
  END IF;
  IF EXISTS (SELECT FROM pg_proc WHERE oid = 'publish_event(text, text, jsonb)'::regprocedure AND prosrc <> 'SELECT 0::bigint') THEN
    CREATE OR REPLACE FUNCTION publish_event(p_queue text, p_event text, p_data jsonb) RETURNS bigint LANGUAGE sql AS 'SELECT 0::bigint';
  END IF;
END $do$`;
/** The most connections of a queue, beside those that listen. */
const CONNECTIONS = 10;
/** For so long a connection is made, and a statement on a shared one may take, ms: those behind it wait as well. */
const TIMEOUT_MS = 10_000;
const FAILURE_PAUSE_MS = 250;

/** BullMQ's statement that adds a job: one call of a function in its schema. */
const ADD_JOB = /^\s*(?:--[^\n]*\n\s*)*SELECT add_job\(/u;

type Captured = { found?: { readonly sql: string; readonly values: readonly unknown[] } };

/** The statement that is about to be captured instead of being run. */
const capturing = new AsyncLocalStorage<Captured>();

/** Returns the statement with which BullMQ would add a job, for any connection to the same database; undefined if it would run others. */
async function capture(add: () => Promise<unknown>): Promise<Captured["found"]> {
  const captured: Captured = {};
  await capturing.run(captured, add);
  return captured.found;
}

/** The pool of BullMQ, whose own queries share connections. Delays the failure of queries while the database is not available, because
 *  BullMQ repeats them at once. */
function sharing(pool: Pool, pipeline: PostgresPipeline): Pool {
  const query = async (text: string, values: unknown[] = []): Promise<unknown> => {
    const captured = capturing.getStore();
    if (captured && ADD_JOB.test(text)) {
      captured.found = { sql: text.replace(ADD_JOB, `SELECT "${SCHEMA}".add_job(`), values };
      return { rows: [{ id: "captured" }] };
    }
    try {
      return await pipeline.query({ text, values });
    } catch (error) {
      if (postgresError(error, "run a query").isRetryable) await sleep(FAILURE_PAUSE_MS);
      throw error;
    }
  };
  return withMembers(pool, { query: query as Pool["query"] });
}

/** Connects to BullMQ on Postgres. Rejects `config/invalid` for a missing package, and the driver's errors. */
export async function postgresTransport(connectionString: string, name: string): Promise<BullTransport> {
  const { default: pg } = await import("pg").catch(missingPackage("bullQueue", "pg"));
  const bullmq = await import("bullmq").catch(missingPackage("bullQueue", "bullmq"));
  const { Queue, Worker } = bullmq.withBackend(bullmq.createPostgresBackend);
  const config = {
    connectionString,
    options: `-c search_path="${SCHEMA}"`,
    connectionTimeoutMillis: TIMEOUT_MS,
    keepAlive: true,
  };
  const pool: Pool = new pg.Pool({ ...config, max: CONNECTIONS - PIPELINE_CONNECTIONS });
  pool.on("error", () => {}); // a lost idle connection: the pool opens another one
  const clients = new Set<PoolClient>();
  pool.on("connect", (client) => {
    client.on("error", () => {}); // a lost connection in use: its query fails
    clients.add(client);
  });
  pool.on("remove", (client) => void clients.delete(client));
  const pipeline = new PostgresPipeline(
    (more) => new pg.Client({ ...config, ...more }),
    (query) => pool.query({ ...query, ...{ query_timeout: TIMEOUT_MS } }),
    TIMEOUT_MS,
  );
  const connection = sharing(pool, pipeline) as unknown as PgPool;
  const openQueue = async () => {
    const client = await pool.connect();
    try {
      await client.query("SELECT pg_advisory_lock(hashtext($1))", [SCHEMA]);
      for (const schema of [CHECKED_SCHEMA, SCHEMA]) await bullmq.runMigrations(client, schema);
      await client.query(PREPARE);
    } finally {
      client.release(true); // ends the lock
    }
    const opened = new Queue<Ticket>(name, { connection });
    opened.on("error", () => {});
    await opened.waitUntilReady(); // a queue that did not become ready here never will
    return opened;
  };
  const end = () => Promise.all([pipeline.end(), pool.end()]);
  const queue = await openQueue().catch(async (error: unknown) => {
    await end();
    throw error;
  });
  const signals = new PostgresSignals(
    pipeline,
    () => new pg.Client({ connectionString, keepAlive: true }),
    name,
  );
  return {
    queue: queue as never,
    signals,
    capture,
    consume: (process, options) => new Worker<Ticket>(name, process, { ...options, connection }) as never,
    async close() {
      signals.close();
      await queue.close();
      await end();
    },
    cut() {
      pipeline.cut();
      for (const client of clients) socketOf(client).destroy();
    },
  };
}

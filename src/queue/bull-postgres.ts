import type { PgPool } from "bullmq";
import type { Pool } from "pg";
import { loadPackage, type BullTransport, type Ticket } from "./bull-transport.ts";
import { postgresSignals } from "./postgres-signals.ts";

/** Where BullMQ has its tables; a pool that is handed to it cannot choose another. */
const SCHEMA = "bullmq";
const CONNECT_TIMEOUT_MS = 10_000;

export async function postgresTransport(connectionString: string, name: string): Promise<BullTransport> {
  const { default: pg } = await loadPackage("pg", () => import("pg"));
  const bullmq = await loadPackage("bullmq", () => import("bullmq"));
  const { Queue, Worker } = bullmq.withBackend(bullmq.createPostgresBackend);
  const pool: Pool = new pg.Pool({
    connectionString,
    options: `-c search_path="${SCHEMA}"`,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
  });
  pool.on("error", () => {}); // a lost idle connection: the pool opens another
  try {
    const client = await pool.connect();
    try {
      await bullmq.runMigrations(client, SCHEMA);
    } finally {
      client.release();
    }
  } catch (error) {
    await pool.end();
    throw error;
  }
  const connection = pool as unknown as PgPool;
  const queue = new Queue<Ticket>(name, { connection });
  queue.on("error", () => {});
  const signals = postgresSignals(pool, () => new pg.Client({ connectionString, keepAlive: true }), name);
  return {
    queue: queue as never,
    signals,
    work: (take, options) => new Worker<Ticket>(name, take, { ...options, connection }) as never,
    async close() {
      await signals.close();
      await queue.close();
      await pool.end();
    },
  };
}

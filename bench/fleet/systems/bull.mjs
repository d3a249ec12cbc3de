// BullMQ on Postgres, as Agentchart uses it: the queue of `floor` and `langgraph`.
import pg from "pg";
import { createPostgresBackend, runMigrations, withBackend } from "bullmq";
const { Queue, Worker } = withBackend(createPostgresBackend);
const poolOf = (url) =>
  new pg.Pool({ connectionString: url, options: `-c search_path="bullmq"`, keepAlive: true });
export async function prepareQueue({ url }) {
  const pool = poolOf(url);
  const client = await pool.connect();
  await runMigrations(client, "bullmq");
  client.release();
  await pool.end();
}
export async function openQueue({ url }) {
  const pool = poolOf(url);
  const queue = new Queue("turns", { connection: pool });
  queue.on("error", () => {});
  await queue.waitUntilReady();
  return {
    add: (id) => queue.add("turn", { id }, { removeOnComplete: true, removeOnFail: true }),
    close: async () => {
      await queue.close();
      await pool.end();
    },
  };
}
export async function consume({ url, concurrency }, at, turn) {
  const pool = poolOf(url);
  const worker = new Worker("turns", (job) => turn(job.data.id), {
    connection: pool,
    concurrency,
    autorun: false,
    removeOnComplete: { count: 0 },
    removeOnFail: { count: 0 },
  });
  worker.on("error", () => {});
  worker.on("failed", (_, error) => console.error("failed", error));
  worker.on("completed", (job) => at.ended(job.data.id));
  await worker.waitUntilReady();
  void worker.run();
  return async () => {
    await worker.close();
    await pool.end();
  };
}

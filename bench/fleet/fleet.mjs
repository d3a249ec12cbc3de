// Measures one system: orders as JSON in the first argument, the result as a line of JSON.
import { fork } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { cpuOf, freePort, startPostgres, startRestate } from "./servers.mjs";

/** After this a system counts as stuck, ms. */
const STUCK_MS = 300_000;
const STATEMENTS = `SELECT sum(calls)::float8 AS calls, count(*)::int AS kinds, sum(total_plan_time)::float8 AS planning
  FROM pg_stat_statements WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())`;
/** WAL, commits, and bytes of tables and indexes that outlive a crash. */
const GROWTH = `SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS wal,
  (SELECT xact_commit FROM pg_stat_database WHERE datname = current_database())::float8 AS commits,
  (SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r' AND relpersistence = 'p')::float8 AS bytes`;
/** A connection reports its commits within this time, ms. */
const REPORTED_MS = 1_500;

const { system: name, workers, turns, warm, fsync } = JSON.parse(process.argv[2]);
const system = await import(`./systems/${name}.mjs`);
/** How often the workers have said each word. */
const said = new Map();
let wake = () => {};

const count = (type) => said.get(type) ?? 0;

async function until(type, total) {
  const late = setTimeout(() => {
    console.error(`${name} is stuck: ${count(type)} of ${total} ${type}.`);
    process.exit(2);
  }, STUCK_MS);
  while (count(type) < total) await new Promise((resolve) => (wake = resolve));
  clearTimeout(late);
}

const orders = { concurrency: 10, pollMs: 20 };
const needsPostgres = system.needs === "postgres";
const server = await (needsPostgres ? startPostgres({ fsync }) : startRestate({ fsync }));
let sql = async () => [{}];
let pool;
if (needsPostgres) {
  orders.url = server.urlOf("postgres");
  pool = new pg.Pool({ connectionString: orders.url, max: 2 });
  pool.on("error", () => {}); // the server ends its connections when it stops
  sql = async (text) => (await pool.query(text)).rows;
  await sql("CREATE EXTENSION pg_stat_statements");
} else Object.assign(orders, { admin: server.admin, ingress: server.ingress, port: await freePort() });

await system.prepare(orders);
const dispatcher = await system.dispatcher(orders);
const crew = Array.from({ length: workers }, (_, index) => {
  const text = JSON.stringify({ ...orders, executor: `worker${index}` });
  const stdio = ["ignore", "ignore", "inherit", "ipc"];
  const worker = fork(join(import.meta.dirname, "worker.mjs"), [name, text], { stdio });
  worker.on("message", ({ type }) => {
    said.set(type, count(type) + 1);
    wake();
  });
  return worker;
});
await until("loaded", workers);
for (const worker of crew) worker.send("go");
await until("ready", workers);
await system.register?.(orders);

/** Dispatches the sessions, 16 at a time, and waits until all of them are stored as ended. */
async function run(ids, total) {
  const left = ids.values();
  const dispatchAll = async () => {
    for (const id of left) await dispatcher.dispatch(id);
  };
  await Promise.all(Array.from({ length: 16 }, dispatchAll));
  await until("ended", total);
  while ((await system.settled(orders, sql)) < total) await sleep(5);
}

const idsOf = (prefix, length) => Array.from({ length }, (_, index) => `${prefix}-${index}`);
if (warm > 0) await run(idsOf("warm", warm), warm);
await sleep(REPORTED_MS);
await sql("SELECT pg_stat_statements_reset()");
const crewCpu = () => crew.reduce((sum, { pid }) => sum + cpuOf(pid), 0);
const [[before], worker, database, from] = [
  needsPostgres ? await sql(GROWTH) : [{}],
  crewCpu(),
  cpuOf(server.pid),
  performance.now(),
];
const ids = idsOf("turn", turns);
await run(ids, warm + turns);
const seconds = (performance.now() - from) / 1_000;
const result = {
  perSecond: turns / seconds,
  workerMs: (crewCpu() - worker) / turns,
  serverMs: (cpuOf(server.pid) - database) / turns,
};
if (needsPostgres) {
  const [{ calls, kinds, planning }] = await sql(STATEMENTS);
  await sleep(REPORTED_MS);
  const [after] = await sql(GROWTH);
  Object.assign(result, {
    statements: calls / turns,
    kinds,
    planningMs: planning / turns,
    walKb: (after.wal - before.wal) / turns / 1_000,
    commits: (after.commits - before.commits) / turns,
    rowsKb: (after.bytes - before.bytes) / turns / 1_000,
  });
}
const good = await system.verify(orders, sql, ids);
for (const each of crew) {
  const ended = new Promise((resolve) => each.once("exit", resolve));
  each.send("close");
  setTimeout(() => each.kill("SIGKILL"), 5_000).unref();
  await ended;
}
await dispatcher.close();
await pool?.end();
console.log(JSON.stringify({ ...result, good }));
process.on("uncaughtException", () => {}); // of connections that a client has left open
await server.stop();
process.exit(0);

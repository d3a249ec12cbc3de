import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { postgresStore } from "agentchart/store/postgres";
import { bullQueue, createDispatcher, type BullQueueOptions, type Dispatcher } from "agentchart/worker";
import { startPostgres } from "../test/support/postgres.ts";
import { startRedis } from "../test/support/redis.ts";
import { IS_SMOKE, median } from "./cpu.ts";
import { oneProcess } from "./one-process.ts";
import { benchOptions, WRITE } from "./options.ts";
import { Crew } from "./worker-crew.ts";

const { values } = benchOptions(
  `Measures workers on Postgres and Redis: sessions a second, latency, what follows a kill, what resting sessions cost.

Usage: npm run bench:workers -- [--write]

  --write  writes docs/bench-workers.md
  --help   prints this

SOAK=1 measures more sessions.`,
  WRITE,
);
const isSoak = process.env["SOAK"] === "1";
const SESSIONS = IS_SMOKE ? 8 : isSoak ? 2_000 : 400;
const ALONE = IS_SMOKE ? 7 : isSoak ? 300 : 60;
const RESTING = IS_SMOKE ? 20 : 100_000;
const CREWS = IS_SMOKE ? [2] : [1, 2, 3, 4];
const HELD = 10;
/** Turns of two messages each that make a long session, and processes that go on with it. */
const [LONG, FRESH] = IS_SMOKE ? [3, 1] : [500, 9];

const postgres = await startPostgres();
if (!postgres) throw new Error("bench:workers needs Postgres: set DATABASE_URL, or install it.");
const redis = await startRedis();
const { connectionString } = postgres;
const pool = new pg.Pool({ connectionString });

const QUEUES: { readonly [name: string]: BullQueueOptions } = {
  Postgres: { postgres: connectionString },
  ...(redis && { Redis: { redis: redis.url } }),
};

const percentile = (of: readonly number[], part: number): number =>
  of.toSorted((a, b) => a - b)[Math.min(of.length - 1, Math.floor(of.length * part))] ?? Number.NaN;
const ms = (value: number): string => (value < 10 ? value.toFixed(1) : value.toFixed(0));

let schemas = 0;

type Site = {
  readonly dispatcher: Dispatcher;
  readonly crew: (count: number, options?: object) => Promise<Crew>;
  readonly schema: string;
  readonly close: () => Promise<void>;
};

/** A schema and a queue of their own. */
async function site(queueOptions: BullQueueOptions, lockMs?: number): Promise<Site> {
  const schema = `bench_${++schemas}`;
  const options = { ...queueOptions, name: `${schema}_${process.pid}`, lockMs };
  const store = postgresStore({ connectionString, schema });
  const queue = bullQueue(options);
  await store.list();
  await queue.stats();
  return {
    schema,
    dispatcher: createDispatcher({ store, queue }),
    crew: (count, workerOptions = {}) =>
      Crew.of(count, { store: { connectionString, schema }, queue: options, options: workerOptions }),
    close: async () => {
      await queue.close();
      await store.close();
    },
  };
}

async function dispatchAll(dispatcher: Dispatcher, count: number, text: string): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++)
      await dispatcher.dispatch(`${text}-${index}`, text, { agent: "instant" });
  };
  await Promise.all(Array.from({ length: 16 }, lane));
}

/** Sessions per second of so many workers that find a full queue. */
async function throughput(queue: BullQueueOptions, workers: number, text: "go" | "slow"): Promise<number> {
  const { dispatcher, crew: hire, close } = await site(queue);
  const sessions = text === "go" ? SESSIONS : SESSIONS / 2;
  const fill = () => dispatchAll(dispatcher, sessions, text);
  if (text === "go") await fill();
  const crew = await hire(workers);
  if (text === "slow") await fill(); // all of them are there from the first on
  await crew.until(() => crew.count("ended") >= sessions);
  const begun = Math.min(...crew.ofType("started").map(({ at }) => at));
  const ended = Math.max(...crew.ofType("ended").map(({ at }) => at));
  await crew.end();
  await close();
  return (sessions / (ended - begun)) * 1_000;
}

/** From dispatch to the first model call, one session at a time, ms. */
async function latency(queue: BullQueueOptions): Promise<readonly number[]> {
  const { dispatcher, crew: hire, close } = await site(queue);
  const crew = await hire(1);
  for (let index = 0; index < ALONE; index++) {
    await dispatcher.dispatch(`alone-${index}`, "go", { agent: "instant" });
    await crew.until(() => crew.count("ended") > index);
  }
  const found = crew.ofType("asked").map(({ afterMs }) => afterMs);
  await crew.end();
  await close();
  return found.slice(5);
}

/** From dispatch to the model call in a long session, ms: of the worker that knows it, and of ones that have done one other turn. */
async function longSession(
  queue: BullQueueOptions,
): Promise<{ readonly known: readonly number[]; readonly fresh: readonly number[] }> {
  const { dispatcher, crew: hire, close } = await site(queue);
  const turn = async (crew: Crew, id: string): Promise<number> => {
    const ended = crew.count("ended");
    await dispatcher.dispatch(id, "go", { agent: "instant" });
    await crew.until(() => crew.count("ended") > ended);
    return crew.ofType("asked").at(-1)!.afterMs;
  };
  const crew = await hire(1);
  const known: number[] = [];
  for (let count = 0; count < LONG; count++) known.push(await turn(crew, "long"));
  await crew.end();
  const fresh: number[] = [];
  for (let index = 0; index < FRESH; index++) {
    const started = await hire(1);
    await turn(started, `other-${index}`);
    fresh.push(await turn(started, "long"));
    await started.end();
  }
  await close();
  return { known: known.slice(-20), fresh };
}

/** How long sessions wait whose worker was killed in a tool, ms. */
async function takeOver(
  queue: BullQueueOptions,
  lockMs: number | undefined,
  options: object,
): Promise<readonly number[]> {
  const { dispatcher, crew: hire, close } = await site(queue, lockMs);
  const first = await hire(1, options);
  await dispatchAll(dispatcher, HELD, "hold");
  await first.until(() => first.count("holding") === HELD);
  const second = await hire(1, options);
  await sleep(2_000);
  const killedAt = Date.now();
  first.kill(first.heard[0]!.pid);
  await second.until(() => second.count("holding") === HELD);
  const found = second.ofType("started").map(({ at }) => at - killedAt);
  await second.end();
  await close();
  return found;
}

type Resting = {
  readonly bytes: number;
  readonly sweepMs: number;
  readonly cpu: number;
  readonly wakeMs: number;
};

const cpuOf = (pid: number): number => {
  const [, ...fields] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
  const [utime, stime] = fields.join(") ").split(" ").slice(11, 13).map(Number);
  return ((utime! + stime!) / 100) * 1_000;
};

/** What sessions cost that wait for an approval. One is made by a worker; the others are its rows under other ids. */
async function resting(queue: BullQueueOptions): Promise<Resting> {
  const { dispatcher, crew: hire, close, schema } = await site(queue);
  const crew = await hire(1);
  await dispatcher.dispatch("first", "approve", { agent: "instant" });
  await crew.until(() => crew.count("ended") > 0);
  const copies: readonly (readonly [table: string, columns: string])[] = [
    ["sessions", "seq, fence, position, phase, wake_at, meta, labels, updated_at"],
    ["checkpoints", "data"],
    ["entries", "seq, entry"],
  ];
  // The copies have no checksums, like rows of a release that wrote none: a checksum covers the id of its session.
  await pool.query(`ALTER TABLE ${schema}.entries DROP CONSTRAINT entries_checksum`);
  for (const [table, columns] of copies) {
    await pool.query(
      `INSERT INTO ${schema}.${table} (session_id, ${columns}) SELECT 'rest-' || n, ${columns}
       FROM ${schema}.${table}, generate_series(1, $1) AS n WHERE session_id = 'first'`,
      [RESTING],
    );
  }
  await pool.query(`ANALYZE`);
  const { rows } = await pool.query(
    `SELECT sum(pg_total_relation_size(c.oid))::float8 AS bytes FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = relnamespace
     WHERE nspname = $1 AND relkind = 'r'`,
    [schema],
  );
  const store = postgresStore({ connectionString, schema });
  const sweeps: number[] = [];
  for (let count = 0; count < 20; count++) {
    const startedAt = performance.now();
    await store.listDue({ before: Date.now() });
    sweeps.push(performance.now() - startedAt);
  }
  await store.close();
  const { pid } = crew.heard[0]!;
  const before = cpuOf(pid);
  const idleMs = IS_SMOKE ? 100 : 10_000;
  await sleep(idleMs);
  const cpu = (cpuOf(pid) - before) / idleMs;
  const wakes: number[] = [];
  for (let index = 1; index <= 10; index++) {
    const id = `rest-${index * Math.floor(RESTING / 10)}`;
    const { pending } = await dispatcher.status(id);
    const ended = crew.count("ended");
    const startedAt = Date.now();
    await dispatcher.decide(id, pending[0]!.callId, "approve");
    await crew.until(() => crew.count("ended") > ended);
    wakes.push(Date.now() - startedAt);
  }
  await crew.end();
  await close();
  return { bytes: Number(rows[0].bytes) / RESTING, sweepMs: median(sweeps), cpu, wakeMs: median(wakes) };
}

const TUNED = { leaseMs: 1_000, sweepMs: 300, retryMs: 200 };
const TUNED_LOCK_MS = 300;
const speeds: string[] = [];
const delays: string[] = [];
const takeovers: string[] = [];
for (const [name, queue] of Object.entries(QUEUES)) {
  console.error(`${name}: speed …`);
  for (const [text, label] of [
    ["go", "at once"],
    ["slow", "after 0.5 s"],
  ] as const) {
    const found: number[] = [];
    for (const workers of CREWS) found.push(await throughput(queue, workers, text));
    speeds.push(`| ${name} | ${label} | ${found.map((value) => value.toFixed(0)).join(" | ")} |`);
  }
  console.error(`${name}: delay …`);
  const found = await latency(queue);
  delays.push(`| ${name} | ${ms(median(found))} | ${ms(percentile(found, 0.95))} |`);
  console.error(`${name}: take-over …`);
  const tuned = await takeOver(queue, TUNED_LOCK_MS, TUNED);
  const atDefaults = IS_SMOKE ? tuned : await takeOver(queue, undefined, {});
  const seconds = (of: readonly number[]) =>
    `${(median(of) / 1_000).toFixed(1)} | ${(Math.max(...of) / 1_000).toFixed(1)}`;
  takeovers.push(`| ${name} | ${seconds(atDefaults)} | ${seconds(tuned)} |`);
}
console.error("a long session …");
const long = await longSession(QUEUES["Postgres"]!);
console.error("one process …");
const alone = await oneProcess();
console.error("resting sessions …");
const rest = await resting(QUEUES["Redis"] ?? QUEUES["Postgres"]!);
await pool.end();
await redis?.stop();
await postgres.stop();

const PARTITIONS = "\n## Partitions\n";
const text = `# Workers, measured

Written by \`npm run bench:workers -- --write\`${isSoak ? " with SOAK=1" : ""}, load ${loadavg()[0]!.toFixed(1)} after measuring, Node ${process.versions.node}, ${availableParallelism()} cores that the workers share
with Postgres, Redis and the process that dispatches. Sessions are in Postgres (without fsync).

Sessions per second, of one turn each, ${SESSIONS} of them waiting when the workers begin, or half as many sent at once to workers with a slow model, 10
at once in each worker. With a model that answers at once one worker and Postgres fill both cores; with one that takes half a second a worker can do 20
a second, and several do so many times that until the cores are full:

| queue on | the model answers | 1 worker | 2 workers | 3 workers | 4 workers |
|---|---|---|---|---|---|
${speeds.join("\n")}

From dispatch to the first model call of a session that is new, one at a time, ms:

| queue on | median | 95 % |
|---|---|---|
${delays.join("\n")}

In a session of ${(2 * LONG).toLocaleString("en")} messages, all of which the model sees: ${ms(median(long.known))} ms if the worker knows the session; ${ms(median(long.fresh))} ms (${ms(Math.min(...long.fresh))} to ${ms(Math.max(...long.fresh))}) if it
has just started and done one other turn. Aims: 25 and 80. The other turn has run the code of a turn once; that of reading runs for the first time.

In one process, with a queue in memory and SQLite, from dispatch to the first delta of the answer at a subscriber: ${ms(median(alone))} ms (95 %:
${ms(percentile(alone, 0.95))} ms). Nothing of it waits for a poll.

From the SIGKILL of a worker with ${HELD} sessions in a tool until another has them, s. Aims: 5 at the defaults, 0.7 tuned (\`lockMs\` ${TUNED_LOCK_MS},
\`leaseMs\` 1,000, \`sweepMs\` 300):

| queue on | defaults, median | longest | tuned, median | longest |
|---|---|---|---|---|
${takeovers.join("\n")}

${RESTING.toLocaleString("en")} sessions that wait for an approval: ${(rest.bytes / 1_024).toFixed(1)} KB of tables and indexes each, no entry in the queue, and a worker beside
them uses ${(rest.cpu * 100).toFixed(1)} % of a core. A sweep takes ${ms(rest.sweepMs)} ms; from an approval to the end of its turn, ${ms(rest.wakeMs)} ms.
`;
console.log(text);
if (values.write) {
  const path = join(import.meta.dirname, "../docs/bench-workers.md");
  const [, partitions = ""] = readFileSync(path, "utf8").split(PARTITIONS); // measured by a test
  writeFileSync(path, `${text}${PARTITIONS}${partitions}`);
}

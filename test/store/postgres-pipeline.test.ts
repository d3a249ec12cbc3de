// Statements of many sessions share connections, hold each other up for a moment at most, and never scan a table.
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import pg from "pg";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import type { SessionStore } from "agentchart";
import { postgresStore } from "agentchart/store/postgres";
import { acquireLease, batchOf } from "../../src/testing/store-contract-kit.ts";
import { PostgresPipeline } from "../../src/store/postgres-pipeline.ts";
import { NO_POSTGRES, startPostgres } from "../support/postgres.ts";

const server = await startPostgres();
/** The time-out of a connection where it has to be reached, and where not, ms. */
const [LATE_MS, TIMEOUT_MS] = [500, 60_000];
/** The size of a value that V8 keeps among its young objects. */
const BYTES = 50_000;
const idsOf = (length: number) => Array.from({ length }, (_, index) => `s${index}`);

/** A pipeline to which nothing waits for a lock. */
const pipelineWith = (timeoutMs = TIMEOUT_MS) =>
  new PostgresPipeline(
    (options) => new pg.Client({ connectionString: server!.connectionString, ...options }),
    () => Promise.reject(new Error("nothing waits for a lock here")),
    timeoutMs,
  );

/** A store with tables of its own, and another connection to them. */
async function office(schema: string, isPooled = false) {
  const { connectionString } = server!;
  const db = new pg.Client({ connectionString });
  await db.connect();
  const pool = isPooled ? new pg.Pool({ connectionString, max: 2 }) : undefined;
  const store = postgresStore({ schema, ...(pool ? { pool } : { connectionString }) });
  const close = async (): Promise<void> => {
    await store.close();
    if (pool?.ended === false) await pool.end();
  };
  onTestFinished(async () => {
    await close();
    await db.query(`DROP SCHEMA ${schema} CASCADE`);
    await db.end();
  });
  return { db, store, close };
}

/** What a worker does with a session: all statements that are asked for each turn. */
async function turn(store: SessionStore, id: string): Promise<void> {
  await store.offerInput!(id, { id: "i", data: { kind: "call" } }, { isKnown: false });
  await store.peek!(id, 5);
  const lease = (await store.acquire(id, { owner: "o", ttlMs: 60_000, inputs: 5 }))!;
  await store.append(id, batchOf(lease, 0));
  await store.append(id, { ...batchOf(lease, 1), ackInputs: ["i"] });
  await store.takeInputs(id, 5);
  await store.release(lease);
}

describe.skipIf(!server)(`a pipeline to Postgres${server ? "" : ` (${NO_POSTGRES})`}`, () => {
  afterAll(() => server?.stop());

  test.each([
    ["connections of its own", false],
    ["a pool of the caller", true],
  ])(
    "no turn scans a table that grows, whose size was unknown when it was planned: %s",
    async (_, isPooled) => {
      const schema = `agentchart_plans_${isPooled}`;
      const { db, store, close } = await office(schema, isPooled);
      await store.load("before");
      const tables = ["sessions", "entries", "inputs", "checkpoints"];
      for (const table of tables)
        await db.query(`ALTER TABLE ${schema}.${table} SET (autovacuum_enabled = off)`);
      for (const id of idsOf(100)) await turn(store, id);
      await close(); // its connections report what they have counted
      const counted = async () => {
        const { rows } = await db.query<{ table: string; inserted: number; scans: number }>(
          `SELECT relname AS table, n_tup_ins::int AS inserted, seq_scan::int AS scans FROM pg_stat_user_tables
         WHERE schemaname = $1 AND relname = ANY ($2)`,
          [schema, tables],
        );
        return rows;
      };
      await expect
        .poll(async () => (await counted()).find(({ table }) => table === "inputs")?.inserted)
        .toBe(100);
      // the migrations scan them while they are empty
      for (const { table, scans } of await counted()) expect(scans, table).toBeLessThan(10);
    },
  );

  test("a session that somebody has locked delays no other one by more than a moment, and goes on when it is free", async () => {
    const { db, store } = await office("agentchart_locked");
    const leases = await Promise.all(idsOf(30).map((id) => acquireLease(store, id)));
    const [stuck, ...others] = leases;
    await db.query("BEGIN");
    await db.query("SELECT FROM agentchart_locked.sessions WHERE session_id = 's0' FOR UPDATE");
    let isStored = false;
    const waiting = store.append("s0", batchOf(stuck!, 0)).then((seq) => ((isStored = true), seq));
    expect(
      await Promise.all(others.map((lease) => store.append(lease.sessionId, batchOf(lease, 0)))),
    ).toEqual(others.map(() => 1));
    expect(isStored).toBe(false);
    await db.query("COMMIT");
    expect(await waiting).toBe(1);
  });

  test("a statement is planned once on a connection, whatever its values are", async () => {
    const pipeline = pipelineWith();
    const text = "SELECT count(*) FROM generate_series(1, $1::int)";
    for (let n = 1; n <= 20; n++) await pipeline.query({ name: "counted", text, values: [n ** 4] });
    const { rows } = await pipeline.query({
      text: "SELECT custom_plans::int AS custom, generic_plans::int AS generic FROM pg_prepared_statements WHERE name = 'counted'",
    });
    expect(rows).toEqual([{ custom: 0, generic: 20 }]);
    await pipeline.end();
  });

  test("statements of one turn of the event loop share a connection, up to a number, and each is a transaction of its own", async () => {
    const { connectionString } = server!;
    const made: pg.Client[] = [];
    const pipeline = new PostgresPipeline(
      (options) => {
        made.push(new pg.Client({ connectionString, ...options }));
        return made.at(-1)!;
      },
      () => Promise.reject(new Error("nothing waits for a lock here")),
      TIMEOUT_MS,
    );
    const asked = (text: string) => pipeline.query<{ pid: number; tx: string }>({ text });
    const WHO = "SELECT pg_backend_pid() AS pid, pg_current_xact_id()::text AS tx";
    const results = await Promise.allSettled([
      asked(WHO),
      asked("SELECT 1 / 0"),
      asked(WHO),
      asked("nonsense"),
      asked(WHO),
    ]);
    expect(results.map(({ status }) => status)).toEqual([
      "fulfilled",
      "rejected",
      "fulfilled",
      "rejected",
      "fulfilled",
    ]);
    const rows = results.flatMap((result) => (result.status === "fulfilled" ? result.value.rows : []));
    expect(new Set(rows.map(({ pid }) => pid)).size).toBe(1);
    expect(new Set(rows.map(({ tx }) => tx)).size).toBe(3);
    // while a connection has many open statements others get some
    const WAITS =
      "DO $$BEGIN WHILE NOT pg_try_advisory_xact_lock_shared(17) LOOP PERFORM pg_sleep(0.02); END LOOP; END$$";
    const gate = new pg.Client({ connectionString });
    await gate.connect();
    await gate.query("SELECT pg_advisory_lock(17)");
    const slow: Promise<unknown>[] = [];
    for (let count = 0; count < 40; count++) {
      slow.push(asked(WAITS));
      await setImmediate();
    }
    await gate.end();
    await Promise.all(slow);
    expect(made).toHaveLength(3);
    const last = asked(WHO);
    await pipeline.end(); // with what was asked for before
    expect((await last).rows).toHaveLength(1);
    await expect(asked(WHO)).rejects.toThrow("closed");
  });

  test("the statement after one that was given up has another connection at once", async () => {
    const pipeline = pipelineWith(LATE_MS);
    await pipeline.query({ text: "SELECT pg_sleep($1)", values: [(0.6 * LATE_MS) / 1_000] });
    const asked = ["SELECT pg_sleep(0.1)", "SELECT pg_sleep(3)", "SELECT 1"];
    const answers = await Promise.allSettled(asked.map((text) => pipeline.query({ text })));
    expect(answers.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected"]);
    expect(answers[1]).toMatchObject({
      reason: { message: expect.stringContaining(`${LATE_MS} ms (timeout)`) },
    });
    expect((await pipeline.query({ text: "SELECT 7 AS n" })).rows).toEqual([{ n: 7 }]);
    await pipeline.end();
  });

  test("nothing of a statement is left among the young objects once it is answered", async () => {
    const pipeline = pipelineWith();
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as (options: { readonly type: "minor" }) => void;
    const used = async (): Promise<number> => {
      await setImmediate();
      for (let times = 0; times < 3; times++) collect({ type: "minor" });
      return process.memoryUsage().heapUsed;
    };
    const sized = async (count: number): Promise<void> => {
      for (let n = 0; n < count; n++)
        await pipeline.query({ text: "SELECT length($1::text)", values: [String(n % 10).repeat(BYTES)] });
    };
    await sized(10);
    const before = await used();
    await sized(100);
    expect((await used()) - before).toBeLessThan(30 * BYTES);
    await pipeline.end();
  });

  test("a connection whose server leaves a goodbye without an answer can be cut", async () => {
    const { connectionString } = server!;
    const pipeline = new PostgresPipeline(
      (options) => {
        const client = new pg.Client({ connectionString, ...options });
        Object.assign((client as unknown as { readonly connection: object }).connection, { end() {} });
        return client;
      },
      () => Promise.reject(new Error("nothing waits for a lock here")),
      TIMEOUT_MS,
    );
    await pipeline.query({ text: "SELECT 1" });
    const ended = pipeline.end();
    await setImmediate();
    pipeline.cut();
    await expect(ended).resolves.toBeUndefined();
  });

  test("statements of a table that is locked as they are prepared run once it is free", async () => {
    const { connectionString } = server!;
    const pool = new pg.Pool({ connectionString });
    await pool.query("CREATE TABLE altered (n int)");
    onTestFinished(async () => {
      await pool.query("DROP TABLE altered");
      await pool.end();
    });
    const pipeline = new PostgresPipeline(
      (options) => new pg.Client({ connectionString, ...options }),
      (query) => pool.query(query),
      TIMEOUT_MS,
    );
    const db = await pool.connect();
    await db.query("BEGIN; LOCK TABLE altered");
    const statement = { name: "inserts", text: "INSERT INTO altered VALUES (1)" };
    const inserted = Promise.all([1, 2, 3].map(() => pipeline.query(statement)));
    await db.query("SELECT pg_sleep(1)");
    await db.query("COMMIT");
    db.release();
    await inserted;
    expect((await pool.query("SELECT FROM altered")).rowCount).toBe(3);
    await pipeline.end();
  });

  test("an older package of the driver is refused", async () => {
    const { connectionString } = server!;
    const pipeline = new PostgresPipeline(
      () => new pg.Client({ connectionString }), // as an older one makes it of any options
      () => Promise.reject(new Error("nothing waits for a lock here")),
      TIMEOUT_MS,
    );
    await expect(pipeline.query({ text: "SELECT 1" })).rejects.toMatchObject({
      code: "config/invalid",
      message: expect.stringContaining("npm install pg@^8.23.0"),
    });
  });

  test("a lost connection fails what is open on it, and the next statement has another one", async () => {
    const { connectionString } = server!;
    const pipeline = pipelineWith();
    const open = [1, 2, 3].map(() => pipeline.query({ text: "SELECT pg_sleep(30)" }));
    const failed = Promise.allSettled(open);
    const db = new pg.Client({ connectionString });
    await db.connect();
    const end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(30)'";
    await expect.poll(async () => (await db.query(end)).rowCount).toBe(1);
    expect((await failed).map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    await expect.poll(async () => (await pipeline.query({ text: "SELECT 7 AS n" })).rows).toEqual([{ n: 7 }]);
    await pipeline.end();
    await db.end();
  });
});

// Statements on Postgres: prepared, bounded, and atomic.
import pg from "pg";
import { afterAll, describe, expect, test, vi } from "vitest";
import { postgresStore } from "../../src/store/postgres.ts";
import { bullQueue } from "../../src/worker/queue/bull.ts";
import { acquireLease, batchOf, collectAll } from "../../src/testing/store-contract-kit.ts";
import { NO_POSTGRES, startPostgres } from "../support/postgres.ts";

const server = await startPostgres();
const schema = "agentchart_prepared";

type Prepared = { readonly name: string; readonly statement: string; readonly runs: number };

describe.skipIf(!server)(`statements on Postgres${server ? "" : ` (${NO_POSTGRES})`}`, () => {
  afterAll(() => server?.stop());

  test("each is prepared once a connection, and a connection keeps a bounded number of them", async () => {
    const pool = new pg.Pool({ connectionString: server!.connectionString, max: 1 });
    const store = postgresStore({ pool, schema });
    const prepared = async () => {
      const { rows } = await pool.query<Prepared>(
        "SELECT name, statement, (generic_plans + custom_plans)::int AS runs FROM pg_prepared_statements",
      );
      return rows;
    };
    try {
      for (const id of ["a", "b", "c", "d"]) {
        const lease = await acquireLease(store, id);
        for (let seq = 0; seq < 5; seq++) await store.append(id, batchOf(lease, seq));
        await collectAll(store.read(id));
        await store.load(id);
        await store.release(lease);
      }
      const once = await prepared();
      const append = once.filter(({ statement }) => statement.includes(".entries (session_id, seq, entry"));
      expect(append.map(({ runs }) => runs)).toEqual([20]);
      expect(new Set(once.map(({ statement }) => statement)).size).toBe(once.length);
      // statements with ever other texts, such as those of searches, do not fill the connection
      for (let words = 1; words <= 120; words++)
        await store.search!({ text: Array.from({ length: words }, (_, n) => `word${n}`).join(" ") });
      expect((await prepared()).length).toBeLessThanOrEqual(100);
    } finally {
      await store.close();
      await pool.query(`DROP SCHEMA ${schema} CASCADE`);
      await pool.end();
    }
  });

  test("a session with an input is acquired in one statement, and one that is deleted meanwhile gets a higher fence", async () => {
    const { connectionString } = server!;
    const pool = new pg.Pool({ connectionString });
    const other = new pg.Client({ connectionString });
    await other.connect();
    const store = postgresStore({ pool, schema });
    const isBlocked = async (): Promise<void> => {
      const blocked = async () =>
        (
          await pool.query("SELECT FROM pg_stat_activity WHERE $1::int = ANY (pg_blocking_pids(pid))", [
            (other as pg.Client & { readonly processID: number }).processID,
          ])
        ).rows;
      await expect.poll(blocked).toHaveLength(1);
    };
    try {
      await store.putInput("s", { id: "1", data: {} });
      const [statements, transactions] = [vi.spyOn(pool, "query"), vi.spyOn(pool, "connect")];
      const lease = await acquireLease(store, "s");
      expect([statements.mock.calls.length, transactions.mock.calls.length]).toEqual([1, 1]); // the pool connects for its query
      vi.restoreAllMocks();
      for (const begin of [
        () => acquireLease(store, "s"),
        () => store.putInput("s", { id: "2", data: {} }),
      ]) {
        await other.query("BEGIN");
        await other.query(`UPDATE ${schema}.sessions SET fence = fence + 10`);
        const { rows } = await other.query<{ fence: string }>(
          `DELETE FROM ${schema}.sessions RETURNING fence`,
        );
        await other.query(`UPDATE ${schema}.last_fence SET value = $1`, [rows[0]!.fence]);
        const begun = begin();
        await isBlocked();
        await other.query("COMMIT");
        await begun;
        const { fence } = await acquireLease(store, "s");
        expect(fence).toBeGreaterThan(Number(rows[0]!.fence));
        expect(fence).toBeGreaterThan(lease.fence);
      }
    } finally {
      await other.end();
      await store.close();
      await pool.query(`DROP SCHEMA ${schema} CASCADE`);
      await pool.end();
    }
  });

  test("what comes with a lease is current, or is left out, whatever others do while the row is locked", async () => {
    const { connectionString } = server!;
    const pool = new pg.Pool({ connectionString });
    const other = new pg.Client({ connectionString });
    await other.connect();
    const store = postgresStore({ pool, schema });
    const [owner, next] = [`owner = NULL, fence = fence + 1`, `seq = seq + 1`];
    const meanwhile: readonly (readonly [what: string, sql: readonly string[], isFound: boolean])[] = [
      ["nothing", [], true],
      ["a lock", [`SELECT FROM ${schema}.sessions WHERE session_id = $ FOR UPDATE`], true],
      [
        "an input",
        [`INSERT INTO ${schema}.inputs (session_id, id, data, checksum) VALUES ($, 'x', '{}', 1)`],
        true,
      ],
      [
        "a lease, an append and its end",
        [`UPDATE ${schema}.sessions SET ${owner}, ${next} WHERE session_id = $`],
        false,
      ],
      [
        "a lease that takes an input",
        [
          `UPDATE ${schema}.sessions SET ${owner} WHERE session_id = $`,
          `UPDATE ${schema}.inputs SET data = NULL WHERE session_id = $`,
        ],
        false,
      ],
    ];
    try {
      for (const isNew of [true, false])
        for (const [index, [what, sqls, isFound]] of meanwhile.entries()) {
          const id = `${isNew ? "new" : "known"} ${index}`;
          await store.putInput(id, { id: "1", data: {} });
          if (!isNew) {
            const lease = await acquireLease(store, id);
            await store.append(id, batchOf(lease, 0));
            await store.release(lease);
          }
          await other.query("BEGIN");
          await other.query(`SELECT FROM ${schema}.sessions WHERE session_id = '${id}' FOR UPDATE`);
          for (const sql of sqls) await other.query(sql.replaceAll("$", `'${id}'`));
          const acquired = store.acquire(id, { owner: "late", ttlMs: 60_000, inputs: 9 });
          const blocked = async () =>
            (
              await pool.query("SELECT FROM pg_stat_activity WHERE $1::int = ANY (pg_blocking_pids(pid))", [
                (other as pg.Client & { readonly processID: number }).processID,
              ])
            ).rows;
          await expect.poll(blocked).toHaveLength(1);
          await other.query("COMMIT");
          const lease = await acquired;
          expect([what, isNew, lease !== undefined, lease?.found !== undefined]).toEqual([
            what,
            isNew,
            true,
            isFound,
          ]);
        }
    } finally {
      await other.end();
      await store.close();
      await pool.query(`DROP SCHEMA ${schema} CASCADE`);
      await pool.end();
    }
  });

  test("an append that waits for the row ends the lease, although an input has come meanwhile, whose wake-up comes later", async () => {
    const { connectionString } = server!;
    const pool = new pg.Pool({ connectionString });
    const other = new pg.Client({ connectionString });
    await other.connect();
    const store = postgresStore({ pool, schema });
    const told: boolean[] = [];
    const last = { onRelease: (isReleased: boolean) => void told.push(isReleased) };
    const raced = async (id: string, isBefore: boolean): Promise<void> => {
      const lease = await acquireLease(store, id);
      if (isBefore) await store.putInput(id, { id: "1", data: {} });
      await other.query("BEGIN");
      await other.query(`SELECT FROM ${schema}.sessions WHERE session_id = $1 FOR UPDATE`, [id]);
      const appended = store.append(id, batchOf(lease, 0, 1, last));
      const blocked = async () =>
        (
          await pool.query("SELECT FROM pg_stat_activity WHERE $1::int = ANY (pg_blocking_pids(pid))", [
            (other as pg.Client & { readonly processID: number }).processID,
          ])
        ).rows;
      await expect.poll(blocked).toHaveLength(1);
      const values = [id, "2", "{}", 1];
      await other.query(
        `INSERT INTO ${schema}.inputs (session_id, id, data, checksum) VALUES ($1, $2, $3, $4)`,
        values,
      );
      await other.query("COMMIT");
      await appended;
    };
    try {
      await raced("late", false);
      await raced("early", true);
      expect(told).toEqual([true, false]);
      expect((await acquireLease(store, "late", "next")).takeovers).toBe(0);
      expect(await store.acquire("early", { owner: "next", ttlMs: 1_000 })).toBeUndefined();
      expect((await store.listDue({ before: Date.now() })).sessionIds).toEqual([]);
      await store.release(await acquireLease(store, "late", "next"));
      expect((await store.listDue({ before: Date.now() })).sessionIds).toEqual(["late"]);
    } finally {
      await other.end();
      await store.close();
      await pool.query(`DROP SCHEMA ${schema} CASCADE`);
      await pool.end();
    }
  });

  test("an append notifies only of a session that is watched, and of each append of one", async () => {
    const { connectionString } = server!;
    const pool = new pg.Pool({ connectionString });
    const listener = new pg.Client({ connectionString });
    await listener.connect();
    const store = postgresStore({ connectionString, schema });
    const stop = new AbortController();
    let told = 0;
    listener.on("notification", () => void told++);
    const appended = async (id: string, times: number) => {
      const lease = await acquireLease(store, id);
      const { seq = 0 } = (await store.load(id)) ?? {};
      for (let n = 0; n < times; n++) await store.append(id, batchOf(lease, seq + n));
      await store.release(lease);
      await listener.query("SELECT 1"); // what was told has come before its answer
    };
    try {
      const [{ channel }] = (
        await pool.query<{ channel: string }>(`SELECT 'agentchart_' || md5('"${schema}"') AS channel`)
      ).rows as [{ channel: string }];
      await listener.query(`LISTEN ${channel}`);
      await appended("quiet", 5);
      expect(told).toBe(0);
      const seqs = store.watch!("quiet", { signal: stop.signal })[Symbol.asyncIterator]();
      expect(await seqs.next()).toEqual({ done: false, value: 5 });
      for (let seq = 6; seq <= 15; seq++) {
        await appended("quiet", 1);
        expect(await seqs.next()).toEqual({ done: false, value: seq });
      }
      expect(told).toBe(10);
      await appended("other", 3);
      expect(told).toBe(10);
    } finally {
      stop.abort();
      await listener.end();
      await store.close();
      await pool.query(`DROP SCHEMA ${schema} CASCADE`);
      await pool.end();
    }
  });

  test("sessions that are watched and signalled listen to the same channels, however many they are", async () => {
    const { connectionString } = server!;
    const pool = new pg.Pool({ connectionString });
    const store = postgresStore({ connectionString, schema });
    const queue = bullQueue({ postgres: connectionString, name: "listeners" });
    const stop = new AbortController();
    const heard: string[] = [];
    const listening = async (): Promise<readonly string[]> => {
      const { rows } = await pool.query<{ query: string }>(
        "SELECT query FROM pg_stat_activity WHERE datname = current_database() AND query ~ '^(UN)?LISTEN '",
      );
      return rows.map(({ query }) => query).toSorted();
    };
    try {
      const ids = Array.from({ length: 20 }, (_, n) => `watched ${n}`);
      const seen: (readonly string[])[] = [];
      await expect.poll(() => queue.stats()).toMatchObject({ waiting: 0 }); // its tables are made
      for (const id of ids) {
        const lease = await acquireLease(store, id);
        const unsubscribe = await queue.subscribe(id, ({ n }) => heard.push(`${id}: ${String(n)}`));
        const seqs = store.watch!(id, { signal: stop.signal })[Symbol.asyncIterator]();
        const first = seqs.next();
        await store.append(id, batchOf(lease, 0));
        expect(await first).toEqual({ done: false, value: 1 });
        const second = seqs.next();
        await store.append(id, batchOf(lease, 1));
        expect(await second).toEqual({ done: false, value: 2 });
        queue.publish(`another than ${id}`, { n: 0 });
        queue.publish(id, { n: 1 });
        await expect.poll(() => heard).toContain(`${id}: 1`);
        seen.push(await listening());
        unsubscribe();
      }
      expect(heard).toEqual(ids.map((id) => `${id}: 1`));
      // the store and the queue listen to one channel each; on a busy machine a probe of the connection may have come after it
      const statements = new Set(seen.flat());
      expect(statements.size).toBeLessThanOrEqual(2);
      expect([...statements].join()).not.toContain("UNLISTEN");
    } finally {
      stop.abort();
      await queue.close();
      await store.close();
      await pool.query(`DROP SCHEMA ${schema} CASCADE`);
      await pool.end();
    }
  });
});

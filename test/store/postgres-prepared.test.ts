// Statements on Postgres: prepared, bounded, and atomic.
import pg from "pg";
import { afterAll, describe, expect, test, vi } from "vitest";
import { postgresStore } from "../../src/store/postgres.ts";
import { bullQueue } from "../../src/worker/queue/bull.ts";
import { acquireLease, batchOf, collectAll } from "../../src/testing/store-contract-kit.ts";
import { NO_POSTGRES, startPostgres } from "../support/postgres.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

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
      await vi.waitFor(async () => {
        const { rows } = await pool.query(
          "SELECT FROM pg_stat_activity WHERE $1::int = ANY (pg_blocking_pids(pid))",
          [(other as pg.Client & { readonly processID: number }).processID],
        );
        expect(rows).toHaveLength(1);
      });
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

  test("sessions that are watched and signalled listen to the same channels, however many they are", async () => {
    const { connectionString } = server!;
    const pool = new pg.Pool({ connectionString });
    const store = postgresStore({ connectionString, schema });
    const queue = bullQueue({ postgres: connectionString, name: "listeners" });
    const stop = new AbortController();
    const heard: string[] = [];
    const listening = async (): Promise<readonly string[]> => {
      const { rows } = await pool.query<{ query: string }>(
        "SELECT query FROM pg_stat_activity WHERE datname = current_database() AND query ~ '^(UN)?LISTEN agentchart_'",
      );
      return rows.map(({ query }) => query).toSorted();
    };
    try {
      const ids = Array.from({ length: 20 }, (_, n) => `watched ${n}`);
      const seen: (readonly string[])[] = [];
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
        await vi.waitFor(() => expect(heard).toContain(`${id}: 1`));
        seen.push(await listening());
        unsubscribe();
      }
      expect(heard).toEqual(ids.map((id) => `${id}: 1`));
      // the listening connection of the store and that of the queue have run nothing since their first statement
      expect(new Set(seen.map((queries) => queries.join()))).toEqual(new Set([seen[0]!.join()]));
      expect(seen[0]).toHaveLength(2);
    } finally {
      stop.abort();
      await queue.close();
      await store.close();
      await pool.query(`DROP SCHEMA ${schema} CASCADE`);
      await pool.end();
    }
  });
});

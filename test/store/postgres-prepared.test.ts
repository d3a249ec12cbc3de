import pg from "pg";
import { afterAll, describe, expect, test, vi } from "vitest";
import { postgresStore } from "../../src/store/postgres.ts";
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
});

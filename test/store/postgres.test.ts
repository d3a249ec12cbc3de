// The contract of stores, on Postgres.
import pg from "pg";
import { afterAll, describe, test } from "vitest";
import { postgresStore } from "../../src/store/postgres.ts";
import { storeContract } from "../../src/testing/store-contract.ts";
import { expectLabelsKept } from "../inspect/hub/labels-law.ts";
import { NO_POSTGRES, startPostgres } from "../support/postgres.ts";

const server = await startPostgres();
const schema = "agentchart_contract";

if (server) {
  const pool = new pg.Pool({ connectionString: server.connectionString });
  afterAll(async () => {
    await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await pool.end();
    await server.stop();
  });
  const empty = `${[
    ...["sessions", "checkpoints", "entries", "inputs"],
    ...["search_sessions", "search_labels", "search_texts"],
  ]
    .map((table) => `DELETE FROM ${schema}.${table}`)
    .join(";")}; UPDATE ${schema}.last_fence SET value = 0`;
  storeContract(
    "Postgres",
    () => ({
      open: (options) => postgresStore({ ...options, pool, schema }),
      dispose: async () => void (await pool.query(empty)),
    }),
    { describe, test },
  );

  test("labels of people are all kept when many give them at once", async () => {
    await pool.query(empty);
    const store = () => postgresStore({ pool, schema });
    await expectLabelsKept([store(), store()]);
    await pool.query(empty);
  });
} else {
  test.skip(`the contract on Postgres (${NO_POSTGRES})`, () => {});
}

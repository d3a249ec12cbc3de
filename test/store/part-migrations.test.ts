// Versions of the tables of memories and knowledge, beside those of sessions in the same database.
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { postgresKnowledge, sqliteKnowledge } from "agentchart/knowledge";
import { postgresMemory, sqliteMemory } from "agentchart/memory";
import { postgresStore } from "agentchart/store/postgres";
import { sqliteStore } from "agentchart/store/sqlite";
import { PostgresTables } from "../../src/store/sql/postgres.ts";
import { NO_POSTGRES, startPostgres } from "../support/postgres.ts";
import { scratch } from "./scratch.ts";

type Part = { readonly use: () => Promise<unknown>; readonly close: () => Promise<void> };

const memoryPart = (store: ReturnType<typeof sqliteMemory>): Part => ({
  use: async () => {
    await store.put("a", [{ text: "tea" }]);
    expect(await store.search("a", { text: "tea", limit: 1 })).toHaveLength(1);
  },
  close: () => store.close(),
});
const knowledgePart = (store: ReturnType<typeof sqliteKnowledge>): Part => ({
  use: async () => {
    await store.put("faq.md", [{ text: "tea" }]);
    expect(await store.search({ text: "tea", limit: 1 })).toHaveLength(1);
  },
  close: () => store.close(),
});

/** Opens a part, uses it and closes it. */
async function used(part: Part): Promise<void> {
  try {
    await part.use();
  } finally {
    await part.close();
  }
}

test("one SQLite file has sessions, memories and knowledge, each with a version of its own", async () => {
  const { dir, remove } = scratch();
  onTestFinished(remove);
  const path = join(dir, "all.db");
  const parts = {
    memory: () => memoryPart(sqliteMemory({ path })),
    knowledge: () => knowledgePart(sqliteKnowledge({ path })),
  };
  for (let round = 0; round < 2; round++) {
    const sessions = sqliteStore({ path });
    expect(await sessions.acquire("s", { owner: "anna", ttlMs: 1 })).toBeDefined();
    await sessions.close();
    for (const open of Object.values(parts)) await used(open());
  }
  for (const [name, open] of Object.entries(parts)) {
    const db = new DatabaseSync(path);
    db.exec(`INSERT INTO ${name}_migrations VALUES (99)`);
    db.close();
    await expect(used(open())).rejects.toMatchObject({ code: "session/version" });
  }
  const sessions = sqliteStore({ path });
  expect(await sessions.acquire("s2", { owner: "anna", ttlMs: 1 })).toBeDefined();
  await sessions.close();
});

const server = await startPostgres();
afterAll(() => server?.stop());
test.skipIf(!server)(
  `one schema of Postgres has all of them, and its tables need no right to create${server ? "" : ` (${NO_POSTGRES})`}`,
  async () => {
    const { connectionString } = server!;
    const schema = `parts_${randomUUID().slice(0, 8)}`;
    const client = new pg.Client({ connectionString });
    await client.connect();
    onTestFinished(() => client.end());
    const partsFor = (url: string) => {
      const options = { connectionString: url, schema };
      return {
        memory: () => memoryPart(postgresMemory(options)),
        knowledge: () => knowledgePart(postgresKnowledge(options)),
      };
    };
    const sessions = postgresStore({ connectionString, schema });
    expect(await sessions.acquire("s", { owner: "anna", ttlMs: 1 })).toBeDefined();
    await sessions.close();
    for (const open of Object.values(partsFor(connectionString))) await used(open());

    const guest = `guest_${schema}`;
    await client.query(`CREATE ROLE ${guest} LOGIN PASSWORD 'guest'; GRANT USAGE ON SCHEMA ${schema} TO ${guest};
      GRANT ALL ON ALL TABLES IN SCHEMA ${schema} TO ${guest}; GRANT ALL ON ALL SEQUENCES IN SCHEMA ${schema} TO ${guest}`);
    const url = new URL(connectionString);
    [url.username, url.password] = [guest, "guest"];
    for (const open of Object.values(partsFor(url.href))) await used(open());

    for (const [name, open] of Object.entries(partsFor(connectionString))) {
      await client.query(`INSERT INTO ${schema}.${name}_migrations (version) VALUES (99)`);
      await expect(used(open())).rejects.toMatchObject({ code: "session/version" });
    }
    await client.query(`DROP SCHEMA ${schema} CASCADE; DROP ROLE ${guest}`);
  },
);

test("tables in Postgres that were closed are not opened again", async () => {
  let opened = 0;
  const connection = { connectionString: "postgres://localhost:1/none" };
  const tables = new PostgresTables(connection, "a test", async () => void opened++);
  await tables.run("look", async () => {});
  await tables.close();
  await expect(tables.run("look", async () => {})).rejects.toMatchObject({ code: "store/failed" });
  expect(opened).toBe(1);
});

test("the connections to a Postgres whose tables cannot be made are ended, unless they are the caller's", async () => {
  const connectionString = "postgres://localhost:1/none";
  const own = new pg.Pool({ connectionString });
  for (const connection of [{ connectionString }, { pool: own }]) {
    const pools: pg.Pool[] = [];
    const tables = new PostgresTables(connection, "a test", async (pool) => {
      pools.push(pool);
      throw new Error("no right");
    });
    for (let attempt = 0; attempt < 2; attempt++)
      await expect(tables.run("look", async () => {})).rejects.toMatchObject({ code: "store/failed" });
    await tables.close();
    expect(pools.map(({ ended }) => ended)).toEqual(pools.map((pool) => pool !== own));
    expect(pools).toHaveLength(2);
  }
  await own.end();
});

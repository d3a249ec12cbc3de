// The contract of stores of memories, in memory, SQLite and Postgres.
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { memoryMemory, postgresMemory, sqliteMemory, type MemoryStore } from "agentchart/memory";
import { memoryContract } from "agentchart/testing";
import { NO_POSTGRES, startPostgres } from "../../support/postgres.ts";

memoryContract(
  "in memory",
  () => {
    let shared: MemoryStore | undefined;
    return { open: (options) => (shared ??= memoryMemory(options)) };
  },
  { describe, test, vectors: true },
);

memoryContract(
  "in SQLite",
  () => {
    const dir = mkdtempSync(join(tmpdir(), "agentchart-memory-"));
    return {
      open: (options) => sqliteMemory({ ...options, path: join(dir, "of/memory.db") }),
      dispose: async () => rmSync(dir, { recursive: true }),
    };
  },
  { describe, test, vectors: true },
);

const server = await startPostgres();
afterAll(() => server?.stop());
if (server) {
  const { connectionString } = server;
  memoryContract(
    "in Postgres",
    () => {
      const schema = `m_${randomUUID().replaceAll("-", "")}`;
      return { open: (options) => postgresMemory({ ...options, connectionString, schema }) };
    },
    { describe, test, vectors: true },
  );

  test("processes make the same schema in Postgres at once", async () => {
    const schema = `m_${randomUUID().replaceAll("-", "")}`;
    const stores = Array.from({ length: 4 }, () => postgresMemory({ connectionString, schema }));
    await Promise.all(stores.map((store, index) => store.put("acme/ada", [{ text: `fact ${index}` }])));
    expect((await stores[0]!.list("acme/ada")).memories).toHaveLength(4);
    await Promise.all(stores.map((store) => store.close()));
  });
} else test.skip(`in Postgres (${NO_POSTGRES})`, () => {});

describe("a store of memories", () => {
  test("in SQLite that was made without vectors takes them, and keeps what it has", async () => {
    const dir = mkdtempSync(join(tmpdir(), "agentchart-memory-"));
    const path = join(dir, "memory.db");
    const before = new DatabaseSync(path);
    before.exec(`CREATE TABLE memories (scope text NOT NULL, id text NOT NULL, batch text, text text NOT NULL,
      at double precision NOT NULL, expires_at double precision, meta text NOT NULL, PRIMARY KEY (scope, id)) WITHOUT ROWID;
      INSERT INTO memories VALUES ('a', '1', NULL, 'tea', 1, NULL, '{}')`);
    before.close();
    const store = sqliteMemory({ path });
    onTestFinished(() => store.close());
    const by = { name: "compass", dimensions: 2 };
    await store.put("a", [{ text: "milk", vector: Float32Array.of(1, 0) }], { embedder: by });
    const query = { text: "tea", limit: 5, embedding: { by, vector: Float32Array.of(1, 0) } };
    const texts = (await store.search("a", query)).map(({ text }) => text);
    expect(texts.toSorted()).toEqual(["milk", "tea"]);
  });

  test("in SQLite is readable by its user only", async () => {
    const dir = mkdtempSync(join(tmpdir(), "agentchart-memory-"));
    const path = join(dir, "memory.db");
    const store = sqliteMemory({ path });
    await store.put("a", [{ text: "secret" }]);
    await store.close();
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test("whose storage fails rejects store/failed", async () => {
    const dir = mkdtempSync(join(tmpdir(), "agentchart-memory-"));
    const path = join(dir, "memory.db");
    writeFileSync(path, "This is not a database.".repeat(99));
    await expect(sqliteMemory({ path }).list("a")).rejects.toMatchObject({ code: "store/failed" });
    const nowhere = postgresMemory({ connectionString: "postgres://127.0.0.1:9/none" });
    await expect(nowhere.list("a")).rejects.toMatchObject({ code: "store/failed" });
    const closed = memoryMemory();
    await closed.close();
    await expect(closed.list("a")).rejects.toMatchObject({ code: "store/failed" });
  });

  test("refuses memories and cursors of another shape", async () => {
    const store = memoryMemory();
    onTestFinished(() => store.close());
    await expect(store.put("a", ["tea"] as never)).rejects.toMatchObject({ code: "config/invalid" });
    await expect(store.put("a", [{ text: "" }])).rejects.toMatchObject({ code: "config/invalid" });
    await expect(store.list("a", { cursor: "next" })).rejects.toMatchObject({ code: "config/invalid" });
    for (const limit of [-1, 1.5, NaN, Infinity, "1"] as number[]) {
      await expect(store.list("a", { limit })).rejects.toMatchObject({ code: "config/invalid" });
      await expect(store.search("a", { text: "tea", limit })).rejects.toMatchObject({
        code: "config/invalid",
      });
    }
  });
});

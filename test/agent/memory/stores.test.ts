import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
  { describe, test },
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
  { describe, test },
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
    { describe, test },
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
  test("in SQLite is readable by its user only", async () => {
    const dir = mkdtempSync(join(tmpdir(), "agentchart-memory-"));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    const path = join(dir, "memory.db");
    const store = sqliteMemory({ path });
    await store.put("a", [{ text: "secret" }]);
    await store.close();
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test("whose storage fails rejects store/failed", async () => {
    const dir = mkdtempSync(join(tmpdir(), "agentchart-memory-"));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    const path = join(dir, "memory.db");
    writeFileSync(path, "This is no database.".repeat(99));
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
  });
});

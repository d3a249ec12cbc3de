// The contract of stores of knowledge, in memory, SQLite and Postgres.
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import {
  memoryKnowledge,
  postgresKnowledge,
  sqliteKnowledge,
  type KnowledgeStore,
} from "agentchart/knowledge";
import { hashingEmbedder, knowledgeContract } from "agentchart/testing";
import { NO_POSTGRES, startPostgres } from "../../support/postgres.ts";

const inFile = (more: object) => () => {
  const dir = mkdtempSync(join(tmpdir(), "agentchart-knowledge-"));
  return {
    open: (options: { readonly now: () => number }) =>
      sqliteKnowledge({ ...options, ...more, path: join(dir, "of/knowledge.db") }),
    dispose: async () => rmSync(dir, { recursive: true }),
  };
};

knowledgeContract(
  "in memory",
  () => {
    let shared: KnowledgeStore | undefined;
    return { open: (options) => (shared ??= memoryKnowledge(options)) };
  },
  { describe, test },
);
knowledgeContract("in SQLite", inFile({}), { describe, test });
knowledgeContract("in SQLite with sqlite-vec", inFile({ maxInMemory: 0 }), { describe, test });

const server = await startPostgres();
afterAll(() => server?.stop());
if (server) {
  const { connectionString } = server;
  for (const [name, more] of [
    ["in Postgres", {}],
    ["in Postgres without room for vectors", { maxInMemory: 0 }],
  ] as const)
    knowledgeContract(
      name,
      () => {
        const schema = `k_${randomUUID().replaceAll("-", "")}`;
        return { open: (options) => postgresKnowledge({ ...options, ...more, connectionString, schema }) };
      },
      { describe, test },
    );

  test("processes make the same schema in Postgres at once", async () => {
    const schema = `k_${randomUUID().replaceAll("-", "")}`;
    const stores = Array.from({ length: 4 }, () => postgresKnowledge({ connectionString, schema }));
    await Promise.all(stores.map((store, index) => store.put(`doc ${index}`, [{ text: "tea" }])));
    expect((await stores[0]!.documents()).documents).toHaveLength(4);
    await Promise.all(stores.map((store) => store.close()));
  });
} else test.skip(`in Postgres (${NO_POSTGRES})`, () => {});

describe("a store of knowledge", () => {
  const folder = (): string => {
    const dir = mkdtempSync(join(tmpdir(), "agentchart-knowledge-"));
    return dir;
  };

  test("in SQLite is readable by its user only", async () => {
    const path = join(folder(), "knowledge.db");
    const store = sqliteKnowledge({ path });
    await store.put("a", [{ text: "secret" }]);
    await store.close();
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test("whose storage fails rejects store/failed", async () => {
    const path = join(folder(), "knowledge.db");
    writeFileSync(path, "This is not a database.".repeat(99));
    const failed = { code: "store/failed" };
    await expect(sqliteKnowledge({ path }).documents()).rejects.toMatchObject(failed);
    const nowhere = postgresKnowledge({ connectionString: "postgres://127.0.0.1:9/none" });
    await expect(nowhere.documents()).rejects.toMatchObject(failed);
    const closed = memoryKnowledge();
    await closed.close();
    await expect(closed.documents()).rejects.toMatchObject(failed);
  });

  test("finds the same with vectors in memory and by sqlite-vec", async () => {
    const path = join(folder(), "knowledge.db");
    const [inMemory, native] = [sqliteKnowledge({ path }), sqliteKnowledge({ path, maxInMemory: 10 })];
    onTestFinished(async () => void (await Promise.all([inMemory.close(), native.close()])));
    const embedder = hashingEmbedder(64);
    const signal = new AbortController().signal;
    const texts = Array.from(
      { length: 300 },
      (_, n) => `Order ${n} of ${n % 7} ${"tea milk bread".split(" ")[n % 3]!}`,
    );
    const made = await embedder.embed(texts, { signal, kind: "document" });
    await inMemory.put(
      "orders",
      texts.map((text, n) => ({ text, vector: made[n]! })),
      { embedder },
    );
    for (const text of ["order 42 tea", "milk", "bread 299"]) {
      const [vector] = await embedder.embed([text], { signal, kind: "query" });
      const query = { text: "", limit: 8, embedding: { by: embedder, vector: vector! } };
      const scores = async (store: KnowledgeStore) =>
        (await store.search(query)).map(({ score }) => score.toFixed(4));
      expect(await scores(native)).toEqual(await scores(inMemory));
    }
  });
});

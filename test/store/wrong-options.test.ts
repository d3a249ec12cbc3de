// Wrong options of stores.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fileStore } from "agentchart/store/file";
import { memoryStore } from "agentchart/store/memory";
import { partitionedStore } from "agentchart/store/partitioned";
import { sqliteStore } from "agentchart/store/sqlite";

const folder = mkdtempSync(join(tmpdir(), "agentchart-wrong-"));
const lease = { owner: "me", ttlMs: 1_000 };

test.each([
  [
    () => fileStore("./s" as never),
    'fileStore: The argument is "./s"; expected options, such as { dir: "./sessions" }.',
  ],
  [() => fileStore({ path: "./s" } as never), "fileStore: `path` is not an option; there are dir, fsync, "],
  [
    () => sqliteStore("./s" as never),
    'sqliteStore: The argument is "./s"; expected options, such as { path: ',
  ],
  [
    () => sqliteStore({ file: "./s" } as never),
    "sqliteStore: `file` is not an option; there are path, fsync, ",
  ],
  [
    () => sqliteStore({} as never),
    "sqliteStore: `path` is missing; expected the path of a file, or :memory:.",
  ],
])("a store says which option is wrong: %#", (make, message) => {
  expect(make).toThrow(message);
});

test("the error for a file that is not a database says so", async () => {
  const path = join(folder, "notes.txt");
  writeFileSync(path, "only a text. ".repeat(100));
  const store = sqliteStore({ path });
  await expect(store.acquire("s", lease)).rejects.toMatchObject({
    code: "session/damaged",
    message: "The file is not a SQLite database, or its beginning is damaged.",
  });
  await store.close();
});

test("the error for a file in place of the store's folder says so", async () => {
  const dir = join(folder, "file");
  writeFileSync(dir, "");
  const store = fileStore({ dir });
  await expect(store.acquire("s", lease)).rejects.toMatchObject({
    code: "store/failed",
    message: expect.stringMatching(/\((ENOTDIR|EEXIST): a file is where the folder should be\)\.$/),
  });
  await store.close();
});

test.each([
  ["memory", () => memoryStore()],
  ["files", () => fileStore({ dir: join(folder, "none") })],
  ["SQLite", () => sqliteStore({ path: ":memory:" })],
  ["a partition", () => partitionedStore([{ store: memoryStore(), upTo: 0xffffffff }])],
] as const)("a page of no sessions has no cursor, in %s", async (_, open) => {
  const store = open();
  const { fence } = (await store.acquire("s", lease))!;
  await store.append("s", { expectedSeq: 0, fence, entries: [], position: { phase: "running" } });
  await store.release({ sessionId: "s", owner: "me", fence, expiresAt: 0, takeovers: 0 });
  expect(await store.list({ limit: 0 })).toEqual({ sessions: [] });
  expect(await store.listDue({ before: Date.now(), limit: 0 })).toEqual({ sessionIds: [] });
  expect(await store.search!({ limit: 0 })).toEqual({ sessions: [], total: 1 });
  const invalid = { code: "config/invalid" };
  for (const limit of [-1, 1.5, NaN, Infinity, "1"] as number[]) {
    await expect(store.list({ limit })).rejects.toMatchObject(invalid);
    await expect(store.listDue({ before: Date.now(), limit })).rejects.toMatchObject(invalid);
    await expect(store.search!({ limit })).rejects.toMatchObject(invalid);
  }
  await store.close();
});

test("a folder whose name can be none blocks no other store", async () => {
  const wrong = fileStore({ dir: "no\0name", timeoutMs: 1_000 });
  for (let n = 0; n < 8; n++)
    await expect(wrong.acquire("s", lease)).rejects.toMatchObject({
      code: "store/failed",
      data: { code: "ERR_INVALID_ARG_VALUE" },
    });
  const store = fileStore({ dir: join(folder, "right"), timeoutMs: 1_000 });
  expect(await store.acquire("s", lease)).toMatchObject({ fence: 1 });
  await store.close();
});

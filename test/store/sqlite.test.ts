// The contract of stores, on SQLite.
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { SqliteStatements } from "../../src/store/sql/sqlite.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import { storeContract } from "../../src/testing/store-contract.ts";
import { scratch } from "./scratch.ts";

storeContract(
  "SQLite",
  () => {
    const { dir, remove } = scratch();
    const path = join(dir, "new folder", "sessions.db");
    return { open: (options) => sqliteStore({ ...options, path, watchEveryMs: 5 }), dispose: remove };
  },
  { describe, test },
);

test("the files of a new database are for their user only, also in a folder that was there", async () => {
  const { dir, remove } = scratch();
  onTestFinished(remove);
  const former = process.umask(0o022);
  onTestFinished(() => void process.umask(former));
  const store = sqliteStore({ path: join(dir, "s.db") });
  onTestFinished(() => store.close());
  await store.putInput("s", { id: "1", data: {} });
  const modes = readdirSync(dir).map((name) => [name, statSync(join(dir, name)).mode & 0o777]);
  expect(modes).toEqual(["s.db", "s.db-shm", "s.db-wal"].map((name) => [name, 0o600]));
});

test("a file that was there keeps its mode", async () => {
  const { dir, remove } = scratch();
  onTestFinished(remove);
  const path = join(dir, "s.db");
  writeFileSync(path, "", { mode: 0o640 });
  const store = sqliteStore({ path });
  await store.list();
  await store.close();
  expect(statSync(path).mode & 0o777).toBe(0o640);
});

test("a database forgets statements that it was given long ago, and not those of one store", () => {
  const db = new DatabaseSync(":memory:");
  const prepare = vi.spyOn(db, "prepare");
  const statements = new SqliteStatements();
  const run = (n: number) => statements.all(db, `SELECT ${n} AS n WHERE $1 = 1`, [1]);
  for (let n = 0; n < 100; n++) run(n);
  expect(run(0)).toEqual([{ n: 0 }]);
  expect(prepare).toHaveBeenCalledTimes(100);
  for (let n = 100; n < 1_000; n++) run(n);
  expect(run(0)).toEqual([{ n: 0 }]);
  expect(prepare).toHaveBeenCalledTimes(1_001);
  db.close();
});

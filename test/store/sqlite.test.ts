// The contract of stores, on SQLite.
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
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

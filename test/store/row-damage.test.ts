// Damage of rows is named, and what is before it is read.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { sqliteStore } from "../../src/store/sqlite.ts";
import { acquireLease, batchOf, collectAll } from "../../src/testing/store-contract-kit.ts";
import { scratch } from "./scratch.ts";

/** A session `s` of four entries, of which `sql` changes rows. */
async function damagedBy(sql: string) {
  const { dir, remove } = scratch();
  const path = join(dir, "s.db");
  const store = sqliteStore({ path });
  onTestFinished(async () => {
    await store.close();
    remove();
  });
  const lease = await acquireLease(store, "s");
  await store.append("s", batchOf(lease, 0, 2, { checkpoint: { c: 1 } }));
  await store.append("s", batchOf(lease, 2, 2));
  await store.release(lease);
  const db = new DatabaseSync(path);
  db.exec(sql);
  db.close();
  return store;
}

test("G2 a changed entry is named, and the entries before it are read", async () => {
  const store = await damagedBy(`UPDATE entries SET entry = replace(entry, '"n":3', '"n":9') WHERE seq = 4`);
  expect((await store.load("s"))?.seq).toBe(4);
  const seqs: number[] = [];
  const reading = (async () => {
    for await (const { seq } of store.read("s")) seqs.push(seq);
  })();
  await expect(reading).rejects.toMatchObject({
    code: "session/damaged",
    message: "Session 's' is damaged: entry 3 is not what was written.",
  });
  expect(seqs).toEqual([1, 2]);
});

test("G2 a missing end is found by a load, by a read and by a read of nothing but the end", async () => {
  const store = await damagedBy("DELETE FROM entries WHERE seq = 4");
  for (const attempt of [
    store.load("s"),
    collectAll(store.read("s")),
    collectAll(store.read("s", { after: 3 })),
  ])
    await expect(attempt).rejects.toMatchObject({ code: "session/damaged" });
});

test("G1 a checkpoint of another session is refused", async () => {
  const store = await damagedBy(`UPDATE checkpoints SET data = '{"c":2}'`);
  await expect(store.load("s")).rejects.toMatchObject({
    message: "Session 's' is damaged: its checkpoint is not what was written.",
  });
});

test("G3 entries whose checksums are gone are refused", async () => {
  const store = await damagedBy("UPDATE entries SET checksum = NULL WHERE seq < 3");
  await expect(collectAll(store.read("s"))).rejects.toMatchObject({ code: "session/damaged" });
});

test("a session whose state is damaged is listed as quarantined, and no longer as due once it was loaded", async () => {
  const store = await damagedBy(`UPDATE sessions SET position = replace(position, '4', '5')`);
  expect((await store.list()).sessions).toMatchObject([{ sessionId: "s", phase: "quarantined" }]);
  await expect(store.load("s")).rejects.toMatchObject({ code: "session/damaged" });
  expect((await store.listDue({ before: 0 })).sessionIds).toEqual([]);
  expect((await store.list({ phase: "quarantined" })).sessions).toHaveLength(1);
});

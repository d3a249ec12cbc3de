// Writers that overtake each other.
import fs, { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { fileStore } from "../../src/store/file.ts";
import { acquireLease, batchOf, collectAll, entryOf } from "../../src/testing/store-contract-kit.ts";
import { scratch } from "./scratch.ts";

test("an append that another process has overtaken is made after a random pause, as two that try at once overtake each other for ever", async () => {
  const { dir, remove } = scratch();
  onTestFinished(remove);
  onTestFinished(() => void vi.restoreAllMocks());
  const store = fileStore({ dir });
  const lease = await acquireLease(store, "s");
  await store.append("s", batchOf(lease, 0));
  const journal = join(dir, "s", "journal.ndjson");
  const [stale] = readFileSync(journal, "utf8").split("\n");
  const random = vi.spyOn(Math, "random").mockReturnValue(0.5);
  const write = fs.write as unknown as (...args: readonly unknown[]) => void;
  let overtaken = 0;
  vi.spyOn(fs, "write").mockImplementation(((...args: readonly unknown[]) => {
    if (random.mock.calls.length < 2 && overtaken++ < 100) appendFileSync(journal, `${stale}\n`);
    write(...args);
  }) as unknown as typeof fs.write);
  expect(await store.append("s", batchOf(lease, 1))).toBe(2);
  expect(overtaken).toBe(3); // the first time the journal was kept, and is opened again
  vi.restoreAllMocks();
  expect(await collectAll(store.read("s"))).toEqual([entryOf(1), entryOf(2)]);
  await store.close();
});

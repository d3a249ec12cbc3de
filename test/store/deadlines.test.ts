// Deadlines of operations of a store.
import { expect, test, vi } from "vitest";
import type { SessionStore } from "agentchart";
import { withDeadlines } from "../../src/store/deadlines.ts";
import { retryingStore } from "../../src/store/retrying.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import { acquireLease, batchOf } from "../../src/testing/store-contract-kit.ts";

const never = (): Promise<never> => new Promise<never>(() => {});

test("an append of SQLite has written when it returns, and no timer watches it", async () => {
  const store = withDeadlines(sqliteStore({ path: ":memory:" }));
  const lease = await acquireLease(store, "s");
  const timer = vi.spyOn(globalThis, "setTimeout");
  expect(await store.append("s", batchOf(lease, 0))).toBe(1);
  expect(timer).not.toHaveBeenCalled();
  timer.mockRestore();
  await store.close();
});

test("an append that replaces that of a store is watched", async () => {
  const inner = sqliteStore({ path: ":memory:" });
  const store: SessionStore = { ...inner, timeoutMs: 20, append: never };
  const bounded = withDeadlines(store);
  const lease = await acquireLease(bounded, "s");
  await expect(bounded.append("s", batchOf(lease, 0))).rejects.toMatchObject({
    code: "store/failed",
    data: { operation: "append", timeoutMs: 20 },
  });
  await inner.close();
});

test("a store in another one has each of its members", async () => {
  const bare = sqliteStore({ path: ":memory:" });
  const store: SessionStore = { ...bare, acquiresIfReady: true, offerInput: never, timeoutMs: 20 };
  const members = Object.keys(store).toSorted();
  expect(Object.keys(withDeadlines(store)).toSorted()).toEqual(members);
  expect(Object.keys(retryingStore(store, { timeoutMs: 20 })).toSorted()).toEqual(members);
  await bare.close();
});

import assert from "node:assert/strict";
import type { SessionStore } from "../store/port.ts";
import { importSession } from "../store/transfer.ts";
import { rejectsWith } from "./contract.ts";
import {
  acquireLease,
  batchOf,
  collectAll,
  createSession,
  viewOf,
  type StoreContractTests,
} from "./store-contract-kit.ts";

const DAY_MS = 86_400_000;

async function idsOf(store: SessionStore): Promise<readonly string[]> {
  return (await store.list()).sessions.map(({ sessionId }) => sessionId);
}

/** Tests of `prune`. */
export const pruneTests: StoreContractTests = {
  "prune deletes the sessions that have been stopped for long, and no others": async ({
    store,
    open,
    clock,
  }) => {
    for (const phase of ["stopped", "suspended", "running", "unfinished", "quarantined"])
      await createSession(store, `old ${phase}`, { phase });
    await createSession(store, "old stopped too");
    clock.now += 30 * DAY_MS;
    await createSession(store, "new stopped");
    clock.now += DAY_MS;
    const seen: string[] = [];
    const report = await (
      await open()
    ).prune({ olderThan: 2 * DAY_MS, onSession: ({ sessionId }) => void seen.push(sessionId) });
    assert.deepEqual(report, { pruned: 2, kept: 0 });
    assert.deepEqual(seen, ["old stopped", "old stopped too"]);
    assert.deepEqual(await idsOf(store), [
      "new stopped",
      "old quarantined",
      "old running",
      "old suspended",
      "old unfinished",
    ]);
    assert.deepEqual(await store.prune({ olderThan: 2 * DAY_MS }), { pruned: 0, kept: 0 });
  },
  "prune keeps a session that another process has taken while its archive was written": async ({
    store,
    clock,
  }) => {
    await createSession(store, "s");
    clock.now += DAY_MS;
    const archive = async (): Promise<void> => {
      clock.now += 60_000; // the lease ends
      const lease = await acquireLease(store, "s", "ben");
      await store.append("s", batchOf(lease, 1, 1, { position: { phase: "stopped" } }));
      await store.release(lease);
    };
    assert.deepEqual(await store.prune({ olderThan: 1_000, archive }), { pruned: 0, kept: 1 });
    assert.equal((await store.load("s"))?.seq, 2);
  },
  "prune keeps a session that another process holds, and one with a waiting input": async ({
    store,
    clock,
  }) => {
    for (const id of ["free", "held", "waiting", "processed"]) {
      const lease = await createSession(store, id);
      if (id === "waiting" || id === "processed") await store.putInput(id, { id: "1", data: {} });
      if (id === "processed")
        await store.append(id, batchOf(lease, 1, 1, { position: { phase: "stopped" }, ackInputs: ["1"] }));
      await store.release(lease);
    }
    clock.now += DAY_MS;
    const lease = await acquireLease(store, "held", "ben");
    if (store.holder)
      assert.deepEqual(await store.prune({ olderThan: 1, dryRun: true }), { pruned: 2, kept: 2 });
    assert.deepEqual(await store.prune({ olderThan: 1 }), { pruned: 2, kept: 2 });
    assert.deepEqual(await idsOf(store), ["held", "waiting"]);
    assert.equal(await store.append("held", batchOf(lease, 1)), 2);
    assert.deepEqual(await store.takeInputs("waiting", 9), [{ id: "1", data: {} }]);
  },
  "prune goes through all pages, and only through sessions that fit its filter": async ({ store, clock }) => {
    for (let n = 0; n < 120; n++)
      await createSession(store, `a${n}`, { phase: "stopped", meta: { tenant: n % 2 === 0 ? "x" : "y" } });
    await createSession(store, "b", { phase: "stopped", meta: { tenant: "x" } });
    clock.now += DAY_MS;
    const filter = { olderThan: 1, prefix: "a", meta: { tenant: "x" } };
    assert.deepEqual(await store.prune({ ...filter, dryRun: true }), { pruned: 60, kept: 0 });
    assert.deepEqual(await store.prune(filter), { pruned: 60, kept: 0 });
    assert.equal((await store.list({ limit: 500 })).sessions.length, 61);
  },
  "prune with dryRun calls onSession and changes nothing": async ({ store, clock }) => {
    await store.release(await createSession(store, "s"));
    clock.now += DAY_MS;
    const before = await viewOf(store, "s");
    const seen: string[] = [];
    const onSession = ({ sessionId }: { readonly sessionId: string }) => void seen.push(sessionId);
    const archive = () => Promise.reject(new Error("not called"));
    assert.deepEqual(await store.prune({ olderThan: 1, dryRun: true, onSession, archive }), {
      pruned: 1,
      kept: 0,
    });
    assert.deepEqual(seen, ["s"]);
    assert.deepEqual(await viewOf(store, "s"), before);
    await acquireLease(store, "s", "ben"); // nobody has it
  },
  "prune archives what importSession restores, secrets included, before it deletes": async ({
    store,
    open,
    clock,
  }) => {
    const lease = await acquireLease(store, "s");
    const [first, ...rest] = batchOf(lease, 0, 3).entries;
    const entries = [{ ...first!, data: { password: "hunter2" } }, ...rest];
    const position = { phase: "stopped", meta: { tenant: "x" } };
    await store.append("s", {
      expectedSeq: 0,
      fence: lease.fence,
      entries,
      position,
      checkpoint: { c: 1 },
    });
    await store.release(lease);
    clock.now += DAY_MS;
    const before = await store.load("s");
    const archived: string[] = [];
    const archive = async (_: unknown, lines: AsyncIterable<string>) => {
      archived.push(...(await collectAll(lines)));
      assert.deepEqual(await store.load("s"), before);
    };
    assert.deepEqual(await store.prune({ olderThan: 1, archive }), { pruned: 1, kept: 0 });
    assert.equal(await store.load("s"), undefined);
    assert.equal(await importSession(await open(), archived), "s");
    assert.deepEqual(await store.load("s"), before);
    assert.deepEqual(await collectAll(store.read("s")), entries);
  },
  "prune rejects if an archive fails, and keeps the session": async ({ store, clock }) => {
    for (const id of ["s1", "s2", "s3"]) await store.release(await createSession(store, id));
    clock.now += DAY_MS;
    const archive = async ({ sessionId }: { readonly sessionId: string }) => {
      if (sessionId === "s2") throw new Error("the disk is full");
    };
    await assert.rejects(store.prune({ olderThan: 1, archive }), /the disk is full/u);
    assert.deepEqual(await idsOf(store), ["s2", "s3"]);
    assert.ok(await acquireLease(store, "s2", "ben"));
  },
  "prune loses no input that comes while it archives": async ({ store, open, clock }) => {
    const lease = await createSession(store, "s");
    await store.putInput("s", { id: "old", data: {} });
    await store.append("s", batchOf(lease, 1, 1, { position: { phase: "stopped" }, ackInputs: ["old"] }));
    await store.release(lease);
    clock.now += DAY_MS;
    const other = await open();
    const archive = async () => void (await other.putInput("s", { id: "late", data: { n: 1 } }));
    await store.prune({ olderThan: 1, archive });
    assert.equal(await store.load("s"), undefined);
    assert.deepEqual(await store.takeInputs("s", 9), [{ id: "late", data: { n: 1 } }]);
    assert.equal(await other.putInput("s", { id: "late", data: {} }), "duplicate");
    assert.deepEqual((await store.listDue({ before: clock.now })).sessionIds, ["s"]);
  },
  "prune ends when its signal aborts, and refuses options without olderThan": async ({ store, clock }) => {
    for (const id of ["s1", "s2"]) await store.release(await createSession(store, id));
    clock.now += DAY_MS;
    const stop = new AbortController();
    const onSession = () => stop.abort();
    assert.deepEqual(await store.prune({ olderThan: 1, onSession, signal: stop.signal }), {
      pruned: 1,
      kept: 0,
    });
    assert.deepEqual(await idsOf(store), ["s2"]);
    await rejectsWith(store.prune({} as { olderThan: number }), "config/invalid");
  },
};

import assert from "node:assert/strict";
import type { SessionPhase, SessionStore } from "../store/port.ts";
import { batchOf, acquireLease, TTL_MS, type StoreContractTests } from "./store-contract-kit.ts";
import { pagesOf } from "../store/pages.ts";

const dueOf = async (store: SessionStore, before = 1_000) => (await store.listDue({ before })).sessionIds;

/** A session whose lease is free. */
async function rest(store: SessionStore, id: string, phase: SessionPhase, wakeAt?: number): Promise<void> {
  const lease = await acquireLease(store, id);
  const position = { phase, ...(wakeAt !== undefined && { wakeAt }) };
  await store.append(id, batchOf(lease, (await store.load(id))?.seq ?? 0, 1, { position }));
  await store.release(lease);
}

/** Tests of `listDue`. */
export const dueTests: StoreContractTests = {
  "listDue lists the sessions with work and without a lease": async ({ store, open }) => {
    for (const phase of ["stopped", "running", "suspended", "unfinished", "quarantined"] as const)
      await rest(store, phase, phase);
    await rest(store, "alarm", "suspended", 1_000);
    await rest(store, "later", "suspended", 1_001);
    await store.putInput("stopped", { id: "1", data: {} });
    await store.putInput("quarantined", { id: "1", data: {} });
    await store.putInput("new", { id: "1", data: {} });
    await store.putInput(`N/${"n".repeat(200)}`, { id: "1", data: {} });
    const expected = [`N/${"n".repeat(200)}`, "alarm", "new", "running", "stopped", "unfinished"];
    assert.deepEqual(await dueOf(store), expected);
    assert.deepEqual(await dueOf(await open()), expected);
  },
  "listDue lists a session from the dueAt of an input until its acknowledgement": async ({ store }) => {
    await store.putInput("s", { id: "1", data: {}, dueAt: 1_000 });
    assert.deepEqual(await dueOf(store, 999), []);
    assert.deepEqual(await dueOf(store, 1_000), ["s"]);
    const lease = await acquireLease(store, "s");
    await store.append("s", batchOf(lease, 0, 1, { position: { phase: "stopped" }, ackInputs: ["1"] }));
    await store.release(lease);
    assert.deepEqual(await dueOf(store, 5_000), []);
  },
  "listDue leaves out a session until its lease expires": async ({ store, clock }) => {
    await rest(store, "s", "running");
    const lease = await acquireLease(store, "s");
    await store.putInput("s", { id: "1", data: {} });
    assert.deepEqual(await dueOf(store), []);
    clock.now += TTL_MS - 1;
    await store.renew(lease, TTL_MS);
    clock.now += TTL_MS - 1;
    assert.deepEqual(await dueOf(store), []);
    clock.now += 1;
    assert.deepEqual(await dueOf(store), ["s"]);
  },
  "listDue pages without gap or repetition": async ({ store }) => {
    const ids = Array.from({ length: 12 }, (_, index) => `s${String(index).padStart(2, "0")}`);
    for (const [index, id] of ids.entries()) {
      if (index % 3 === 0) await store.putInput(id, { id: "1", data: {} });
      else await rest(store, id, "unfinished");
    }
    const found: string[] = [];
    for await (const { sessionIds } of pagesOf((from) => store.listDue({ before: 0, limit: 5, ...from }))) {
      assert.ok(sessionIds.length <= 5);
      found.push(...sessionIds);
    }
    assert.deepEqual(found, ids);
  },
  "listDue leaves out a deleted session": async ({ store }) => {
    await rest(store, "s", "unfinished");
    await store.putInput("s", { id: "1", data: {} });
    await store.delete("s");
    assert.deepEqual(await dueOf(store), []);
  },
};

import assert from "node:assert/strict";
import {
  batchOf,
  createSession,
  acquireLease,
  TTL_MS,
  type StoreContractTests,
} from "./store-contract-kit.ts";
import { rejectsWith } from "./contract.ts";
import type { JsonObject } from "../core/base/json.ts";
import type { SessionStore } from "../store/port.ts";

const put = (store: SessionStore, id: string, data = {}) => store.putInput("s", { id, data });
const idsOf = async (store: SessionStore, limit = 100) =>
  (await store.takeInputs("s", limit)).map(({ id }) => id);

/** Asserts that what comes with a lease, and what a peek sees, is what `load` and `takeInputs` return. A store may have neither. */
async function assertFound(store: SessionStore, limit: number): Promise<void> {
  const [loaded, inputs] = [await store.load("s"), await store.takeInputs("s", limit)];
  const { position } = loaded ?? {};
  if (store.peek) assert.deepEqual(await store.peek("s", limit), { ...(position && { position }), inputs });
  const lease = await store.acquire("s", { owner: "reader", ttlMs: TTL_MS, inputs: limit });
  assert.ok(lease);
  if (lease.found)
    assert.deepEqual(lease.found, { ...(loaded && { session: loaded }), inputs, isWatched: false });
  await store.release(lease);
}

/** The ids of all inputs that were acknowledged, page by page. */
async function takenIdsOf(store: SessionStore, limit = 50): Promise<readonly string[]> {
  const ids: string[] = [];
  for (;;) {
    const page = await store.takenInputs!("s", { after: ids.at(-1) ?? "", limit });
    if (page.length === 0) return ids;
    ids.push(...page);
    assert.ok(page.length <= limit && new Set(ids).size === ids.length, "a page has ids that it should not");
  }
}

/** Tests of `putInput`, `takeInputs`, `peek`, and of what comes with a lease. */
export const inboxTests: StoreContractTests = {
  "what comes with a lease, and what a peek sees, is the session and its first inputs": async ({
    store,
    open,
  }) => {
    await assertFound(store, 9);
    for (const id of ["b", "a", "c"]) await put(store, id, { text: `${id} 😀\u0000` });
    await store.putInput("s", { id: "later", data: {}, dueAt: 1_234.5 });
    for (const limit of [0, 2, 9]) await assertFound(store, limit);
    const lease = await acquireLease(store, "s");
    const checkpoint = { text: "\u0000 é", number: 0.1 };
    await store.append("s", batchOf(lease, 0, 3, { ackInputs: ["b"], checkpoint }));
    await store.release(lease);
    for (const limit of [0, 1, 9]) await assertFound(await open(), limit);
    const held = await acquireLease(store, "s");
    assert.equal(await store.acquire("s", { owner: "other", ttlMs: TTL_MS, inputs: 9 }), undefined);
    await store.release(held);
  },
  "what comes with a lease says that somebody watches the session, of one that was watched before it had entries, too":
    async ({ store, open }) => {
      if (!store.watch) return;
      const ended = new AbortController();
      const watching = (async () => {
        for await (const _ of (await open()).watch!("s", { signal: ended.signal })) return;
      })();
      await put(store, "s", {});
      const lease = await acquireLease(store, "s");
      await store.append("s", batchOf(lease, 0));
      await store.release(lease);
      await watching;
      const reader = await store.acquire("s", { owner: "reader", ttlMs: TTL_MS, inputs: 1 });
      assert.ok(reader);
      if (reader.found) assert.equal(reader.found.isWatched, true);
      ended.abort();
    },
  "a session is acquired only if it is ready, where a store can say so: nobody has it, and something waits for nobody":
    async ({ store, open }) => {
      if (!store.acquiresIfReady) return;
      const far = Date.now() + 1e12;
      const parent = { sessionId: "p", callId: "c" };
      const sessions: readonly (readonly [
        isReady: boolean,
        position?: JsonObject | undefined,
        dueAt?: number,
      ])[] = [
        [true, undefined, 0],
        [true, { phase: "stopped" }, 0],
        [true, { phase: "running" }],
        [true, { phase: "unfinished" }, far],
        [false],
        [false, undefined, far],
        [false, { phase: "stopped" }],
        [false, { phase: "stopped" }, far],
        [false, { phase: "stopped", meta: { parent } }, 0],
        [false, { phase: "running", meta: { parent } }],
        [false, { phase: "suspended" }, 0],
        [false, { phase: "suspended", wakeAt: 1 }],
        [false, { phase: "quarantined" }, 0],
      ];
      for (const [index, [, position, dueAt]] of sessions.entries()) {
        const id = `taken-${index}`;
        const lease = await acquireLease(store, id);
        if (position) await store.append(id, batchOf(lease, 0, 1, { position }));
        await store.release(lease);
        if (dueAt !== undefined) await store.putInput(id, { id: "in", data: { text: "é" }, dueAt });
      }
      const other = await open();
      const take = (owner: string, id: string) =>
        other.acquire(id, { owner, ttlMs: TTL_MS, inputs: 9, ifReady: true });
      for (const [index, [isReady]] of sessions.entries()) {
        const id = `taken-${index}`;
        const about = JSON.stringify(sessions[index]);
        const lease = await take("first", id);
        assert.equal(lease !== undefined, isReady, about);
        if (!lease) continue;
        if (lease.found) assert.deepEqual(lease.found.session, await store.load(id), about);
        if (lease.found) assert.deepEqual(lease.found.inputs, await store.takeInputs(id, 9), about);
        assert.equal(await take("second", id), undefined, about);
        assert.equal(await store.acquire(id, { owner: "second", ttlMs: TTL_MS }), undefined, about);
        const again = (await take("first", id))!;
        assert.ok(again.fence > lease.fence, about);
        const seq = lease.found?.session?.seq ?? 0;
        await rejectsWith(store.append(id, batchOf(lease, seq)), "session/lease-lost");
        await store.append(id, batchOf(again, seq));
        await store.release(again);
      }
      assert.equal(await take("first", "unknown"), undefined);
    },
  "an input is offered, where a store can, to known sessions if that is asked for, and to none with a parent":
    async ({ store, open }) => {
      if (!store.offerInput) return;
      const offer = (sessionId: string, id: string, isKnown: boolean) =>
        store.offerInput!(sessionId, { id, data: { id } }, { isKnown });
      assert.equal(await offer("s", "1", true), undefined);
      assert.deepEqual(await idsOf(store), []);
      const accepted = { state: "accepted", isWoken: false };
      assert.deepEqual(await offer("s", "1", false), accepted);
      assert.deepEqual(await offer("s", "1", false), { ...accepted, state: "duplicate" });
      assert.deepEqual(await offer("s", "2", true), accepted); // an input waits
      const lease = await acquireLease(store, "s");
      await store.append("s", batchOf(lease, 0, 1, { ackInputs: ["1", "2"] }));
      assert.deepEqual(await offer("s", "3", true), { ...accepted, phase: "running" });
      assert.deepEqual(await offer("s", "2", true), { state: "duplicate", phase: "running", isWoken: false });
      const later = { id: "later", data: { text: "é 😀" }, dueAt: 1_234.5 };
      await store.offerInput("s", later, { isKnown: true });
      assert.deepEqual(await (await open()).takeInputs("s", 9), [{ id: "3", data: { id: "3" } }, later]);
      for (const parent of [{ sessionId: "p", callId: "c" }, { isBackground: true }, "text"]) {
        const position = { phase: "stopped", meta: { parent, other: "\u0000" } };
        const inner = await acquireLease(store, "inner");
        const { seq = 0 } = (await store.load("inner")) ?? {};
        await store.append("inner", batchOf(inner, seq, 1, { position }));
        assert.equal(await offer("inner", "1", false), undefined);
      }
      assert.deepEqual(await store.takeInputs("inner", 9), []);
    },
  "takeInputs returns inputs in the order they came, and keeps them": async ({ store, open }) => {
    for (const id of ["b", "a", "c"])
      assert.equal(await put(store, id, { text: `${id} 😀\u0000` }), "accepted");
    const expected = ["b", "a", "c"].map((id) => ({ id, data: { text: `${id} 😀\u0000` } }));
    assert.deepEqual(await store.takeInputs("s", 100), expected);
    assert.deepEqual(await store.takeInputs("s", 2), expected.slice(0, 2));
    assert.deepEqual(await (await open()).takeInputs("s", 100), expected);
    assert.deepEqual(await store.takeInputs("other", 100), []);
  },
  "takeInputs returns inputs with a dueAt after the others, in the order of dueAt": async ({
    store,
    open,
  }) => {
    const dueAt = { c: 3_000, a: 1_000, b: 2_000 };
    for (const [id, at] of Object.entries(dueAt)) await store.putInput("s", { id, data: {}, dueAt: at });
    for (const id of ["2", "1"]) await put(store, id);
    const delayed = (["a", "b", "c"] as const).map((id) => ({ id, data: {}, dueAt: dueAt[id] }));
    const expected = [{ id: "2", data: {} }, { id: "1", data: {} }, ...delayed];
    assert.deepEqual(await store.takeInputs("s", 9), expected);
    assert.deepEqual(await (await open()).takeInputs("s", 3), expected.slice(0, 3));
    assert.equal(await store.putInput("s", { id: "a", data: {} }), "duplicate");
  },
  "an append removes the inputs that it acknowledges": async ({ store, open }) => {
    for (const id of ["1", "2", "3", "4"]) await put(store, id);
    const lease = await acquireLease(store, "s");
    await store.append("s", batchOf(lease, 0, 1, { ackInputs: ["2"] }));
    assert.deepEqual(await idsOf(store), ["1", "3", "4"]);
    await store.append("s", batchOf(lease, 1, 0, { ackInputs: ["1", "3"] }));
    assert.deepEqual(await idsOf(store), ["4"]);
    assert.deepEqual(await idsOf(await open()), ["4"]);
    await put(store, "5");
    assert.deepEqual(await idsOf(store, 1), ["4"]);
  },
  "what is acknowledged stays so, and what is not waits, however many come behind": async ({
    store,
    open,
  }) => {
    const lease = await acquireLease(store, "s");
    const [waiting, taken] = [new Set<string>(), new Set<string>()];
    for (let n = 0; n < 120; n++) {
      await put(store, `i${n}`);
      waiting.add(`i${n}`);
      const isKept = (id: string): boolean => (n < 50 && id === "i0") || (n < 119 && /^i\d*7$/u.test(id));
      const ackInputs = [...waiting].filter((id) => !isKept(id));
      await store.append("s", batchOf(lease, n, 1, { ackInputs }));
      for (const id of ackInputs) if (waiting.delete(id)) taken.add(id);
      if (n % 17 > 0 && n < 119) continue;
      const other = await open();
      assert.deepEqual(await idsOf(other), [...waiting]);
      if (other.takenInputs) assert.deepEqual((await takenIdsOf(other)).toSorted(), [...taken].toSorted());
    }
    assert.equal(await put(store, "i0"), "duplicate");
  },
  "putInput accepts an id once, also after its acknowledgement": async ({ store, open }) => {
    assert.equal(await put(store, "1", { first: true }), "accepted");
    assert.equal(await put(store, "1", { first: false }), "duplicate");
    assert.deepEqual(await store.takeInputs("s", 9), [{ id: "1", data: { first: true } }]);
    await store.append("s", batchOf(await acquireLease(store, "s"), 0, 1, { ackInputs: ["1"] }));
    for (const handle of [store, await open()]) assert.equal(await put(handle, "1"), "duplicate");
    assert.deepEqual(await idsOf(store), []);
    assert.equal(await store.putInput("other", { id: "1", data: {} }), "accepted");
  },
  "putInput accepts one of many concurrent inputs with the same id": async ({ store, open }) => {
    const handles = [store, await open()];
    const puts = Array.from({ length: 12 }, (_, index) =>
      put(handles[index % 2]!, `${index % 3}`, { index }),
    );
    const accepted = (await Promise.all(puts)).filter((answer) => answer === "accepted");
    assert.equal(accepted.length, 3);
    assert.deepEqual((await idsOf(store)).toSorted(), ["0", "1", "2"]);
  },
  "a refused append acknowledges no input": async ({ store, clock }) => {
    await put(store, "1");
    const old = await createSession(store, "s");
    await rejectsWith(store.append("s", batchOf(old, 0, 1, { ackInputs: ["1"] })), "session/conflict");
    clock.now += TTL_MS;
    await acquireLease(store, "s", "ben");
    await rejectsWith(store.append("s", batchOf(old, 1, 1, { ackInputs: ["1"] })), "session/lease-lost");
    assert.deepEqual(await idsOf(store), ["1"]);
  },
  "acknowledging an input twice or an unknown id is ignored": async ({ store }) => {
    await put(store, "1");
    const lease = await acquireLease(store, "s");
    await store.append("s", batchOf(lease, 0, 1, { ackInputs: ["1", "1", "unknown"] }));
    await store.append("s", batchOf(lease, 1, 1, { ackInputs: ["1"] }));
    assert.deepEqual(await idsOf(store), []);
    assert.equal(await put(store, "unknown"), "accepted");
    assert.deepEqual(await idsOf(store), ["unknown"]);
  },
  "putInput needs no lease": async ({ store, open }) => {
    await acquireLease(store, "s", "anna");
    assert.equal(await put(await open(), "1"), "accepted");
    assert.deepEqual(await idsOf(store), ["1"]);
  },
};

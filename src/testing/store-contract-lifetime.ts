import assert from "node:assert/strict";
import type { SessionStore } from "../store/port.ts";
import {
  collectAll,
  batchOf,
  createSession,
  entryOf,
  acquireLease,
  TTL_MS,
  viewOf,
  type StoreContractTests,
} from "./store-contract-kit.ts";
import { rejectsWith } from "./contract.ts";

/** Tests of `delete`, `close` and `watch`. */
export const lifetimeTests: StoreContractTests = {
  "delete removes a session with its inputs and lease, and no other session": async ({ store, open }) => {
    const lease = await createSession(store, "s");
    await store.putInput("s", { id: "1", data: {} });
    await createSession(store, "s2");
    const neighbour = await viewOf(store, "s2");
    assert.equal(await (await open()).delete("s"), true);
    assert.deepEqual(await viewOf(store, "s"), {
      loaded: undefined,
      entries: [],
      inputs: [],
      listed: (await store.list()).sessions,
    });
    await rejectsWith(store.append("s", batchOf(lease, 1)), "session/lease-lost");
    await rejectsWith(store.append("s", batchOf(lease, 0)), "session/lease-lost");
    assert.deepEqual(await viewOf(store, "s2"), neighbour);
    assert.equal(await store.delete("s"), false);
    assert.equal(await store.putInput("s", { id: "1", data: {} }), "accepted");
  },
  "a session that is deleted while it is read, and created again, is read to its end or does not exist":
    async ({ store, open }) => {
      const write = async (text: string): Promise<void> => {
        const entries = Array.from({ length: 250 }, (_, index) => entryOf(index + 1, { text }));
        await store.append("s", batchOf(await acquireLease(store, "s"), 0, 0, { entries }));
      };
      const [former, later] = ["x".repeat(8_000), "y".repeat(8_000)];
      for (const again of [[], [later]]) {
        await write(former);
        const texts: unknown[] = [];
        const reading = async (): Promise<void> => {
          for await (const { seq, data } of store.read("s")) {
            texts.push(data["text"]);
            if (seq > 1) continue;
            await (await open()).delete("s");
            for (const text of again) await write(text);
          }
          assert.equal(texts.length, 250);
        };
        await reading().catch((thrown: unknown) =>
          rejectsWith(Promise.reject(thrown as Error), "session/not-found"),
        );
        assert.deepEqual(new Set(texts), new Set([former]));
        await store.delete("s");
      }
    },
  "a session that is created again after its deletion has higher fences": async ({ store, open }) => {
    await acquireLease(store, "s");
    const old = await createSession(store, "s");
    await store.delete("s");
    const lease = await acquireLease(await open(), "s", "ben");
    assert.ok(lease.fence > old.fence);
    await rejectsWith(store.append("s", batchOf(old, 0)), "session/lease-lost");
    assert.equal(await store.append("s", batchOf(lease, 0)), 1);
    assert.deepEqual(await collectAll(store.read("s")), [entryOf(1)]);
  },
  "every call after close is refused": async ({ store }) => {
    const lease = await createSession(store, "s");
    await store.close();
    const input = { id: "1", data: {} };
    const { signal } = new AbortController();
    const calls: { readonly [name in Exclude<keyof SessionStore, "close">]: (() => unknown) | undefined } = {
      timeoutMs: undefined,
      acquiresIfReady: undefined,
      acquire: () => store.acquire("s", { owner: "anna", ttlMs: TTL_MS }),
      renew: () => store.renew(lease, TTL_MS),
      renewAll: () => store.renewAll?.([lease], TTL_MS),
      release: () => store.release(lease),
      holder: () => store.holder?.("s"),
      append: () => store.append("s", batchOf(lease, 1)),
      read: () => collectAll(store.read("s")),
      load: () => store.load("s"),
      putInput: () => store.putInput("s", input),
      offerInput: () => store.offerInput?.("s", input, { isKnown: false }),
      takeInputs: () => store.takeInputs("s", 9),
      peek: () => store.peek?.("s", 9),
      takenInputs: () => store.takenInputs?.("s", { after: "", limit: 9 }),
      list: () => store.list(),
      search: () => store.search?.(),
      listDue: () => store.listDue({ before: 0 }),
      delete: () => store.delete("s"),
      prune: () => store.prune({ olderThan: 0 }),
      watch: () => store.watch && collectAll(store.watch("s", { signal })),
    };
    for (const [name, call] of Object.entries(calls)) {
      const called = name in store ? call?.() : undefined;
      if (called) await rejectsWith(called as Promise<unknown>, "store/failed");
    }
    await store.close();
  },
  "watch yields the current seq and later ones until its signal aborts": async ({ store, open }) => {
    if (!store.watch) return;
    const stop = new AbortController();
    const lease = await createSession(store, "s");
    const writer = await open();
    const seen: number[] = [];
    for await (const seq of store.watch("s", { signal: stop.signal })) {
      seen.push(seq);
      if (seq >= 4) stop.abort();
      else await writer.append("s", batchOf(lease, seq));
    }
    assert.deepEqual(seen, [1, 2, 3, 4]);
    assert.deepEqual(await collectAll(store.watch("s", { signal: stop.signal })), []);
  },
  "watch may begin before the session exists": async ({ store, open }) => {
    if (!store.watch) return;
    const stop = new AbortController();
    const vain = collectAll(store.watch("never", { signal: stop.signal }));
    const seqs = store.watch("s", { signal: stop.signal })[Symbol.asyncIterator]();
    const first = seqs.next();
    await createSession(await open(), "s");
    assert.deepEqual(await first, { done: false, value: 1 });
    const second = seqs.next();
    stop.abort();
    assert.deepEqual(await second, { done: true, value: undefined });
    assert.deepEqual(await vain, []);
  },
};

/** Tests of stores whose sessions survive `close`. */
export const survivalTests: StoreContractTests = {
  "sessions, leases and inputs survive the close of the store that wrote them": async ({ store, open }) => {
    const lease = await createSession(store, "s", { phase: "suspended", meta: { tenant: "x" } });
    await store.append("s", batchOf(lease, 1, 2, { checkpoint: { c: 1 } }));
    await store.putInput("s", { id: "1", data: {} });
    const before = await viewOf(store, "s");
    await store.close();
    const later = await open();
    assert.deepEqual(await viewOf(later, "s"), before);
    assert.equal(await later.acquire("s", { owner: "ben", ttlMs: TTL_MS }), undefined);
    assert.equal(await later.append("s", batchOf(lease, 3)), 4);
    assert.ok((await acquireLease(later, "s")).fence > lease.fence);
  },
};

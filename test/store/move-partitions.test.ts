// Sessions that move to another store while others use them and while the mover is killed: nothing is lost, nothing is doubled.
import { expect, onTestFinished, test } from "vitest";
import { AgentError } from "../../src/core/base/error.ts";
import type { SessionStore } from "../../src/store/port.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { finishMove, movePartitions, partitionedStore, partitionHash } from "../../src/store/partitioned.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import { killable, Ledger, partitionsOf, stayingAndMoving } from "./ledger.ts";

const QUICK = { settleMs: 0, pollMs: 0, concurrency: 2 };
const ids = stayingAndMoving(1, 2);

/** The distance of the operations at which a mover is killed; SOAK=1: each one. */
const EACH = process.env["SOAK"] === "1" ? { memory: 1, SQLite: 1 } : { memory: 1, SQLite: 9 };

/** Two stores, of which the first one has all sessions. */
function twoStores(open: (options: { readonly now: () => number }) => SessionStore) {
  const clock = { now: 1_700_000_000_000 };
  const [former, next] = [open({ now: () => clock.now }), open({ now: () => clock.now })];
  onTestFinished(() => Promise.all([former.close(), next.close()]).then(() => {}));
  return { clock, former, next };
}

const kinds = [
  ["memory", memoryStore],
  ["SQLite", (options: { readonly now: () => number }) => sqliteStore({ ...options, path: ":memory:" })],
] as const;

test.each(kinds)("a mover that is killed at any operation goes on with %s", async (kind, open) => {
  for (let at = 1, isDone = false; !isDone; at += EACH[kind]) {
    for (const when of ["before", "after"] as const) {
      const { clock, former, next } = twoStores(open);
      const ledger = new Ledger(partitionedStore([{ store: former, upTo: 0xff_ff_ff_ff }]));
      for (const id of ids) await ledger.begin(id);
      const { wrap, killed } = killable(at, when);
      const mover = movePartitions(partitionsOf(wrap(former), wrap(next)), QUICK);
      isDone = (await Promise.race([mover, killed])) !== "killed";
      ledger.store = partitionedStore(partitionsOf(former, next));
      for (const id of ids) await ledger.work(id);
      clock.now += 31_000; // the leases of the killed mover have ended
      for (const id of ids) await ledger.work(id);
      await movePartitions(partitionsOf(former, next), QUICK);
      for (const id of ids) await ledger.work(id);
      ledger.store = partitionedStore(partitionsOf(former, next, false));
      await finishMove(partitionsOf(former, next), QUICK);
      for (const id of ids) await ledger.work(id);
      await ledger.check(`killed ${when} operation ${at}`);
      expect((await former.list()).sessions.map(({ sessionId }) => sessionId)).toEqual(
        ids.filter((id) => partitionHash(id) <= 0x7f_ff_ff_ff).toSorted(),
      );
    }
  }
});

test.each(kinds)("what was moved cannot be written in its former place, in %s", async (_, open) => {
  const { former, next } = twoStores(open);
  const old = partitionedStore([{ store: former, upTo: 0xff_ff_ff_ff }]);
  const ledger = new Ledger(old);
  const id = ids.at(-1)!;
  await ledger.begin(id);
  const stale = (await old.acquire(id, { owner: "stalled", ttlMs: 0, skips: 1e12 }))!; // as after many leases
  await movePartitions(partitionsOf(former, next), QUICK);
  const write = (store: SessionStore) =>
    store.append(id, { expectedSeq: 3, fence: stale.fence, entries: [], position: { phase: "stopped" } });
  for (const store of [former, old, partitionedStore(partitionsOf(former, next))])
    await expect(write(store)).rejects.toMatchObject({ code: "session/lease-lost" });
  await expect(old.acquire(id, { owner: "w", ttlMs: 1 })).rejects.toMatchObject({ code: "session/moved" });
  await expect(old.load(id)).rejects.toMatchObject({ code: "session/moved" });
  expect(await former.acquire(id, { owner: "w", ttlMs: 1 })).toBeUndefined();
  const both = partitionedStore(partitionsOf(former, next));
  expect((await both.acquire(id, { owner: "w", ttlMs: 1 }))!.fence).toBeGreaterThan(stale.fence);
  expect(await both.search!()).toMatchObject({ total: 1, sessions: [{ sessionId: id }] });
  expect((await both.list()).sessions).toMatchObject([{ sessionId: id, seq: 3 }]);
  // An input that a process with the former partitions has put there is sent on.
  expect(await old.putInput(id, { id: "late", data: {} })).toBe("accepted");
  const looked = both.peek ? await both.peek(id, 9) : { inputs: await both.takeInputs(id, 9) };
  expect(looked.inputs.map((input) => input.id)).toContain("late");
  await finishMove(partitionsOf(former, next), QUICK);
  expect((await next.takeInputs(id, 9)).map((input) => input.id)).toContain("late");
  expect(await former.load(id)).toBeUndefined();
});

test("a session that a worker has is moved once it is released", async () => {
  const { former, next } = twoStores(memoryStore);
  const both = partitionedStore(partitionsOf(former, next));
  const ledger = new Ledger(both);
  const id = ids.at(-1)!;
  await ledger.begin(id);
  const lease = (await both.acquire(id, { owner: "w", ttlMs: 60_000 }))!;
  let released = false;
  const options = {
    ...QUICK,
    onProgress: ({ busy }: { readonly busy: number }) => {
      if (busy === 0 || released) return;
      released = true;
      void both.release(lease);
    },
  };
  expect(await movePartitions(partitionsOf(former, next), options)).toMatchObject({ moved: 1, busy: 0 });
  expect(released).toBe(true);
  expect(await next.load(id)).toMatchObject({ seq: 3 });
});

test("a move that is not possible is refused", async () => {
  const { former, next } = twoStores(memoryStore);
  const partitions = partitionsOf(former, next);
  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => undefined,
      (error: AgentError) => error.code,
    );
  expect(await codeOf(finishMove(partitions, QUICK))).toBe("config/invalid");
  expect(await codeOf(movePartitions([{ store: former, upTo: 0xff_ff_ff_ff }]))).toBe("config/invalid");
  const { takenInputs: _, ...without } = former;
  expect(await codeOf(movePartitions(partitionsOf(without, next)))).toBe("config/invalid");
  // Both stores have a session of the same id, as after a map that was wrong.
  const id = ids.at(-1)!;
  await new Ledger(former).begin(id);
  const other = new Ledger(next);
  await other.begin(id);
  await other.begin(id);
  for (let calls = 0; calls < 2; calls++) {
    expect(await codeOf(movePartitions(partitions, QUICK))).toBe("session/conflict");
    expect([await former.load(id), await next.load(id)]).toMatchObject([{ seq: 3 }, { seq: 6 }]);
  }
});

test("a store under two names is not moved into itself", async () => {
  const former = memoryStore();
  onTestFinished(() => former.close());
  const id = ids.at(-1)!;
  await new Ledger(former).begin(id);
  for (const move of [movePartitions, finishMove, movePartitions])
    await expect(
      move([{ store: { ...former }, upTo: 0xff_ff_ff_ff, movesFrom: former }], QUICK),
    ).rejects.toMatchObject({ code: "config/invalid", message: expect.stringContaining("another store") });
  expect(await former.load(id)).toMatchObject({ seq: 3 });
});

test.each(["acquire", "load", "putInput", "append"] as const)(
  "a session is free at once if the new store fails to %s while it is moved",
  async (method) => {
    const { former, next } = twoStores(memoryStore);
    const id = ids.at(-1)!;
    await new Ledger(former).begin(id);
    const full = new AgentError("store/failed", "No space is left.");
    const isFull = (sessionId: string) => sessionId === id && (method !== "load" || copies++ > 0);
    let copies = 0;
    const failing = new Proxy(next, {
      get: (store, name: keyof SessionStore) =>
        name === method
          ? async (sessionId: string, ...args: unknown[]) => {
              if (isFull(sessionId)) throw full;
              return Reflect.apply(store[name] as () => unknown, store, [sessionId, ...args]);
            }
          : store[name],
    });
    await expect(movePartitions(partitionsOf(former, failing), QUICK)).rejects.toBe(full);
    const ledger = partitionedStore(partitionsOf(former, next));
    expect(await ledger.acquire(id, { owner: "w", ttlMs: 60_000 })).toBeDefined();
  },
);

test("a damaged session of a range that moves is deleted", async () => {
  const { former, next } = twoStores(memoryStore);
  const id = ids.at(-1)!;
  await new Ledger(former).begin(id);
  const damaged = new AgentError("session/damaged", "Its state is not what was written.");
  const load = (sessionId: string) => (sessionId === id ? Promise.reject(damaged) : former.load(sessionId));
  const both = partitionedStore(partitionsOf({ ...former, load }, next));
  expect(await both.delete(id)).toBe(true);
  expect(await former.load(id)).toBeUndefined();
});

test("a watch of a session of a range that moves outlasts a failure of a store", async () => {
  const { former, next } = twoStores(memoryStore);
  const id = ids.at(-1)!;
  await new Ledger(former).begin(id);
  const away = new AgentError("store/failed", "Nobody answers.", { isRetryable: true });
  let failures = 1;
  const load = (sessionId: string) => (failures-- > 0 ? Promise.reject(away) : former.load(sessionId));
  const both = partitionedStore(partitionsOf({ ...former, load }, next));
  const stop = new AbortController();
  const seqs = both.watch!(id, { signal: stop.signal })[Symbol.asyncIterator]();
  expect(await seqs.next()).toEqual({ done: false, value: 3 });
  stop.abort();
});

test("inputs that two processes send on at once from the former store are there once, and neither fails", async () => {
  const { former, next } = twoStores(memoryStore);
  const id = ids.at(-1)!;
  await new Ledger(former).begin(id);
  await movePartitions(partitionsOf(former, next), QUICK);
  await former.putInput(id, { id: "late", data: {} }); // by a process with the map before
  const overtaken = new Proxy(former, {
    get: (store, name: keyof SessionStore) => {
      if (name !== "append") return store[name];
      return async (...args: Parameters<SessionStore["append"]>) => {
        await store.acquire(id, { owner: (await store.holder!(id))!.owner, ttlMs: 60_000 });
        return store.append(...args);
      };
    },
  });
  const lease = await partitionedStore(partitionsOf(overtaken, next)).acquire(id, {
    owner: "w",
    ttlMs: 60_000,
  });
  expect(lease).toBeDefined();
  const inboxes = async () =>
    Promise.all(
      [former, next].map(async (store) => (await store.takeInputs(id, 9)).map((input) => input.id)),
    );
  expect(await inboxes()).toEqual([["late"], expect.arrayContaining(["late"])]);
  await finishMove(partitionsOf(former, next), QUICK);
  const [, there] = await inboxes();
  expect(there!.filter((input) => input === "late")).toHaveLength(1);
});

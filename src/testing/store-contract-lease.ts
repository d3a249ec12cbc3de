import assert from "node:assert/strict";
import type { Lease } from "../store/port.ts";
import { batchOf, acquireLease, TTL_MS, type StoreContractTests } from "./store-contract-kit.ts";
import { rejectsWith } from "./contract.ts";

/** Tests of `acquire`, `renew` and `release`. */
export const leaseTests: StoreContractTests = {
  "acquire returns a lease of a free session": async ({ store, clock }) => {
    const lease = await acquireLease(store, "s");
    assert.equal(lease.sessionId, "s");
    assert.equal(lease.owner, "anna");
    assert.equal(lease.expiresAt, clock.now + TTL_MS);
    assert.ok(Number.isSafeInteger(lease.fence) && lease.fence > 0);
  },
  "acquire by another owner returns undefined until the lease expires": async ({ store, open, clock }) => {
    await acquireLease(store, "s", "anna");
    clock.now += TTL_MS - 1;
    assert.equal(await store.acquire("s", { owner: "ben", ttlMs: TTL_MS }), undefined);
    assert.equal(await (await open()).acquire("s", { owner: "ben", ttlMs: TTL_MS }), undefined);
    assert.equal((await acquireLease(store, "other", "ben")).owner, "ben");
  },
  "acquire of an expired lease returns a higher fence": async ({ store, clock }) => {
    const first = await acquireLease(store, "s", "anna");
    clock.now += TTL_MS;
    const second = await acquireLease(store, "s", "ben");
    assert.ok(second.fence > first.fence);
    await rejectsWith(store.renew(first, TTL_MS), "session/lease-lost");
  },
  "acquire by the same owner returns a new lease and ends the former one": async ({ store }) => {
    const first = await acquireLease(store, "s");
    const second = await acquireLease(store, "s");
    assert.ok(second.fence > first.fence);
    await rejectsWith(store.append("s", batchOf(first, 0)), "session/lease-lost");
    assert.equal(await store.append("s", batchOf(second, 0)), 1);
  },
  "takeovers counts the previous holders in a row that did not release their lease": async ({
    store,
    open,
    clock,
  }) => {
    const another = await open();
    assert.equal((await acquireLease(store, "s", "anna")).takeovers, 0);
    clock.now += TTL_MS;
    assert.equal((await acquireLease(another, "s", "ben")).takeovers, 1);
    assert.equal((await acquireLease(store, "s", "ben")).takeovers, 1);
    clock.now += TTL_MS;
    const third = await acquireLease(store, "s", "carl");
    assert.equal(third.takeovers, 2);
    assert.equal((await another.renew(third, TTL_MS)).takeovers, 2);
    await store.append("s", batchOf(third, 0));
    await store.release(third);
    assert.equal((await acquireLease(another, "s", "dora")).takeovers, 0);
  },
  "takenFrom names the previous holder that did not release its lease, and when that lease ended": async ({
    store,
    open,
    clock,
  }) => {
    const another = await open();
    const first = await acquireLease(store, "s", "anna: 1 ä");
    assert.equal(first.takenFrom, undefined);
    clock.now += TTL_MS - 1;
    const renewed = await another.renew(first, TTL_MS);
    clock.now += TTL_MS;
    const second = await acquireLease(another, "s", "ben");
    assert.deepEqual(second.takenFrom, { owner: "anna: 1 ä", expiresAt: renewed.expiresAt });
    assert.deepEqual((await store.renew(second, TTL_MS)).takenFrom, second.takenFrom);
    assert.equal((await acquireLease(store, "s", "ben")).takenFrom, undefined);
    clock.now += TTL_MS;
    const third = await acquireLease(store, "s", "carl");
    assert.equal(third.takenFrom?.owner, "ben");
    await store.release(third);
    assert.equal((await acquireLease(another, "s", "dora")).takenFrom, undefined);
  },
  "fences rise with every lease, over all handles": async ({ store, open, clock }) => {
    const fences: number[] = [];
    const another = await open();
    for (const handle of [store, another, store, another]) {
      fences.push((await acquireLease(handle, "s", "anna")).fence);
      clock.now += TTL_MS;
      const stolen = await acquireLease(handle, "s", "ben");
      fences.push(stolen.fence);
      await handle.release(stolen);
    }
    assert.deepEqual(
      fences,
      [...new Set(fences)].toSorted((a, b) => a - b),
    );
  },
  "fences rise also where a lease leaves out some, and after its session is deleted": async ({
    store,
    open,
  }) => {
    const first = await acquireLease(store, "s");
    const second = await store.acquire("s", { owner: "anna", ttlMs: TTL_MS, inputs: 1, skips: 1_000_000 });
    const third = await acquireLease(await open(), "s");
    await store.delete("s");
    const fences = [first, second!, third, await acquireLease(store, "s")].map(({ fence }) => fence);
    for (const [index, fence] of fences.slice(1).entries()) assert.ok(fence > fences[index]!);
    if (fences[1]! > 1_000_000) assert.ok(fences[3]! > 1_000_000);
  },
  "renew extends a lease and keeps its fence": async ({ store, open, clock }) => {
    const lease = await acquireLease(store, "s", "anna");
    clock.now += TTL_MS - 1;
    const renewed = await store.renew(lease, TTL_MS);
    assert.deepEqual(renewed, { ...lease, expiresAt: clock.now + TTL_MS });
    clock.now += TTL_MS - 1;
    assert.equal(await (await open()).acquire("s", { owner: "ben", ttlMs: TTL_MS }), undefined);
    assert.equal(await store.append("s", batchOf(renewed, 0)), 1);
    clock.now += 1;
    await acquireLease(store, "s", "ben");
  },
  "renewAll, where there is one, renews each lease as renew does, and leaves out those that are lost":
    async ({ store, clock }) => {
      if (!store.renewAll) return;
      const leases = [];
      for (const id of ["a", "ü 'b'", "gone", "taken", "c"])
        leases.push(await acquireLease(store, id, "anna"));
      const [a, b, gone, taken, c] = leases as [Lease, Lease, Lease, Lease, Lease];
      await store.release(gone);
      clock.now += TTL_MS;
      await acquireLease(store, taken.sessionId, "ben");
      const expiresAt = clock.now + TTL_MS;
      const renewed = await store.renewAll([a, gone, b, taken, c], TTL_MS);
      assert.deepEqual(renewed, [
        { ...a, expiresAt },
        undefined,
        { ...b, expiresAt },
        undefined,
        { ...c, expiresAt },
      ]);
      clock.now += TTL_MS - 1;
      assert.equal(await store.acquire(b.sessionId, { owner: "ben", ttlMs: TTL_MS }), undefined);
      assert.deepEqual(await store.renewAll([], TTL_MS), []);
    },
  "renew extends an expired lease until another owner acquires one": async ({ store, clock }) => {
    const lease = await acquireLease(store, "s", "anna");
    clock.now += 10 * TTL_MS;
    await store.renew(lease, TTL_MS);
    assert.equal(await store.acquire("s", { owner: "ben", ttlMs: TTL_MS }), undefined);
  },
  "release ends a lease, and another owner can acquire one at once": async ({ store, open }) => {
    const first = await acquireLease(store, "s", "anna");
    await store.append("s", batchOf(first, 0));
    await store.release(first);
    await rejectsWith(store.append("s", batchOf(first, 1)), "session/lease-lost");
    await rejectsWith(store.renew(first, TTL_MS), "session/lease-lost");
    const second = await acquireLease(await open(), "s", "ben");
    assert.ok(second.fence > first.fence);
    assert.equal(await store.append("s", batchOf(second, 1)), 2);
  },
  "release of a lost lease changes nothing": async ({ store, clock }) => {
    const lost = await acquireLease(store, "s", "anna");
    clock.now += TTL_MS;
    const lease = await acquireLease(store, "s", "ben");
    await store.release(lost);
    await store.release({ ...lost, sessionId: "unknown" });
    assert.equal(await store.acquire("s", { owner: "carl", ttlMs: TTL_MS }), undefined);
    assert.equal(await store.append("s", batchOf(lease, 0)), 1);
    await store.release(lease);
    await store.release(lease);
  },
  "an append that is to end the lease, in a store that can, does so unless an input is due that it does not acknowledge":
    async ({ store, open, clock }) => {
      const before = clock.now - 1;
      const table: readonly (readonly [inputs: { readonly [id: string]: number }, ends: boolean])[] = [
        [{}, true],
        [{ taken: 0 }, true],
        [{ taken: 0, later: clock.now + 1 }, true],
        [{ taken: 0, next: 0 }, false],
        [{ next: before }, false],
        [{ taken: before, next: clock.now }, false],
      ];
      for (const [index, [inputs, ends]] of table.entries()) {
        const id = `s${index}`;
        for (const [input, dueAt] of Object.entries(inputs))
          await store.putInput(id, { id: input, data: {}, ...(dueAt > 0 && { dueAt }) });
        const lease = await acquireLease(store, id, "anna");
        const told: boolean[] = [];
        const onRelease = (isReleased: boolean): void => void told.push(isReleased);
        const last = { ackInputs: ["taken"], onRelease };
        await rejectsWith(store.append(id, batchOf(lease, 1, 1, last)), "session/conflict");
        const lost = { ...lease, fence: lease.fence - 1 };
        await rejectsWith(store.append(id, batchOf(lost, 0, 1, last)), "session/lease-lost");
        assert.deepEqual(told, []);
        assert.equal(await store.append(id, batchOf(lease, 0, 2, last)), 2);
        if (told.length === 0) return; // the store cannot
        assert.deepEqual(told, [ends], id);
        const rival = await (await open()).acquire(id, { owner: "ben", ttlMs: TTL_MS });
        if (!ends) {
          assert.equal(rival, undefined);
          assert.equal(await store.append(id, batchOf(lease, 2)), 3);
          continue;
        }
        assert.ok(rival && rival.fence > lease.fence);
        assert.equal(rival.takeovers, 0);
        await rejectsWith(store.append(id, batchOf(lease, 2, 1, last)), "session/lease-lost");
        await rejectsWith(store.renew(lease, TTL_MS), "session/lease-lost");
        await store.release(lease);
        assert.equal(await store.append(id, batchOf(rival, 2)), 3);
        assert.deepEqual(told, [ends], id);
      }
    },
  "one of several concurrent acquires returns a lease": async ({ store, open }) => {
    const handles = [store, await open()];
    const leases = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        handles[index % 2]!.acquire("s", { owner: `owner ${index}`, ttlMs: TTL_MS }),
      ),
    );
    assert.equal(leases.filter((lease) => lease !== undefined).length, 1);
  },
  "holder says who holds the lease, and for how long": async ({ store, open, clock }) => {
    if (!store.holder) return;
    const another = await open();
    assert.equal(await store.holder("s"), undefined);
    const lease = await acquireLease(store, "s", "anna: 1 ä");
    clock.now += 1_000;
    assert.deepEqual(await another.holder?.("s"), { owner: "anna: 1 ä", leftMs: TTL_MS - 1_000 });
    await store.renew(lease, TTL_MS);
    assert.deepEqual(await another.holder?.("s"), { owner: "anna: 1 ä", leftMs: TTL_MS });
    clock.now += TTL_MS;
    assert.equal(await store.holder("s"), undefined);
    await store.release(await acquireLease(store, "s", "ben"));
    assert.equal(await another.holder?.("s"), undefined);
  },
  "renew rejects for a session that does not exist": async ({ store }) => {
    const lease = await acquireLease(store, "s");
    await rejectsWith(store.renew({ ...lease, sessionId: "unknown" }, TTL_MS), "session/lease-lost");
    assert.equal(await store.load("unknown"), undefined);
  },
};

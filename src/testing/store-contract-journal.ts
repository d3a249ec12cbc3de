import assert from "node:assert/strict";
import { AgentError } from "../core/base/error.ts";
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

const seqsOf = (entries: readonly { readonly seq: number }[]) => entries.map(({ seq }) => seq);

/** Tests of `append`, `read` and `load`. */
export const journalTests: StoreContractTests = {
  "append returns the new seq, and every handle reads the entries": async ({ store, open }) => {
    const lease = await acquireLease(store, "s");
    assert.equal(await store.append("s", batchOf(lease, 0, 2)), 2);
    assert.equal(await store.append("s", batchOf(lease, 2, 3)), 5);
    for (const handle of [store, await open()]) {
      assert.deepEqual(
        await collectAll(handle.read("s")),
        [1, 2, 3, 4, 5].map((seq) => entryOf(seq)),
      );
      assert.deepEqual(await handle.load("s"), { seq: 5, position: { phase: "running", at: 5 } });
    }
  },
  "a session without an append does not exist": async ({ store }) => {
    await acquireLease(store, "leased");
    await store.putInput("asked", { id: "1", data: {} });
    for (const id of ["unknown", "leased", "asked"]) {
      assert.equal(await store.load(id), undefined);
      assert.deepEqual(await collectAll(store.read(id)), []);
    }
    assert.deepEqual(await store.list(), { sessions: [] });
  },
  "append without a lease or with an old fence is refused and writes nothing": async ({ store, clock }) => {
    await rejectsWith(store.append("new", batchOf({ fence: 1 }, 0)), "session/lease-lost");
    assert.equal(await store.load("new"), undefined);
    const old = await createSession(store, "s");
    clock.now += TTL_MS;
    const lease = await acquireLease(store, "s", "ben");
    const before = await viewOf(store, "s");
    for (const fence of [old.fence, lease.fence + 1, 0]) {
      const more = { position: { phase: "stopped" }, checkpoint: { a: 1 } };
      await rejectsWith(store.append("s", batchOf({ fence }, 1, 1, more)), "session/lease-lost");
    }
    assert.deepEqual(await viewOf(store, "s"), before);
  },
  "an expired lease may append until another owner acquires one": async ({ store, clock }) => {
    const lease = await acquireLease(store, "s");
    clock.now += 10 * TTL_MS;
    assert.equal(await store.append("s", batchOf(lease, 0)), 1);
  },
  "append with a wrong expectedSeq is a conflict each time and writes nothing": async ({ store }) => {
    const lease = await createSession(store, "s");
    await store.append("s", batchOf(lease, 1, 1, { checkpoint: { good: true } }));
    await store.putInput("s", { id: "i", data: {} });
    const before = await viewOf(store, "s");
    const more = { position: { phase: "suspended" }, checkpoint: { good: false }, ackInputs: ["i"] };
    for (const expectedSeq of [0, 1, 3, 3, 1]) {
      await rejectsWith(store.append("s", batchOf(lease, expectedSeq, 2, more)), "session/conflict");
    }
    assert.deepEqual(await viewOf(store, "s"), before);
    assert.equal(await store.append("s", batchOf(lease, 2)), 3);
  },
  "append of entries with a wrong seq is a conflict": async ({ store }) => {
    const lease = await createSession(store, "s");
    for (const entries of [[entryOf(3)], [entryOf(2), entryOf(4)], [entryOf(1)]]) {
      await rejectsWith(store.append("s", batchOf(lease, 1, 0, { entries })), "session/conflict");
    }
    assert.deepEqual(seqsOf(await collectAll(store.read("s"))), [1]);
  },
  "a batch without entries replaces the position and keeps the seq": async ({ store }) => {
    const lease = await createSession(store, "s");
    const position = { phase: "suspended" };
    assert.equal(await store.append("s", batchOf(lease, 1, 0, { position, checkpoint: { c: 1 } })), 1);
    assert.deepEqual(await store.load("s"), { seq: 1, position, checkpoint: { c: 1 } });
  },
  "one of several concurrent appends is written": async ({ store, open }) => {
    const lease = await createSession(store, "s");
    const handles = [store, await open()];
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, (_, writer) =>
        handles[writer % 2]!.append(
          "s",
          batchOf(lease, 1, 1, {
            entries: [entryOf(2, { writer })],
            position: { phase: "running", writer },
          }),
        ),
      ),
    );
    const winners = outcomes.flatMap(({ status }, writer) => (status === "fulfilled" ? [writer] : []));
    assert.equal(winners.length, 1);
    for (const outcome of outcomes) {
      if (outcome.status === "fulfilled") continue;
      assert.ok(AgentError.is(outcome.reason) && outcome.reason.code === "session/conflict");
    }
    const [, written] = await collectAll(store.read("s"));
    assert.deepEqual(written?.data, { writer: winners[0] });
    assert.deepEqual((await store.load("s"))?.position["writer"], winners[0]);
  },
  "load returns the newest checkpoint, also after appends without one": async ({ store, open }) => {
    const lease = await acquireLease(store, "s");
    for (let seq = 0; seq < 20; seq++) {
      const more = seq % 5 === 2 ? { checkpoint: { seq } } : {};
      await store.append("s", batchOf(lease, seq, 1, more));
    }
    const loaded = { seq: 20, position: { phase: "running", at: 20 }, checkpoint: { seq: 17 } };
    assert.deepEqual(await store.load("s"), loaded);
    assert.deepEqual(await (await open()).load("s"), loaded);
  },
  "read begins after any seq and ends at any limit": async ({ store }) => {
    const lease = await acquireLease(store, "s");
    for (let seq = 0; seq < 300; seq += 3) {
      await store.append("s", batchOf(lease, seq, 3, seq % 60 === 0 ? { checkpoint: { seq } } : {}));
    }
    const seqs = Array.from({ length: 300 }, (_, index) => index + 1);
    for (const after of [0, 1, 2, 3, 58, 59, 60, 61, 62, 63, 64, 150, 240, 243, 298, 299, 300, 301]) {
      assert.deepEqual(seqsOf(await collectAll(store.read("s", { after }))), seqs.slice(after));
      assert.deepEqual(
        seqsOf(await collectAll(store.read("s", { after, limit: 7 }))),
        seqs.slice(after, after + 7),
      );
    }
    assert.deepEqual(await collectAll(store.read("s", { limit: 0 })), []);
    for await (const { seq } of store.read("s")) if (seq === 5) break;
  },
  "entries of a megabyte and strings of any characters are read unchanged": async ({ store, open }) => {
    const lease = await acquireLease(store, "s");
    const text =
      'NUL \u0000, \u0001, lone \ud800 surrogate, 😀, e\u0301 é, \u2028, \ufeff, "\\n\n\r\n\t", \u{10ffff}';
    const big = "ü".repeat(400_000) + "x".repeat(300_000);
    const odd = { text, [text]: [text, 1e21, -0.5, true, null, {}], __proto: {}, "": "" };
    const entries = [entryOf(1, { big }), { ...entryOf(2, odd), type: "häppened 😀" }];
    const checkpoint = { text, big: big.slice(0, 5_000) };
    const position = { phase: "stopped", text, meta: { [text]: text } };
    await store.append("s", batchOf(lease, 0, 0, { entries, checkpoint, position }));
    await store.append("s", batchOf(lease, 2, 1, { position }));
    for (const handle of [store, await open()]) {
      assert.deepEqual((await collectAll(handle.read("s"))).slice(0, 2), entries);
      assert.deepEqual(await handle.load("s"), { seq: 3, position, checkpoint });
      const { sessions } = await handle.list({ meta: { [text]: text } });
      assert.deepEqual(sessions[0]?.meta, { [text]: text });
    }
  },
  "values passed in and out are not shared with the caller": async ({ store }) => {
    const lease = await acquireLease(store, "s");
    const data = { list: [1] };
    const position = { phase: "stopped", meta: { label: "a" } };
    await store.append(
      "s",
      batchOf(lease, 0, 0, { entries: [entryOf(1, data)], position, checkpoint: data }),
    );
    data.list.push(2);
    position.meta.label = "b";
    const first = await store.load("s");
    (first!.checkpoint!["list"] as number[]).push(3);
    for await (const entry of store.read("s")) (entry.data["list"] as number[]).push(4);
    assert.deepEqual(await store.load("s"), {
      seq: 1,
      position: { phase: "stopped", meta: { label: "a" } },
      checkpoint: { list: [1] },
    });
    assert.deepEqual((await collectAll(store.read("s")))[0]?.data, { list: [1] });
  },
};

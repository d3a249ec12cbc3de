import assert from "node:assert/strict";
import type { JsonObject } from "../core/base/json.ts";
import type { SessionFilter, SessionStore } from "../store/port.ts";
import {
  collectAll,
  batchOf,
  createSession,
  entryOf,
  acquireLease,
  type StoreContractTests,
} from "./store-contract-kit.ts";
import { rejectsWith } from "./contract.ts";
import { pagesOf } from "../store/pages.ts";

const idsOf = async (store: SessionStore, filter?: SessionFilter) =>
  (await store.list(filter)).sessions.map(({ sessionId }) => sessionId);

const ODD_IDS = [
  ".",
  "..",
  "...",
  "a/b",
  "a\\b",
  "../a",
  "/etc/passwd",
  "CON",
  "con",
  "Con.txt",
  "nul",
  "a",
  "A",
  "a ",
  " a",
  "a.",
  ".a",
  "%61",
  "%",
  "~",
  "~floor",
  "~trash-1",
  "*?<>|:\"'",
  "'; DROP TABLE sessions; --",
  "\u0000",
  "\u0001",
  "a\u0000b",
  "a\u0001b",
  "\n",
  "\u007f",
  "é",
  "e\u0301",
  "ﬁ",
  "😀",
  "\ue000",
  "\u{10ffff}",
  "__proto__",
  "constructor",
  "x".repeat(2_000),
  `${"x".repeat(1_999)}y`,
  "会".repeat(300),
];

async function sessionsToList(store: SessionStore, clock: { now: number }): Promise<void> {
  const positions: { readonly [id: string]: JsonObject } = {
    "a:1": { phase: "stopped", meta: { tenant: "x", tags: ["p", "q"], at: { b: 1, a: 2 } } },
    "a:2": { phase: "suspended", waitsFor: ["approval", "budget"], wakeAt: 500, meta: { tenant: "x" } },
    "a:3": { phase: "running", wakeAt: 900, meta: { tenant: "y", n: 1 } },
    "b:1": { phase: "suspended", reason: "TOOL_SUSPENDED", waitsFor: ["externalResult"] },
    "b:2": { phase: "dancing", reason: "TIRED", waitsFor: "nothing", wakeAt: "soon", meta: 7 },
  };
  for (const [id, position] of Object.entries(positions)) {
    clock.now += 1;
    await createSession(store, id, position);
  }
}

/** Tests of `list` and of session ids. */
export const sessionTests: StoreContractTests = {
  "list returns the fields of the newest position": async ({ store, clock }) => {
    const { now } = clock;
    await sessionsToList(store, clock);
    const at = (n: number) => ({ seq: 1, updatedAt: now + n });
    const tenant = { tenant: "x" };
    assert.deepEqual((await store.list()).sessions, [
      {
        sessionId: "a:1",
        ...at(1),
        phase: "stopped",
        waitsFor: [],
        meta: { ...tenant, tags: ["p", "q"], at: { b: 1, a: 2 } },
      },
      {
        sessionId: "a:2",
        ...at(2),
        phase: "suspended",
        waitsFor: ["approval", "budget"],
        wakeAt: 500,
        meta: tenant,
      },
      {
        sessionId: "a:3",
        ...at(3),
        phase: "running",
        waitsFor: [],
        wakeAt: 900,
        meta: { tenant: "y", n: 1 },
      },
      {
        sessionId: "b:1",
        ...at(4),
        phase: "suspended",
        reason: "TOOL_SUSPENDED",
        waitsFor: ["externalResult"],
        meta: {},
      },
      { sessionId: "b:2", ...at(5), phase: "unfinished", waitsFor: [], meta: {} },
    ]);
  },
  "list filters by prefix, phase, meta and wakeAt": async ({ store, clock }) => {
    await sessionsToList(store, clock);
    assert.deepEqual(await idsOf(store, { prefix: "a:" }), ["a:1", "a:2", "a:3"]);
    assert.deepEqual(await idsOf(store, { prefix: "%" }), []);
    assert.deepEqual(await idsOf(store, { phase: "suspended" }), ["a:2", "b:1"]);
    assert.deepEqual(await idsOf(store, { phase: "suspended", prefix: "b" }), ["b:1"]);
    assert.deepEqual(await idsOf(store, { wakeBefore: 499 }), []);
    assert.deepEqual(await idsOf(store, { wakeBefore: 500 }), ["a:2"]);
    assert.deepEqual(await idsOf(store, { wakeBefore: 1_000, meta: { tenant: "y" } }), ["a:3"]);
    assert.deepEqual(await idsOf(store, { meta: { tenant: "x" } }), ["a:1", "a:2"]);
    assert.deepEqual(await idsOf(store, { meta: { tenant: "y", n: 1 } }), ["a:3"]);
    assert.deepEqual(await idsOf(store, { meta: { tenant: "y", n: "1" } }), []);
    assert.deepEqual(await idsOf(store, { meta: { at: { a: 2, b: 1 } } }), ["a:1"]);
    assert.deepEqual(await idsOf(store, { meta: { at: { a: 2 } } }), []);
    assert.deepEqual(await idsOf(store, { meta: { tags: ["p"] } }), []);
    assert.equal((await idsOf(store, { meta: {} })).length, 5);
  },
  "list returns the newest meta, also after positions without one": async ({ store, open }) => {
    const lease = await createSession(store, "s", { phase: "running", meta: { v: 1 } });
    await store.append("s", batchOf(lease, 1));
    assert.deepEqual(await idsOf(store, { meta: { v: 1 } }), ["s"]);
    await store.append("s", batchOf(lease, 2, 1, { position: { phase: "running", meta: { v: 2 } } }));
    await store.append("s", batchOf(lease, 3));
    await store.release(lease);
    const { sessions } = await (await open()).list();
    assert.deepEqual([sessions[0]?.meta, sessions[0]?.seq], [{ v: 2 }, 4]);
    assert.deepEqual(await idsOf(store, { meta: { v: 1 } }), []);
  },
  "list pages without gap or repetition": async ({ store }) => {
    const ids = Array.from({ length: 23 }, (_, index) => `s${String(index).padStart(2, "0")}`);
    for (const id of ids.toReversed()) {
      await createSession(store, id, { phase: id.endsWith("0") ? "stopped" : "running" });
    }
    for (const filter of [{}, { phase: "running" }, { prefix: "s1" }] as const) {
      const expected = await idsOf(store, filter);
      const found: string[] = [];
      for await (const { sessions } of pagesOf((from) => store.list({ ...filter, limit: 5, ...from }))) {
        assert.ok(sessions.length <= 5);
        found.push(...sessions.map(({ sessionId }) => sessionId));
      }
      assert.deepEqual(found, expected);
    }
    assert.equal((await store.list({ limit: 23 })).sessions.length, 23);
  },
  "session ids of any characters are distinct, and listed in the order of their code points": async ({
    store,
    open,
  }) => {
    for (const [n, id] of ODD_IDS.entries()) {
      const lease = await acquireLease(store, id);
      const entries = [entryOf(1, { n })];
      await store.putInput(id, { id, data: { n } });
      await store.append(id, batchOf(lease, 0, 0, { entries, position: { phase: "stopped", n } }));
    }
    const another = await open();
    for (const [n, id] of ODD_IDS.entries()) {
      assert.deepEqual((await collectAll(another.read(id)))[0]?.data, { n }, id);
      assert.deepEqual((await another.load(id))?.position["n"], n, id);
      assert.deepEqual(await another.takeInputs(id, 9), [{ id, data: { n } }], id);
      assert.ok((await idsOf(another, { prefix: id })).includes(id), id);
    }
    const inOrder = ODD_IDS.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    assert.deepEqual(await idsOf(another), inOrder);
    const { sessions, cursor } = await another.list({ limit: 3 });
    assert.equal(sessions.length, 3);
    assert.deepEqual(await idsOf(another, { cursor: cursor! }), inOrder.slice(3));
    assert.equal(await store.delete(".."), true);
    assert.deepEqual(
      await idsOf(store),
      inOrder.filter((id) => id !== ".."),
    );
  },
  "an empty id and an id of malformed Unicode are refused": async ({ store }) => {
    for (const id of ["", "\ud800"]) {
      await rejectsWith(store.acquire(id, { owner: "anna", ttlMs: 1 }), "config/invalid");
      await rejectsWith(store.append(id, batchOf({ fence: 1 }, 0)), "config/invalid");
      await rejectsWith(store.putInput(id, { id: "1", data: {} }), "config/invalid");
      await rejectsWith(store.putInput("s", { id, data: {} }), "config/invalid");
      await rejectsWith(store.load(id), "config/invalid");
      await rejectsWith(store.delete(id), "config/invalid");
    }
    assert.deepEqual(await store.list(), { sessions: [] });
  },
};

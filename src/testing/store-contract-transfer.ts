import assert from "node:assert/strict";
import { AgentError } from "../core/base/error.ts";
import type { Batch, SessionStore } from "../store/port.ts";
import { exportSession, importSession } from "../store/transfer.ts";
import {
  collectAll,
  batchOf,
  entryOf,
  acquireLease,
  viewOf,
  type StoreContractTests,
} from "./store-contract-kit.ts";
import { rejectsWith } from "./contract.ts";

/** A session of 600 entries with a meta, a checkpoint and one waiting input. */
async function createLongSession(store: SessionStore, sessionId: string): Promise<void> {
  const lease = await acquireLease(store, sessionId);
  for (const id of ["1", "2"]) await store.putInput(sessionId, { id, data: { text: `${id} 😀\u0000` } });
  const first = { position: { phase: "running", meta: { tenant: "x" } }, checkpoint: { seq: 2 } };
  await store.append(sessionId, batchOf(lease, 0, 2, { ...first, ackInputs: ["1"] }));
  await store.append(sessionId, batchOf(lease, 2, 598, { position: { phase: "suspended", wakeAt: 7 } }));
  await store.release(lease);
}

/** Tests of `exportSession` and `importSession`. */
export const transferTests: StoreContractTests = {
  "importSession restores an exported session, under its own id or another": async ({ store }) => {
    await createLongSession(store, "s");
    const text = (await collectAll(exportSession(store, "s"))).join("");
    assert.equal(await importSession(store, [text], { sessionId: "copy" }), "copy");
    const entries = await collectAll(store.read("copy"));
    assert.deepEqual(
      entries,
      Array.from({ length: 600 }, (_, index) => entryOf(index + 1)),
    );
    assert.deepEqual(await store.load("copy"), {
      seq: 600,
      position: { phase: "suspended", wakeAt: 7, meta: { tenant: "x" } },
      checkpoint: { seq: 2 },
    });
    assert.deepEqual(await store.takeInputs("copy", 9), [{ id: "2", data: { text: "2 😀\u0000" } }]);
    const { sessions } = await store.list({ meta: { tenant: "x" }, phase: "suspended" });
    assert.deepEqual(
      sessions.map(({ sessionId }) => sessionId),
      ["copy", "s"],
    );
    await store.delete("s");
    const pieces = text.match(/[^]{1,1000}/gu) ?? [];
    assert.equal(await importSession(store, pieces), "s");
    assert.equal((await store.load("s"))?.seq, 600);
    await acquireLease(store, "s", "next owner");
  },
  "importSession refuses an id that exists, and exportSession an unknown one": async ({ store }) => {
    await createLongSession(store, "s");
    const lines = await collectAll(exportSession(store, "s"));
    const before = await viewOf(store, "s");
    await rejectsWith(importSession(store, lines), "session/conflict");
    assert.deepEqual(await viewOf(store, "s"), before);
    await acquireLease(store, "leased");
    await rejectsWith(importSession(store, lines, { sessionId: "leased" }), "session/conflict");
    await rejectsWith(collectAll(exportSession(store, "unknown")), "session/not-found");
  },
  "an importSession that fails removes what it wrote, and no input of others": async ({ store }) => {
    await createLongSession(store, "s");
    await store.putInput("s", { id: "3", data: {} });
    const lines = await collectAll(exportSession(store, "s"));
    const others = [
      { id: "2", data: { by: "another" } },
      { id: "4", data: {} },
    ];
    await store.putInput("copy", others[0]!);
    const failing = new Proxy(store, {
      get(target, key) {
        const member: unknown = Reflect.get(target, key, target);
        if (typeof member !== "function") return member;
        return async (...args: readonly [string, Batch]) => {
          if (key !== "append" || args[1].position["phase"] === "quarantined")
            return Reflect.apply(member, target, args) as unknown;
          await store.putInput("copy", others[1]!);
          throw new AgentError("store/failed", "No space is left.");
        };
      },
    });
    await rejectsWith(importSession(failing, lines, { sessionId: "copy" }), "store/failed");
    assert.equal(await store.load("copy"), undefined);
    assert.deepEqual(await store.takeInputs("copy", 9), others);
    await importSession(store, lines, { sessionId: "copy" });
    assert.deepEqual(await store.takeInputs("copy", 9), [...others, { id: "3", data: {} }]);
    await rejectsWith(importSession(failing, lines, { sessionId: "other" }), "store/failed");
    await store.delete("copy");
    assert.equal(await store.delete("other"), false);
  },
  "importSession refuses a cut, changed or foreign file before it writes anything": async ({ store }) => {
    await createLongSession(store, "s");
    const lines = await collectAll(exportSession(store, "s"));
    const [header, first, ...rest] = lines as [string, string, ...string[]];
    await store.delete("s");
    const bad: readonly (readonly string[])[] = [
      [],
      lines.slice(0, -1),
      [...lines, "{}\n"],
      [header, ...rest],
      [header, first.replace('"n":1', '"n":2'), ...rest],
      [header, "not JSON\n", ...rest],
      ["{}\n", first, ...rest],
      ["null\n", first, ...rest],
      [header, "null\n", first, ...rest],
      [header, first, ...rest.slice(0, -1), rest.at(-1)!.replace('"wakeAt":7', '"wakeAt":8')],
    ];
    for (const pieces of bad) await rejectsWith(importSession(store, pieces), "session/damaged");
    const newer = header.replace(/"version":\d+/, '"version":9');
    await rejectsWith(importSession(store, [newer, first, ...rest]), "session/version");
    assert.deepEqual(await store.list(), { sessions: [] });
    assert.equal(await importSession(store, lines), "s");
  },
};

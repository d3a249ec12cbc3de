// Sessions in quarantine.
import { describe, expect, test } from "vitest";
import { createAgent, type SessionStore } from "agentchart";
import { exportSession, importSession, openSession } from "agentchart/session";
import { memoryStore } from "agentchart/store/memory";
import { createDispatcher, inProcessQueue } from "agentchart/worker";
import { scriptedModel } from "agentchart/testing";
import { quarantine } from "../../src/worker/inbox.ts";

const agentOn = (store: SessionStore, sessionId: string, ...answers: string[]) =>
  createAgent({ name: "desk", model: scriptedModel(answers), store, sessionId });

/** A session of one turn, and its export. */
async function stored() {
  const store = memoryStore();
  const agent = agentOn(store, "s", "Hello");
  await agent.call("Hi");
  await agent.close();
  const lines: string[] = [];
  for await (const line of exportSession(store, "s")) lines.push(line);
  return { store, lines };
}

describe("a session that is quarantined", () => {
  test("a quarantined session can be read and exported, and does not run until the quarantine ends", async () => {
    const { store } = await stored();
    const lease = (await store.acquire("s", { owner: "w", ttlMs: 1_000 }))!;
    expect(await quarantine(store, lease, { reason: "It kills.", at: 1 }, {})).toBe(true);
    expect(await quarantine(store, lease, { reason: "Again.", at: 2 }, {})).toBe(false);
    await store.release(lease);

    const agent = agentOn(store, "s");
    await expect(agent.call("more")).rejects.toMatchObject({
      code: "session/damaged",
      message: "Session 's' is quarantined: It kills.",
    });
    expect(agent.status().phase).toBe("quarantined");
    expect((await (await openSession(store, "s")).at()).messages).toHaveLength(2);

    expect(await createDispatcher({ store, queue: inProcessQueue() }).retry("s")).toBe(true);
    const again = agentOn(store, "s", "Back");
    expect((await again.call("more")).text).toBe("Back");
    await again.close();
  });

  test("a quarantined session is still quarantined after export and import", async () => {
    const { store } = await stored();
    const lease = (await store.acquire("s", { owner: "w", ttlMs: 1_000 }))!;
    await quarantine(store, lease, { reason: "It kills.", at: 1 }, {});
    await store.release(lease);
    await importSession(store, exportSession(store, "s"), { sessionId: "copy" });
    await expect(agentOn(store, "copy").call("more")).rejects.toMatchObject({ code: "session/damaged" });
    expect(await createDispatcher({ store, queue: inProcessQueue() }).retry("copy")).toBe(true);
  });
});

test("the part of a session that a killed import has written never runs", async () => {
  const { lines } = await stored();
  const [header, ...rest] = lines as [string, ...string[]];
  const store = memoryStore();
  const dying: SessionStore = {
    ...store,
    append: async (sessionId, batch) => {
      // All but the last append, and then nothing any more, as after kill -9.
      if ((batch.position as { phase?: string }).phase !== "quarantined") throw new Error("killed");
      return store.append(sessionId, batch);
    },
    delete: async () => false,
  };
  const many = Array.from({ length: 300 }, (_, index) => {
    const entry = JSON.parse(rest[0]!) as { readonly entry: object };
    return { ...entry.entry, seq: index + 1 };
  });
  const source = memoryStore();
  const lease = (await source.acquire("s", { owner: "x", ttlMs: 1_000 }))!;
  const position = { phase: "stopped", state: "stopped.idle" };
  await source.append("s", { expectedSeq: 0, fence: lease.fence, entries: many as never, position });
  expect(header).toContain("agentchart.session");
  await expect(importSession(dying, exportSession(source, "s"))).rejects.toThrow("killed");

  expect((await store.list()).sessions).toMatchObject([{ sessionId: "s", phase: "quarantined", seq: 256 }]);
  await expect(agentOn(store, "s").call("more")).rejects.toMatchObject({ code: "session/damaged" });
  const dispatcher = createDispatcher({ store, queue: inProcessQueue() });
  expect((await dispatcher.deadLetters()).letters).toMatchObject([{ reason: "Its import was cut off." }]);
  await expect(dispatcher.retry("s")).rejects.toMatchObject({ code: "session/damaged" });
});

// Workers of two releases beside each other.
import { expect, test } from "vitest";
import { textOf, type JsonObject, type SessionStore } from "agentchart";
import { openSession, type Batch, type JournalEntry } from "agentchart/session";
import { memoryStore } from "agentchart/store/memory";
import { inProcessQueue } from "agentchart/worker";
import { bench } from "./kit.ts";

/** How much higher the formats of the next release are. */
const LATER = 100;

/** A store as the next release sees it, whose journals and checkpoints have the next format: it reads those of this release,
 *  and this release does not read its own. */
function nextRelease(store: SessionStore, wrote: (sessionId: string) => void): SessionStore {
  const to = (data: JsonObject) =>
    "format" in data ? { ...data, format: Number(data["format"]) + LATER } : data;
  const from = (data: JsonObject) =>
    Number(data["format"]) > LATER ? { ...data, format: Number(data["format"]) - LATER } : data;
  const changed: Pick<SessionStore, "append" | "read" | "load"> = {
    append: (sessionId, batch) => {
      wrote(sessionId);
      const entries = batch.entries.map((entry) => ({ ...entry, data: to(entry.data) }));
      const newer: Batch = {
        ...batch,
        entries,
        ...(batch.checkpoint && { checkpoint: to(batch.checkpoint) }),
      };
      return store.append(sessionId, newer);
    },
    async *read(...args): AsyncGenerator<JournalEntry> {
      for await (const entry of store.read(...args)) yield { ...entry, data: from(entry.data) };
    },
    load: async (sessionId) => {
      const found = await store.load(sessionId);
      return found?.checkpoint ? { ...found, checkpoint: from(found.checkpoint) } : found;
    },
  };
  return new Proxy(store, {
    get: (target, key) => (changed as never)[key] ?? (Reflect.get(target, key, target) as unknown),
  });
}

/** A store that tells who appends to which session. */
const telling = (store: SessionStore, wrote: (sessionId: string) => void): SessionStore =>
  new Proxy(store, {
    get(target, key) {
      if (key !== "append") return Reflect.get(target, key, target) as unknown;
      return (sessionId: string, batch: Batch) => {
        wrote(sessionId);
        return target.append(sessionId, batch);
      };
    },
  });

test("a worker of this release beside one of the next leaves alone what the next has written, and all is done", async () => {
  const [store, queue] = [memoryStore(), inProcessQueue()];
  const writers = new Map<string, string[]>();
  const by = (who: string) => (sessionId: string) =>
    void writers.set(sessionId, [...(writers.get(sessionId) ?? []), who]);
  const old = await bench({ store: telling(store, by("old")), queue, concurrency: 2 });
  const next = await bench({ store: nextRelease(store, by("next")), queue, concurrency: 2 });
  const ids = Array.from({ length: 21 }, (_, index) => `s${index}`); // by turns, none stays with one worker
  for (const text of ["one", "two", "three"]) {
    for (const id of ids) await old.dispatcher.dispatch(id, text, { agent: "echo" });
    await expect.poll(async () => (await store.listDue({ before: Date.now() })).sessionIds).toEqual([]);
  }
  const seen = nextRelease(store, () => {});
  for (const id of ids) {
    await expect
      .poll(async () => (await (await openSession(seen, id)).at()).messages.map(textOf))
      .toEqual(["one", "echo: one", "two", "echo: two", "three", "echo: three"]);
    const who = writers.get(id)!;
    const isFirst = (writer: string, index: number): boolean => index === 0 || who[index - 1] !== writer;
    expect(who.filter(isFirst), id).toEqual(
      who.includes("old") ? ["old", ...(who.includes("next") ? ["next"] : [])] : ["next"],
    );
  }
  expect(old.worker.stats().turns).toBeGreaterThan(0);
  expect(next.worker.stats().turns).toBeGreaterThan(0);
  expect(old.worker.stats().putBack).toBeGreaterThan(0);
  expect(old.worker.stats().quarantined).toBe(0);
});

// Workers keep what they released last.
import { expect, onTestFinished, test } from "vitest";
import { defineSlot, redactSecrets, userMsg, type ChatModel, type SessionStore, type Slot } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { sqliteStore } from "agentchart/store/sqlite";
import { createDispatcher, createWorker, inProcessQueue, type AnyWorkerAgentConfig } from "agentchart/worker";
import { Transcript } from "../../src/core/message/transcript.ts";
import type { Lease } from "../../src/store/port.ts";
import { LastSessions } from "../../src/worker/worker.ts";
import { toolOf } from "../support/agents.ts";
import { echoModel } from "./kit.ts";

/** A store that counts the entries that are read. */
function counting(store: SessionStore) {
  let entries = 0;
  const read: SessionStore["read"] = async function* (...args) {
    for await (const entry of store.read(...args)) {
      entries++;
      yield entry;
    }
  };
  const get = (target: SessionStore, key: string): unknown => {
    if (key === "read") return read;
    const member: unknown = Reflect.get(target, key, target);
    return typeof member === "function" ? (member.bind(target) as unknown) : member;
  };
  const counted = new Proxy(store, { get: get as never });
  return { counted, taken: () => [entries, (entries = 0)][0]! };
}

/** A model that notes what it is asked. */
function noting(): { readonly model: ChatModel; readonly asked: string[][] } {
  const asked: string[][] = [];
  const model: ChatModel = {
    name: "noting",
    stream: (request, options) => {
      asked.push(request.messages.map((message) => JSON.stringify([message.role, message.content])));
      return echoModel.stream(request, options);
    },
  };
  return { model, asked };
}

const notes = defineSlot<string>({ name: "notes", initial: "" });
const look = toolOf("look", () => ({ content: "seen", slots: { notes: "looked" } }), {
  writes: [notes],
} as never);

async function working(store: SessionStore, config: Partial<AnyWorkerAgentConfig> = {}) {
  const queue = inProcessQueue();
  const agents = {
    desk: () =>
      ({
        name: "desk",
        model: echoModel,
        tools: [look],
        ...config,
        sessionOptions: { slots: [notes as Slot], ...config.sessionOptions },
      }) as AnyWorkerAgentConfig,
  };
  const worker = createWorker({ store, queue, agents, sweepMs: 0, pollMs: 20 });
  onTestFinished(async () => {
    await worker.close({ deadlineMs: 100 });
    await queue.close();
  });
  await worker.start();
  const dispatcher = createDispatcher({ store, queue });
  const isFree = async (): Promise<boolean> =>
    (await store.load("s"))?.position["phase"] === "stopped" &&
    (await store.takeInputs("s", 1)).length === 0 &&
    worker.stats().running === 0;
  const say = async (text: string): Promise<void> => {
    await dispatcher.dispatch("s", text, { agent: "desk" });
    await expect.poll(isFree, { interval: 2 }).toBe(true);
  };
  return { worker, say };
}

test("B2 a turn of one tool has three appends in a new session as in one that is there, and the first takes its input", async () => {
  const store = memoryStore();
  const { append } = store;
  const acknowledged: number[] = [];
  const { say } = await working(
    Object.assign(store, {
      append: (...[id, batch]: Parameters<SessionStore["append"]>) => {
        if (batch.entries.length > 0) acknowledged.push(batch.ackInputs?.length ?? 0);
        return append(id, batch);
      },
    }),
  );
  await say("call look");
  expect(acknowledged.splice(0)).toEqual([1, 0, 0]);
  await say("call look");
  expect(acknowledged).toEqual([1, 0, 0]);
});

test("a worker that has a session again reads nothing of its journal, at any length", async () => {
  const { counted, taken } = counting(memoryStore());
  const { say } = await working(counted);
  await say("call look");
  const read: number[] = [];
  for (let turn = 1; turn <= 60; turn++) {
    taken();
    await say(turn % 2 === 0 ? "call look" : `turn ${turn}`);
    read.push(taken());
  }
  expect(new Set(read)).toEqual(new Set([0]));
});

test("a session that another process had since, or that was made anew, is read from the store", async () => {
  const store = memoryStore();
  const { counted, taken } = counting(store);
  const { model, asked } = noting();
  const here = await working(counted, { model });
  const there = await working(store);
  await here.say("one");
  await there.worker.close();
  taken();
  await here.say("two");
  expect(taken()).toBe(0);

  const other = await working(store);
  await here.worker.close();
  await other.say("three");
  await other.worker.close();
  const again = await working(counted, { model });
  taken();
  await again.say("four");
  expect(taken()).toBeGreaterThan(0);
  expect(asked.at(-1)!.filter((message) => message.includes("user"))).toHaveLength(4);

  await store.delete("s");
  await again.say("five");
  expect(asked.at(-1)).toEqual([expect.stringContaining("five")]);
});

test("what the model is asked is the same with a session that was cached and one that was read", async () => {
  const said = ["one", "call look", "two", "call look", "three"];
  const askedWith = async (isRead: boolean) => {
    const store = sqliteStore({ path: ":memory:" });
    onTestFinished(() => store.close());
    const { model, asked } = noting();
    let bench = await working(store, { model });
    for (const text of said) {
      await bench.say(text);
      if (!isRead) continue;
      await bench.worker.close();
      bench = await working(store, { model });
    }
    const { seq, checkpoint } = (await store.load("s"))!;
    const { slots, progress } = checkpoint!["kept"] as { readonly slots: object; readonly progress: object };
    return { asked, seq, slots, turn: (progress as { readonly turn: number }).turn };
  };
  const [cached, read] = [await askedWith(false), await askedWith(true)];
  const idless = (asked: readonly string[][]) =>
    asked.map((messages) => messages.map((message) => message.replaceAll(/"id":"[^"]*"/g, "")));
  expect(idless(cached.asked)).toEqual(idless(read.asked));
  expect([cached.seq, cached.slots, cached.turn]).toEqual([read.seq, read.slots, read.turn]);
});

test("a session whose store has something else than its process is read from the store", async () => {
  const { counted, taken } = counting(memoryStore());
  const { model, asked } = noting();
  const { say } = await working(counted, { model, sessionOptions: { redact: redactSecrets } });
  await say("one");
  taken();
  await say("two");
  expect(taken()).toBeGreaterThan(0);
  expect(asked.at(-1)!.map((message) => message.includes("one"))).toContain(true);
});

test("of many sessions the last are cached, within a bound of characters", () => {
  const last = new LastSessions(10_000);
  const lease = (sessionId: string, fence: number): Lease => ({
    sessionId,
    owner: "w",
    fence,
    expiresAt: 0,
    takeovers: 0,
  });
  const put = (id: string, characters: number) =>
    last.put(
      lease(id, 1),
      {
        seq: 1,
        transcript: Transcript.of([userMsg("x".repeat(characters))]),
        marks: { marks: [], hasResults: false },
        known: new Set(),
        modelCalls: 0,
      },
      undefined,
    );
  const isKept = (id: string): boolean => last.take(lease(id, 2)) !== undefined;
  put("large", 20_000);
  expect(isKept("large")).toBe(false);
  for (const id of ["a", "b", "c"]) put(id, 3_000);
  expect(["a", "b", "c"].map(isKept)).toEqual([false, true, true]);
  expect(isKept("b")).toBe(false); // it is with the one that took it
  put("late", 10);
  expect(last.take(lease("late", 3))).toBeUndefined();
});

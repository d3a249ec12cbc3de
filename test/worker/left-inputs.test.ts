// Inputs that come at any instant of a turn whose last append ends the lease: none is left in the inbox, and none is taken twice.
import { describe, expect, onTestFinished, test } from "vitest";
import type { SessionStore } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { sqliteStore } from "agentchart/store/sqlite";
import { createDispatcher, createWorker, inProcessQueue, type WakeQueue } from "agentchart/worker";
import { toolOf } from "../support/agents.ts";
import { scratch } from "../store/scratch.ts";
import { echoModel, lastSaid } from "./kit.ts";

/** A store that calls `at` with the number of the instant before and after each operation. */
function withInstants(store: SessionStore, at: (instant: number) => void | Promise<void>): SessionStore {
  let instants = 0;
  const get = (target: SessionStore, key: string): unknown => {
    const member: unknown = Reflect.get(target, key, target);
    if (typeof member !== "function" || key === "read" || key === "watch") return member;
    return async (...args: unknown[]): Promise<unknown> => {
      await at(instants++);
      const result = await (member as (...all: unknown[]) => Promise<unknown>).apply(target, args);
      await at(instants++);
      return result;
    };
  };
  return new Proxy(store, { get: get as never });
}

const STORES: { readonly [name: string]: (folder: string, run: number) => SessionStore } = {
  memory: () => memoryStore(),
  SQLite: (folder, run) => sqliteStore({ path: `${folder}/${run}.db` }),
};

const QUEUES: { readonly [name: string]: () => WakeQueue } = {
  "that signals": inProcessQueue,
  "whose signals are lost": () => Object.assign(inProcessQueue(), { publish: () => {} }),
};

/** Runs a turn, in which an input is put at one instant and its worker woken at another one, and says what has come of it. */
async function raced(
  store: SessionStore,
  queue: WakeQueue,
  [putAt, wakeAt]: readonly [number, number],
): Promise<{ readonly instants: number; readonly said: readonly string[]; readonly releases: number }> {
  const said: string[] = [];
  let [instants, releases] = [0, 0];
  const wakesNobody: WakeQueue = {
    wake: async () => {},
    consume: (...args) => queue.consume(...args),
    publish: (...args) => queue.publish(...args),
    subscribe: (...args) => queue.subscribe(...args),
    stats: () => queue.stats(),
    close: async () => {},
  };
  const silent = createDispatcher({ store, queue: wakesNobody });
  const left = [
    { from: putAt, act: async () => void (await silent.dispatch("s", "two", { agent: "desk" })) },
    { from: wakeAt, act: () => queue.wake("s") },
  ].filter(({ from }) => from >= 0);
  let acting = Promise.resolve();
  const actUntil = (instant: number): Promise<void> =>
    (acting = acting.then(async () => {
      while (left[0] && left[0].from <= instant) await left.shift()!.act();
    }));
  const watched = withInstants(store, async (instant) => {
    instants = Math.max(instants, instant + 1);
    await actUntil(instant);
  });
  const counted = new Proxy(watched, {
    get: (target, key) => {
      if (key === "release") releases++;
      return Reflect.get(target, key) as unknown;
    },
  });
  const model: typeof echoModel = {
    name: "echo",
    stream: (request, options) => {
      if (request.messages.at(-1)!.role === "user") said.push(lastSaid(request.messages));
      return echoModel.stream(request, options);
    },
  };
  const agents = { desk: () => ({ name: "desk", model, tools: [toolOf("look", () => "seen")] }) };
  const worker = createWorker({ store: counted, queue, agents, sweepMs: 0, pollMs: 60_000 });
  worker.subscribe(({ type }) => void (type === "session.end" && void actUntil(Infinity))); // the turn had fewer instants
  await worker.start();
  const start = instants; // of the start of the worker
  try {
    await createDispatcher({ store, queue }).dispatch("s", "call look", { agent: "desk" });
    const expected = putAt < 0 ? 1 : 2;
    await expect.poll(() => said.length, { interval: 3 }).toBe(expected);
    await expect.poll(async () => (await queue.stats()).active, { interval: 3 }).toBe(0);
    expect(await store.takeInputs("s", 9)).toEqual([]);
    expect((await store.load("s"))?.position["phase"]).toBe("stopped");
    expect(await store.holder?.("s")).toBeUndefined();
    return { instants: instants - start, said, releases };
  } finally {
    await worker.close({ deadlineMs: 1_000 });
    await queue.close();
    await store.close();
  }
}

describe.each(Object.entries(STORES))(
  "an input that comes while a turn runs, in a store in %s",
  (_, makeStore) => {
    test.each(Object.entries(QUEUES))(
      "R5 is taken once, at whichever instant, with a queue %s",
      async (__, makeQueue) => {
        const { dir, remove } = scratch();
        onTestFinished(remove);
        let runs = 0;
        const race = (putAt: number, wakeAt: number) =>
          raced(makeStore(dir, runs++), makeQueue(), [putAt, wakeAt]);
        const alone = await race(-1, -1);
        expect(alone.releases).toBe(0);
        const seen = new Set<number>();
        // The worker has listed what is due before: two instants.
        for (let putAt = 2; putAt < alone.instants + 2; putAt++)
          for (let wakeAt = putAt; wakeAt < alone.instants + 2; wakeAt++) {
            const { said, releases } = await race(putAt, wakeAt);
            expect([putAt, wakeAt, ...said]).toEqual([putAt, wakeAt, "call look", "two"]);
            seen.add(releases);
          }
        expect([...seen]).toContain(0);
      },
    );
  },
);

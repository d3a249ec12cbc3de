// Subscribers see short turns to their end, whichever signals between them and the worker come late or are lost.
import { once } from "node:events";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { AgentEvent, SessionStore } from "agentchart";
import { sqliteStore } from "agentchart/store/sqlite";
import { scriptedModel } from "agentchart/testing";
import { createDispatcher, createWorker, inProcessQueue, type WakeQueue } from "agentchart/worker";
import { scratch } from "../store/scratch.ts";

/** The queue as one side has it: without the signals that it does not hear. */
const hears = (queue: WakeQueue, isHeard: (type: unknown) => boolean): WakeQueue => ({
  wake: (...args) => queue.wake(...args),
  consume: (...args) => queue.consume(...args),
  publish: (...args) => queue.publish(...args),
  subscribe: (sessionId, listener) =>
    queue.subscribe(sessionId, (signal) => void (isHeard(signal["type"]) && listener(signal))),
  stats: () => queue.stats(),
  close: async () => {},
});

/** The store without what polls it, as `dev` has it: signals alone say that a journal has become longer. */
const unwatched = (store: SessionStore): SessionStore => ({
  ...store,
  async *watch(_, { signal }) {
    if (!signal.aborted) await once(signal, "abort");
    yield* [];
  },
});
const watched = (store: SessionStore): SessionStore => store;

test.each([
  ["all arrive", () => true, () => true, unwatched],
  ["the worker hears of no subscriber", (type: unknown) => type !== "listen", () => true, unwatched],
  ["subscribers hear nothing, and watch the store", () => true, () => false, watched],
])("when %s", async (_, worker, subscriber, storeOf) => {
  const { dir, remove } = scratch();
  const path = join(dir, "s.db");
  const queue = inProcessQueue();
  const stores = [sqliteStore({ path }), sqliteStore({ path })] as const;
  const makes = () => ({ name: "echo", model: scriptedModel(["Done."]) });
  const running = createWorker({
    queue: hears(queue, worker),
    store: stores[0],
    agents: { echo: makes },
  });
  onTestFinished(async () => {
    await running.close();
    await queue.close();
    for (const store of stores) await store.close();
    remove();
  });
  await running.start();
  const dispatcher = createDispatcher({ queue: hears(queue, subscriber), store: storeOf(stores[1]) });
  for (let round = 0; round < 20; round++) {
    const id = `s${round}`;
    const ended = new AbortController();
    const seen: AgentEvent["type"][] = [];
    const dispatched = round % 2 === 0 ? dispatcher.dispatch(id, "Go.", { agent: "echo" }) : undefined;
    await dispatched;
    const following = (async () => {
      for await (const { type } of dispatcher.subscribe(id, { signal: ended.signal })) {
        seen.push(type);
        if (type === "turn.end") return;
      }
    })();
    if (!dispatched) await dispatcher.dispatch(id, "Go.", { agent: "echo" });
    await following;
    expect(seen.at(-1)).toBe("turn.end");
    ended.abort();
  }
});

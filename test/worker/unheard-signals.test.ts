// Subscribers see short turns to their end, whichever signals between them and the worker come late or are lost.
import { once } from "node:events";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import type { AgentEvent, SessionStore } from "agentchart";
import { sqliteStore } from "agentchart/store/sqlite";
import { scriptedModel } from "agentchart/testing";
import { createDispatcher, createWorker, inProcessQueue, type WakeQueue } from "agentchart/worker";
import { SessionSignals, type SignalsOptions } from "../../src/worker/signals.ts";
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

test("what streams goes on when the clock of the machine is set back", async () => {
  const bus = inProcessQueue();
  const deltas: unknown[] = [];
  const queue: WakeQueue = { ...hears(bus, () => true), signalMs: 10 };
  await bus.subscribe("s", ({ type, events }) => void (type === "events" && deltas.push(events)));
  const journal = { recordedSeq: 0, written: () => undefined } as unknown as SignalsOptions["journal"];
  const signals = new SessionSignals(queue, "s", { journal, isWatched: true, onNudge: () => {} });
  queue.publish("s", { type: "listen" });
  await new Promise(setImmediate);
  const delta = { type: "block.delta", messageId: "m", index: 0, delta: "a", seq: 0, n: 0, at: 0 };
  signals.forward(delta as unknown as AgentEvent);
  await expect.poll(() => deltas).toHaveLength(1);
  const clock = vi.spyOn(Date, "now").mockReturnValue(Date.now() - 3_600_000);
  onTestFinished(() => clock.mockRestore());
  signals.forward(delta as unknown as AgentEvent);
  await expect.poll(() => deltas).toHaveLength(2);
  signals.stop();
  await bus.close();
});

// A worker tells nobody of a session that nobody watches, and whoever begins to watch at any instant hears what is said from then on.
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import type { StreamPart } from "agentchart";
import { postgresStore } from "agentchart/store/postgres";
import { bullQueue, createDispatcher, createWorker, type WakeQueue } from "agentchart/worker";
import { NO_POSTGRES, startPostgres } from "../support/postgres.ts";

const server = await startPostgres();

/** The queue without the signals that subscribers repeat at intervals. */
const once = (queue: WakeQueue): WakeQueue => ({
  wake: (...args) => queue.wake(...args),
  consume: (...args) => queue.consume(...args),
  publish: (id, signal) =>
    signal["type"] === "listen" && !signal["isNew"] ? undefined : queue.publish(id, signal),
  subscribe: (...args) => queue.subscribe(...args),
  stats: () => queue.stats(),
  close: async () => {},
});

/** A worker whose model says a word, and the next one when it is told to. */
async function office() {
  const { connectionString } = server!;
  const store = postgresStore({ connectionString, schema: "agentchart_watchers" });
  const queue = bullQueue({ postgres: connectionString, name: "watchers" });
  const asked = Promise.withResolvers<void>();
  let go = (): void => {};
  const model = {
    name: "slow",
    async *stream(): AsyncGenerator<StreamPart> {
      yield { type: "text.delta", delta: "one " };
      asked.resolve();
      await new Promise<void>((resolve) => (go = resolve));
      yield { type: "text.delta", delta: "two" };
      yield { type: "finish", reason: "stop" };
    },
  };
  const worker = createWorker({ store, queue, agents: { echo: () => ({ name: "echo", model }) } });
  await worker.start();
  const dispatcher = createDispatcher({ store, queue: once(queue) });
  onTestFinished(async () => {
    go();
    await worker.close();
    await queue.close();
    await store.close();
  });
  /** Resolves when a subscriber has heard the first word of an answer that has not ended. */
  const heard = async (id: string): Promise<string> => {
    for await (const event of dispatcher.subscribe(id)) if (event.type === "block.delta") return event.delta;
    return "";
  };
  const send = (id: string) => dispatcher.dispatch(id, "Go.", { agent: "echo" });
  return { heard, send, asked: asked.promise, store };
}

describe.skipIf(!server)(`watchers of a worker${server ? "" : ` (${NO_POSTGRES})`}`, () => {
  afterAll(() => server?.stop());

  test.each([
    ["before the session exists", "before"],
    ["while its first turn begins", "meanwhile"],
    ["while the model answers", "after"],
  ])("one that begins to watch %s hears the answer as it comes", async (_, when) => {
    const { heard, send, asked } = await office();
    const early = when === "before" ? heard(when) : undefined;
    const sent = send(when);
    const meanwhile = when === "meanwhile" ? heard(when) : undefined;
    await sent;
    if (when === "after") await asked;
    expect(await (early ?? meanwhile ?? heard(when))).toBe("one ");
  });
});

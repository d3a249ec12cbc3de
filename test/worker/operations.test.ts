// Operations of a store that a turn costs in a worker, and what becomes of inputs that come while one runs.
import { afterAll, describe, expect, test } from "vitest";
import type { ChatModel, SessionStore } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { postgresStore } from "agentchart/store/postgres";
import { createDispatcher, createWorker, inProcessQueue, type WakeQueue } from "agentchart/worker";
import { toolOf } from "../support/agents.ts";
import { NO_POSTGRES, startPostgres } from "../support/postgres.ts";
import { bench, echoModel, lastSaid } from "./kit.ts";

const server = await startPostgres();

/** The names of the operations that were called, in order. */
function noted(store: SessionStore): { readonly store: SessionStore; readonly calls: string[] } {
  const calls: string[] = [];
  const get = (target: SessionStore, key: string): unknown => {
    const member: unknown = Reflect.get(target, key, target);
    if (typeof member !== "function") return member;
    return (...args: unknown[]): unknown => {
      calls.push(key);
      return (member as (...all: unknown[]) => unknown).apply(target, args);
    };
  };
  return { store: new Proxy(store, { get: get as never }), calls };
}

/** A model whose first answer waits until it is let go. */
function heldModel() {
  const [asked, let_] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const said: string[] = [];
  const model: ChatModel = {
    name: "held",
    async *stream({ messages }) {
      const text = lastSaid(messages);
      said.push(text);
      if (said.length === 1) {
        asked.resolve();
        await let_.promise;
      }
      yield { type: "text.delta", delta: `echo: ${text}` };
      yield { type: "finish", reason: "stop" };
    },
  };
  return { model, said, asked: asked.promise, letGo: let_.resolve };
}

describe.skipIf(!server)(`a turn on Postgres${server ? "" : ` (${NO_POSTGRES})`}`, () => {
  afterAll(() => server?.stop());

  test("of one tool costs five operations of the store, of a new session and of a known one", async () => {
    const { connectionString } = server!;
    const { store, calls } = noted(postgresStore({ connectionString, schema: "agentchart_operations" }));
    const queue = inProcessQueue();
    const agents = {
      desk: () => ({ name: "desk", model: echoModel, tools: [toolOf("look", () => "seen")] }),
    };
    const worker = createWorker({ store, queue, agents, sweepMs: 0, pollMs: 60_000 });
    try {
      await worker.start();
      const dispatcher = createDispatcher({ store, queue });
      for (const turn of ["first", "second", "third"]) {
        calls.length = 0;
        const ended = new Promise<void>((resolve) => {
          const stop = worker.subscribe(({ type }) => type === "session.end" && (stop(), resolve()));
        });
        await dispatcher.dispatch("s", "call look", { agent: "desk" });
        await ended;
        const took = ["acquire", "append", "append", "append"];
        // a renewal comes every three seconds, and reading only where messages are asked for
        expect([turn, ...calls.filter((each) => each !== "read" && each !== "renewAll")]).toEqual([
          turn,
          "offerInput",
          ...took,
        ]);
      }
    } finally {
      await worker.close({ deadlineMs: 1_000 });
      await queue.close();
      await store.close();
    }
  });
});

test("the beginning of a turn is stored soon when its model does not answer, and at once for who waits for an event of it", async () => {
  const { model, asked, letGo } = heldModel();
  const { dispatcher, store } = await bench({ agents: { echo: () => ({ name: "echo", model }) } });
  await dispatcher.dispatch("s", "one", { agent: "echo" });
  await asked;
  await expect.poll(async () => (await store.load("s"))?.position["phase"]).toBe("running");
  expect(await store.takeInputs("s", 9)).toEqual([]);
  letGo();
  await expect.poll(async () => (await dispatcher.status("s")).phase).toBe("stopped");
});

/** A queue that loses all signals. */
const withoutSignals = (): WakeQueue => Object.assign(inProcessQueue(), { publish: () => {} });

/** A queue that delivers one wake-up and is away then. */
function awayAfter(wakeUps: number): WakeQueue {
  const queue = inProcessQueue();
  const { wake } = queue;
  let left = wakeUps;
  return Object.assign(queue, {
    publish: () => {},
    wake: async (...args: Parameters<WakeQueue["wake"]>) => {
      if (left-- <= 0) throw new Error("away");
      return wake.apply(queue, args);
    },
  });
}

test.each([
  ["its signal is lost", withoutSignals, 0],
  ["its wake-up is lost, too", () => awayAfter(1), 20],
  ["the queue was never there", () => awayAfter(0), 20],
] as const)("an input that comes while a turn runs is processed although %s", async (_, queueOf, sweepMs) => {
  const { model, said, asked, letGo } = heldModel();
  const queue = queueOf();
  const store = memoryStore();
  const agents = { echo: () => ({ name: "echo", model }) };
  const { dispatcher } = await bench({ agents, queue, store, sweepMs, pollMs: 60_000 });
  await dispatcher.dispatch("s", "one", { agent: "echo" });
  await asked;
  await dispatcher.dispatch("s", "two");
  letGo();
  await expect.poll(() => said).toEqual(["one", "two"]);
  await expect.poll(async () => (await dispatcher.status("s")).inputs).toBe(0);
});

// Subscribers in the process of the worker.
import { describe, expect, onTestFinished, test } from "vitest";
import { defineTool, type AgentEvent, type ChatModel, type SessionStore } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { sqliteStore } from "agentchart/store/sqlite";
import { inProcessQueue } from "agentchart/worker";
import { bench, echoModel } from "./kit.ts";

/** So long that no test reaches it. */
const NEVER_MS = 2_000_000_000;

/** A store that never says that a journal has become longer. */
function unwatched(store: SessionStore): SessionStore {
  return {
    ...store,
    async *watch(_, { signal }) {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      yield* [];
    },
  };
}

const speaker: ChatModel = {
  name: "speaker",
  async *stream() {
    for (const delta of ["An ", "answer ", "in ", "pieces."]) {
      yield { type: "text.delta", delta };
      await new Promise((resolve) => setImmediate(resolve));
    }
    yield { type: "finish", reason: "stop" };
  },
};

let goOn = Promise.withResolvers<void>();
const wait = defineTool({
  name: "wait",
  description: "Waits.",
  input: { type: "object" },
  execute: () => goOn.promise.then(() => "waited"),
});

const thinker: ChatModel = {
  name: "thinker",
  async *stream() {
    yield { type: "thinking.delta", delta: "Hm" };
    yield { type: "text.delta", delta: "So" };
    await goOn.promise;
    yield { type: "text.delta", delta: " be it" };
    yield { type: "finish", reason: "stop" };
  },
};

const pay = defineTool({
  name: "pay",
  description: "Pays.",
  input: { type: "object" },
  permission: "ask",
  execute: (_, { emit }) => (emit("paying"), "paid"),
});

/** A worker and a dispatcher in this process that read nothing periodically, and what a subscriber receives. */
async function process(store: SessionStore) {
  const { dispatcher } = await bench({
    store: unwatched(store),
    queue: inProcessQueue(),
    agents: {
      speaker: () => ({ name: "speaker", model: speaker }),
      thinker: () => ({ name: "thinker", model: thinker }),
      clerk: () => ({ name: "clerk", model: echoModel, tools: [pay, wait] }),
    },
    pollMs: NEVER_MS,
    sweepMs: 0,
    retryMs: NEVER_MS,
  });
  const stop = new AbortController();
  const events: AgentEvent[] = [];
  const reading = (async () => {
    for await (const event of dispatcher.subscribe("s", { signal: stop.signal })) events.push(event);
  })();
  onTestFinished(async () => {
    stop.abort();
    await reading;
  });
  const types = (...wanted: readonly AgentEvent["type"][]) =>
    events.map(({ type }) => type).filter((type) => wanted.includes(type));
  return { dispatcher, events, types };
}

describe.each<[string, () => SessionStore]>([
  ["memory", () => memoryStore()],
  ["SQLite", () => sqliteStore({ path: ":memory:" })],
])("a worker and a subscriber in one process, with %s and without any polling", (_, open) => {
  test("the subscriber receives all text of an answer, its message and the end of its turn, in this order", async () => {
    const { dispatcher, events, types } = await process(open());
    await dispatcher.dispatch("s", "Speak.", { agent: "speaker" });
    await expect.poll(() => types("turn.end")).toHaveLength(1);
    const text = events.map((event) => (event.type === "block.delta" ? event.delta : "")).join("");
    expect(text).toBe("An answer in pieces.");
    const order = types("message", "block.start", "block.end", "turn.end");
    expect(order).toEqual(["message", "block.start", "block.end", "message", "turn.end"]);
  });

  test("one that subscribes while the answer is written receives all of it", async () => {
    goOn = Promise.withResolvers();
    const { dispatcher, types } = await process(open());
    await dispatcher.dispatch("s", "Think.", { agent: "thinker" });
    await expect.poll(() => types("block.end")).toHaveLength(1);
    const stop = new AbortController();
    const late: AgentEvent[] = [];
    const reading = (async () => {
      for await (const event of dispatcher.subscribe("s", { signal: stop.signal })) late.push(event);
    })();
    const text = (of: readonly AgentEvent[]) =>
      of
        .map((event) => (event.type === "block.delta" ? event.delta : event.type === "block.end" ? "." : ""))
        .join("");
    await expect.poll(() => text(late)).toBe("Hm.So");
    goOn.resolve();
    await expect.poll(() => late.some(({ type }) => type === "turn.end")).toBe(true);
    stop.abort();
    await reading;
    expect([text(late), types("block.start", "block.end").length]).toEqual(["Hm.So be it.", 4]);
  });

  test("the subscriber hears of a call while it runs", async () => {
    goOn = Promise.withResolvers();
    const { dispatcher, types } = await process(open());
    await dispatcher.dispatch("s", "call wait", { agent: "clerk" });
    await expect.poll(() => types("message", "tool.start")).toEqual(["message", "message", "tool.start"]);
    goOn.resolve();
    await expect
      .poll(() => types("tool.end", "message", "turn.end").slice(2))
      .toEqual(["tool.end", "message", "message", "turn.end"]);
  });

  test("the subscriber receives the message that asks, then the calls that wait, then the end of the turn", async () => {
    const { dispatcher, events, types } = await process(open());
    await dispatcher.dispatch("s", "call pay", { agent: "clerk" });
    await expect.poll(() => types("turn.end")).toHaveLength(1);
    expect(types("message", "pending", "turn.end")).toEqual(["message", "message", "pending", "turn.end"]);
    const pending = events.find((event) => event.type === "pending")!;
    const [{ callId, argsHash }] = pending.calls as [(typeof pending.calls)[number]];
    events.length = 0;
    await dispatcher.decide("s", callId, "approve", { argsHash });
    await expect.poll(() => types("turn.end")).toHaveLength(1);
    expect(types("tool.start", "tool.delta", "tool.end", "pending", "message", "turn.end")).toEqual([
      "tool.start",
      "tool.delta",
      "tool.end",
      "message",
      "message",
      "turn.end",
    ]);
  });
});

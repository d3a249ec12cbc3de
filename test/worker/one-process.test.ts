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
      clerk: () => ({ name: "clerk", model: echoModel, tools: [pay] }),
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

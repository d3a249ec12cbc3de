// The event of a compaction is emitted when the compaction is stored, in the order of all events.
import { describe, expect, test } from "vitest";
import { createAgent, textOf, userMsg, type AgentEvent } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import type { ChatModel } from "../../../src/core/model/port.ts";
import type { SessionStore } from "../../../src/store/port.ts";

const model: ChatModel = {
  name: "m",
  capabilities: { contextTokens: 4_000 },
  async *stream({ messages }) {
    const isSummary = textOf(messages.at(-1)!).includes("Another model will go on");
    yield { type: "text.delta", delta: isSummary ? "A summary." : "Done." };
    yield { type: "finish", reason: "stop" };
  },
};

/** A store that says of each append when it is over, and whether it is to fail. */
function watchedStore(fails: () => boolean): { readonly store: SessionStore; readonly log: string[] } {
  const log: string[] = [];
  const store = memoryStore();
  const append: SessionStore["append"] = async (...args) => {
    await new Promise((resolve) => setImmediate(resolve));
    if (fails()) throw new Error("the disk is full");
    const done = await store.append(...args);
    log.push(JSON.stringify(args).includes("A summary.") ? "stored the summary" : "stored");
    return done;
  };
  return {
    store: new Proxy(store, { get: (of, key) => (key === "append" ? append : Reflect.get(of, key)) }),
    log,
  };
}

const history = Array.from({ length: 40 }, (_, at) => userMsg(`${at} ${"words of a user ".repeat(30)}`));

describe("what a compaction did", () => {
  test("is told when it is stored, and no event overtakes another one", async () => {
    const { store, log } = watchedStore(() => false);
    const agent = createAgent({ name: "desk", model, store, sessionId: "told", messages: history });
    const events: AgentEvent[] = [];
    agent.subscribe((event) => {
      events.push(event);
      if (event.type === "compaction.end") log.push("told the end");
    });
    expect((await agent.call("Go on.")).text).toBe("Done.");
    expect(events.filter(({ type }) => type.startsWith("compaction.")).length).toBeGreaterThanOrEqual(2);
    expect(log.indexOf("told the end")).toBeGreaterThan(log.indexOf("stored the summary"));
    expect(log).toContain("stored the summary");
    expect(events.map(({ n }) => n)).toEqual(events.map((_, at) => events[0]!.n + at));
    expect(events.at(-1)!.type).toBe("turn.end");
    await agent.close();
  });

  test("is never told if it cannot be stored", async () => {
    let isBroken = false;
    const { store } = watchedStore(() => isBroken);
    const agent = createAgent({ name: "desk", model, store, sessionId: "untold", messages: history });
    const types: string[] = [];
    agent.subscribe(({ type }) => {
      types.push(type);
      if (type === "turn.start") isBroken = true;
    });
    await expect(agent.call("Go on.")).rejects.toThrow();
    expect(types.filter((type) => type.startsWith("compaction."))).toEqual([]);
    expect(types.at(-1)).toBe("turn.end");
    await agent.close().catch(() => {});
  });
});

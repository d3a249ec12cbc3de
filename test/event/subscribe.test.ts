// Listeners of some types of events.
import { createAgent, type AgentEvent } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel } from "agentchart/testing";
import { expect, test } from "vitest";
import { toolOf } from "../support/agents.ts";

const call = { calls: [{ name: "look", input: {} }] };
const bot = (config = {}) =>
  createAgent({
    name: "bot",
    model: scriptedModel([call, "done"]),
    tools: [toolOf("look", () => "seen")],
    ...config,
  });

test("a listener of some event types receives each event of these types once, in the order of all events", async () => {
  const agent = bot();
  const all: AgentEvent[] = [];
  const some: AgentEvent[] = [];
  agent.subscribe((event) => all.push(event));
  const stop = agent.subscribe((event) => some.push(event), {
    types: ["tool.end", "block.delta", "turn.end"],
  });
  await agent.call("go");
  const wanted = all.filter(({ type }) => ["tool.end", "block.delta", "turn.end"].includes(type));
  expect(some).toEqual(wanted);
  expect(new Set(some.map(({ type }) => type))).toEqual(new Set(["tool.end", "block.delta", "turn.end"]));
  stop();
  await agent.call("again").catch(() => {});
  expect(some).toHaveLength(wanted.length);
});

test("a listener alone receives the event types it asks for, numbered without gaps", async () => {
  const agent = bot();
  const heard: AgentEvent[] = [];
  agent.subscribe((event) => heard.push(event), { types: ["message", "state"] });
  await agent.call("go");
  expect(heard.filter(({ type }) => type === "message").length).toBe(4);
  expect(heard.map(({ n }) => n)).toEqual(heard.map((_, index) => heard[0]!.n + index));
  expect(heard.some(({ type }) => type !== "message" && type !== "state")).toBe(false);
});

test("events read from a store are filtered by the same event types", async () => {
  const store = memoryStore();
  const agent = bot({ store });
  await agent.call("go");
  const heard: AgentEvent[] = [];
  agent.subscribe((event) => heard.push(event), { after: 0, types: ["message"] });
  await expect.poll(() => heard.length).toBe(4);
  expect(heard.every(({ type }) => type === "message")).toBe(true);
  await agent.close();
});

test.each([[["done"]], ["message"], [[1]]])(
  "subscribe() refuses the event types %j and names the known ones",
  (types) => {
    const agent = bot();
    const subscribe = (): unknown => agent.subscribe(() => {}, { types: types as never });
    expect(subscribe).toThrow(expect.objectContaining({ code: "config/invalid" }) as Error);
    expect(subscribe).toThrow(/turn\.end/);
  },
);

test("what a listener throws or stops while past events are replayed concerns no other event", async () => {
  const agent = bot({ store: memoryStore(), sessionId: "s" });
  await agent.call("go");
  const [all, thrown, one]: AgentEvent[][] = [[], [], []];
  agent.subscribe((event) => all!.push(event), { after: 0 });
  agent.subscribe(
    (event) => {
      thrown!.push(event);
      throw new Error("no");
    },
    { after: 0 },
  );
  const stop = agent.subscribe((event) => one!.push(event) && stop(), { after: 0 });
  await expect.poll(() => all!.at(-1)?.type).toBe("turn.end");
  await new Promise(setImmediate);
  expect(thrown).toEqual(all);
  expect(one).toEqual(all!.slice(0, 1));
});

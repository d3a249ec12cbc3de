// Slots in the journal.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  createAgent,
  defineSlot,
  defineTool,
  type AgentConfig,
  type AgentEvent,
  type SessionStore,
  type Snapshot,
} from "agentchart";
import { exportSession, importSession, openSession, type JournalEntry } from "agentchart/session";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { followEvents } from "../../src/session/follow.ts";

const plan = defineSlot<readonly string[]>({ name: "plan", initial: [] });
const add = defineTool({
  name: "add",
  description: "adds a step",
  input: { type: "object" },
  writes: [plan],
  execute: ({ step }, { slots }) => ({
    output: [{ type: "text", text: "ok" }],
    slots: { plan: [...slots.get(plan), String(step)] },
  }),
});
const adding = (step: string): ScriptedTurn => ({
  calls: [{ id: `call-${step}`, name: "add", input: { step } }],
});

const agentOf = (turns: readonly ScriptedTurn[], config: Partial<AgentConfig>) =>
  createAgent({ name: "bot", model: scriptedModel(turns), tools: [add], ...config });

async function entriesOf(store: SessionStore, sessionId = "s"): Promise<JournalEntry[]> {
  const entries: JournalEntry[] = [];
  for await (const entry of (await openSession(store, sessionId)).entries()) entries.push(entry);
  return entries;
}

/** A stored session in which the plan was written in two turns. */
async function recorded() {
  const store = memoryStore();
  const agent = agentOf([adding("a"), "one", adding("b"), "two"], { store, sessionId: "s" });
  await agent.call("go");
  await agent.call("go on");
  await agent.close();
  return { store, session: await openSession(store, "s") };
}

const valueOf = (context: unknown) =>
  (context as { readonly slots: { readonly plan?: { readonly value: unknown } } }).slots.plan?.value;

describe("a slot that a tool wrote", () => {
  test("is written in the append of the call's result, and with nothing but that slot", async () => {
    const { store } = await recorded();
    const entries = await entriesOf(store);
    const writes = entries.filter(({ type }) => type === "slot");
    expect(writes.map(({ data }) => data)).toEqual([
      { name: "plan", value: ["a"], version: 1, revision: 1 },
      { name: "plan", value: ["a", "b"], version: 1, revision: 2 },
    ]);
    for (const [index, { seq }] of writes.entries()) {
      const start = entries.findLast((entry) => entry.seq < seq && entry.type === "position")!.seq;
      const end = entries.find((entry) => entry.seq > seq && entry.type === "position")!.seq;
      const append = JSON.stringify(entries.filter((entry) => entry.seq > start && entry.seq <= end));
      expect(append).toContain(`"id":"call-${"ab"[index]}","name":"add","output"`);
    }
  });

  test("is restored from a store, from a snapshot, from a copy and from a saved session", async () => {
    const { store } = await recorded();
    const next = agentOf([adding("c"), "three"], { store, sessionId: "s" });
    await next.call("go");
    expect(await next.slots.get(plan)).toEqual({ value: ["a", "b", "c"], revision: 3 });
    const snapshot = JSON.parse(JSON.stringify(next.snapshot())) as Snapshot;
    const other = agentOf([], { sessionOptions: { snapshot } });
    expect((await other.slots.get(plan)).value).toEqual(["a", "b", "c"]);
    await other.saveTo(store, "saved");
    const loaded = agentOf([], {});
    await loaded.loadFrom(store, "saved");
    expect((await loaded.slots.get(plan)).value).toEqual(["a", "b", "c"]);
    await next.close();
    const target = memoryStore();
    await importSession(target, exportSession(store, "s"));
    const copy = agentOf([], { store: target, sessionId: "s" });
    expect((await copy.slots.get(plan)).value).toEqual(["a", "b", "c"]);
  });

  test("has at each position the value of that position, and a fork begins with it", async () => {
    const { store, session } = await recorded();
    const values: unknown[] = [];
    for (const { seq, type } of await entriesOf(store)) {
      if (type !== "position") continue;
      const value = valueOf((await session.at(seq)).context);
      if (JSON.stringify(value) === JSON.stringify(values.at(-1))) continue;
      values.push(value);
      const { sessionId } = await session.fork(seq);
      const fork = agentOf([], { store, sessionId });
      expect((await fork.slots.get(plan)).value).toEqual(value ?? []);
    }
    expect(values).toEqual([["a"], ["a", "b"]]);
  });

  test("goes when a session without it is loaded or saved in its place", async () => {
    const { store } = await recorded();
    const empty = agentOf(["hi"], {});
    await empty.call("go");
    const agent = agentOf([], { store, sessionId: "s" });
    await empty.saveTo(store, "empty");
    await agent.loadFrom(store, "empty");
    expect((await agent.slots.get(plan)).value).toEqual([]);
    await agent.close();
    const session = await openSession(store, "s");
    expect(valueOf((await session.at()).context)).toBeUndefined();
  });

  test("is an event to those who follow the journal, once", async () => {
    const { store } = await recorded();
    const ended = new AbortController();
    const events: AgentEvent[] = [];
    const follow = followEvents(store, "s", { after: 0, signal: ended.signal, pollMs: 10 });
    for await (const event of follow) {
      events.push(event);
      if (events.filter(({ type }) => type === "turn.end").length === 2) ended.abort();
    }
    const writes = events.flatMap((event) => (event.type === "slot" ? [[event.name, event.revision]] : []));
    expect(writes).toEqual([
      ["plan", 1],
      ["plan", 2],
    ]);
  });

  test("is kept by an agent that does not know it", async () => {
    const { store } = await recorded();
    const stranger = createAgent({ name: "bot", model: scriptedModel(["hi"]), store, sessionId: "s" });
    await stranger.call("hello");
    await stranger.close();
    const agent = agentOf([], { store, sessionId: "s" });
    expect(await agent.slots.get(plan)).toEqual({ value: ["a", "b"], revision: 2 });
  });

  test("is redacted where it is stored, and not in the process", async () => {
    const store = memoryStore();
    const redact = (value: unknown) => JSON.parse(JSON.stringify(value).replaceAll("secret", "***")) as never;
    const agent = agentOf([adding("secret"), "end"], { store, sessionId: "s", sessionOptions: { redact } });
    await agent.call("go");
    expect((await agent.slots.get(plan)).value).toEqual(["secret"]);
    expect(JSON.stringify(agent.snapshot())).not.toContain("secret");
    await agent.close();
    expect(JSON.stringify(await store.load("s"))).not.toContain("secret");
    const restored = agentOf([], { store, sessionId: "s" });
    expect((await restored.slots.get(plan)).value).toEqual(["***"]);
  });
});

test("a write from outside is durable when `set` resolves, before the first turn too", async () => {
  const store = memoryStore();
  const agent = agentOf([], { store, sessionId: "s" });
  await agent.slots.set(plan, ["person"], { revision: 0 });
  expect(valueOf((await (await openSession(store, "s")).at()).context)).toEqual(["person"]);
  await agent.close();
  const next = agentOf([], { store, sessionId: "s" });
  expect(await next.slots.get(plan)).toEqual({ value: ["person"], revision: 1 });
});

test("a value of another version is refused to its readers only", async () => {
  const { store } = await recorded();
  const newer = defineSlot({ name: "plan", initial: 0, version: 2 });
  const agent = createAgent({
    name: "bot",
    model: scriptedModel(["hi"]),
    sessionOptions: { slots: [newer] },
    store,
    sessionId: "s",
  });
  await expect(agent.slots.get(newer)).rejects.toMatchObject({ code: "slot/version" });
  expect((await agent.call("hello")).text).toBe("hi");
  await agent.slots.set(newer, 7);
  expect(await agent.slots.get(newer)).toEqual({ value: 7, revision: 3 });
});

test("a snapshot of 0.1.0, which has no slots, begins with their initial values", async () => {
  const file = `${import.meta.dirname}/../fixtures/sessions/v1-stopped.idle.json`;
  const snapshot = JSON.parse(readFileSync(file, "utf8")) as Snapshot;
  expect(snapshot["kept"]).not.toHaveProperty("slots");
  const agent = agentOf([adding("a"), "end"], { sessionOptions: { snapshot } });
  expect(await agent.slots.get(plan)).toEqual({ value: [], revision: 0 });
});

test("a damaged slot in the journal is refused", async () => {
  const { store } = await recorded();
  const entries = await entriesOf(store);
  const damaged = memoryStore();
  const lease = (await damaged.acquire("s", { owner: "test", ttlMs: 1_000 }))!;
  await damaged.append("s", {
    expectedSeq: 0,
    fence: lease.fence,
    entries: entries.map((entry) =>
      entry.type === "slot" ? { ...entry, data: { ...entry.data, revision: "one" } } : entry,
    ),
    position: { phase: "stopped" },
  });
  await damaged.release(lease);
  await expect(agentOf([], { store: damaged, sessionId: "s" }).open()).rejects.toMatchObject({
    code: "session/damaged",
  });
});

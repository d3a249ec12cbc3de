// Sessions that were opened without their older messages.
import { DatabaseSync } from "node:sqlite";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  createAgent,
  defineHook,
  userMsg,
  type Agent,
  type AgentConfig,
  type SessionStore,
} from "agentchart";
import { openSession } from "agentchart/session";
import { memoryStore } from "agentchart/store/memory";
import { sqliteStore } from "agentchart/store/sqlite";
import { createDispatcher, createWorker, inProcessQueue } from "agentchart/worker";
import { withMembers } from "../../src/core/base/with-members.ts";
import { READER_SETTINGS } from "../../src/session/reader-settings.ts";
import { acquireSession, restoreSession } from "../../src/session/restore.ts";
import { toolOf } from "../support/agents.ts";

const TURNS = 20;

const asks = (id: string) =>
  [
    { type: "tool.delta", key: 0, id, name: "look", args: "{}" },
    { type: "finish", reason: "tool_calls" },
  ] as const;
const says = (text: string) =>
  [
    { type: "text.delta", delta: text },
    { type: "finish", reason: "stop" },
  ] as const;

/** Asks for a tool once a turn, with an id that every turn has, and notes what it is sent. */
function clerk() {
  const seen: string[][] = [];
  const model: AgentConfig["model"] = {
    name: "clerk",
    async *stream({ messages }) {
      seen.push(messages.map(({ content }) => JSON.stringify(content).replaceAll(/"id":"[^"]*"/g, "")));
      yield* messages.at(-1)!.role === "user" ? asks("call-1") : says("It is there.");
    },
  };
  return { model, seen };
}

const configOn = (store: SessionStore, more: Partial<AgentConfig> = {}): AgentConfig => ({
  name: "desk",
  model: clerk().model,
  tools: [toolOf("look", () => "shelf 4")],
  sessionId: "s",
  modelOptions: { contextWindow: { maxMessages: 8 } },
  store,
  ...more,
});

/** A session that is longer than what an opening reads. */
async function written(store: SessionStore, more?: Partial<AgentConfig>): Promise<SessionStore> {
  const agent = createAgent(configOn(store, more));
  for (let turn = 0; turn < TURNS; turn++) await agent.call(`Where is part ${turn}?`);
  await agent.close();
  return store;
}

const stored = async (store: SessionStore) => (await (await openSession(store, "s")).at()).messages;

async function reopened(store: SessionStore, more?: Partial<AgentConfig>): Promise<Agent> {
  const agent = createAgent(configOn(store, more));
  onTestFinished(() => agent.close());
  await agent.open();
  expect(() => agent.snapshot()).toThrow(expect.objectContaining({ code: "run/busy" }));
  return agent;
}

describe("a session that was opened without its older messages", () => {
  test("has all of them where somebody comes to look while it opens", async () => {
    const store = await written(memoryStore());
    const acquire: SessionStore["acquire"] = (...args) => {
      void agent.actor;
      return store.acquire(...args);
    };
    const agent = createAgent(configOn(withMembers(store, { acquire })));
    onTestFinished(() => agent.close());
    await agent.open();
    expect(agent.actor.getSnapshot().context.transcript.slice()).toHaveLength(4 * TURNS);
  });

  test("counts for its process as what was retained of it, whatever is read then", async () => {
    const store = await written(memoryStore());
    const { context, ...parts } = (await restoreSession(store, "s", READER_SETTINGS))!;
    const { transcript } = context;
    const before = { from: transcript.from, length: transcript.length, size: 7 };
    const cached = { ...parts, modelCalls: parts.modelCalls!, transcript, size: 7 };
    const settings = { ...READER_SETTINGS, sessionId: "s" };
    const acquired = await acquireSession(
      store,
      { settings, isSeen: true, now: Date.now },
      { owner: "w", leaseMs: 10_000, cache: { take: () => cached, put() {} } },
    );
    expect([before.from > 0, transcript.from]).toEqual([true, 0]);
    expect(acquired.cached).toEqual(before);
  });

  test("returns all of them, and has them from then on", async () => {
    const store = await written(memoryStore());
    const agent = await reopened(store);
    expect(await agent.messages()).toEqual(await stored(store));
    expect(agent.snapshot()).toMatchObject({ sessionId: "s" });
  });

  test("asks the model for the same as one that has them", async () => {
    const requestOf = async (isWhole: boolean) => {
      const store = await written(memoryStore());
      const { model, seen } = clerk();
      const agent = await reopened(store, { model });
      if (isWhole) await agent.messages();
      await agent.call("And now?");
      return [seen, (await stored(store)).length];
    };
    expect(await requestOf(false)).toEqual(await requestOf(true));
  });

  test("keeps what lists show of it, and its messages in their places", async () => {
    const store = await written(memoryStore());
    const before = await stored(store);
    const agent = await reopened(store);
    await agent.call("And now?");
    await agent.close();
    const [session] = (await store.list()).sessions;
    expect(session).toMatchObject({ title: "Where is part 0?" });
    const after = await stored(store);
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after).toHaveLength(before.length + 4);
  });

  test("V2 gives each call an id that no older message has", async () => {
    const store = await written(memoryStore());
    const agent = await reopened(store);
    await agent.call("And now?");
    const ids = (await stored(store)).flatMap(({ content }) =>
      content.flatMap((block) => (block.type === "tool_use" ? [block.id] : [])),
    );
    expect(new Set(ids).size).toBe(TURNS + 1);
  });

  test.each(["preCall", "postCall", "onRest"] as const)(
    "gives hooks at %s the whole history",
    async (point) => {
      const store = await written(memoryStore());
      const told = Promise.withResolvers<number>();
      const hook = defineHook({
        name: "history",
        [point]: ({ history }: { readonly history: readonly unknown[] }) => told.resolve(history.length),
      });
      const agent = await reopened(store, { hooks: [hook] });
      await agent.call("And now?");
      expect(await told.promise).toBeGreaterThanOrEqual(4 * TURNS);
    },
  );

  test("is edited, saved elsewhere and loaded from there as a whole", async () => {
    const store = await written(memoryStore());
    const all = await stored(store);
    const agent = await reopened(store);
    await agent.saveTo(store, "copy");
    await agent.edit((messages) => messages.slice(4));
    expect(await stored(store)).toEqual(all.slice(4));
    await agent.loadFrom(store, "copy");
    await agent.observe(userMsg("noted"));
    await agent.close();
    expect((await stored(store)).slice(0, -1)).toEqual(all);
  });

  test("goes through any number of processes", async () => {
    const store = await written(memoryStore());
    for (let process = 0; process < 5; process++) {
      const agent = await reopened(store);
      await agent.call(`process ${process}`);
      await agent.close();
    }
    const agent = await reopened(store);
    expect(await agent.messages()).toEqual(await stored(store));
    expect(await agent.messages()).toHaveLength(4 * (TURNS + 5));
  });
});

describe("damage before the newest checkpoint", () => {
  const damaged = async () => {
    const dir = mkdtempSync(join(tmpdir(), "agentchart-unread-"));
    const path = join(dir, "s.db");
    const store = sqliteStore({ path });
    onTestFinished(() => store.close());
    await written(store, { modelOptions: { contextWindow: { maxMessages: 1_000 } } });
    const db = new DatabaseSync(path);
    db.exec(`UPDATE entries SET entry = replace(entry, 'part 3?', 'part 4?') WHERE entry LIKE '%part 3?%'`);
    db.close();
    return store;
  };
  const isDamaged = expect.objectContaining({ code: "session/damaged" });

  test.each<[string, Partial<AgentConfig>, (agent: Agent) => Promise<unknown>]>([
    ["the messages are asked for", {}, (agent) => agent.messages()],
    [
      "the model sees them",
      { modelOptions: { contextWindow: { maxMessages: 1_000 } } },
      (agent) => agent.call("And now?"),
    ],
    ["they are edited", {}, (agent) => agent.edit((messages) => messages)],
    ["they are copied", {}, async (agent) => agent.saveTo(memoryStore(), "copy")],
  ])("is told of when %s", async (_, more, ask) => {
    const store = await damaged();
    const agent = await reopened(store, more);
    const { seq } = (await store.load("s"))!;
    await expect(ask(agent)).rejects.toEqual(isDamaged);
    await expect(ask(agent)).rejects.toEqual(isDamaged);
    expect((await store.load("s"))!.seq).toBe(seq); // nothing was written
    await expect(stored(store)).rejects.toEqual(isDamaged);
  });

  test("quarantines a session in a worker whose model would see them, and its input stays", async () => {
    const store = await damaged();
    const queue = inProcessQueue();
    const {
      sessionId: _,
      store: __,
      ...desk
    } = configOn(store, { modelOptions: { contextWindow: { maxMessages: 1_000 } } });
    const worker = createWorker({ store, queue, agents: { desk: () => desk } });
    const quarantined = Promise.withResolvers<void>();
    worker.subscribe(({ type }) => type === "session.quarantined" && quarantined.resolve());
    await worker.start();
    await createDispatcher({ store, queue }).dispatch("s", "And now?", { agent: "desk" });
    await quarantined.promise;
    await worker.close();
    await queue.close();
    expect((await store.list()).sessions).toMatchObject([{ phase: "quarantined" }]);
    expect(await store.takeInputs("s", 10)).toHaveLength(1);
  });
});

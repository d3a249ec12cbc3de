// Pages of messages of long sessions.
import { describe, expect, test } from "vitest";
import { createAgent, userMsg, type AgentConfig, type SessionStore } from "agentchart";
import { exportSession, importSession, openSession } from "agentchart/session";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { toolOf } from "../support/agents.ts";

/** A store that counts the entries that are read. */
function counting() {
  const count = { entries: 0 };
  const inner = memoryStore();
  const store: SessionStore = {
    ...inner,
    async *read(...args) {
      for await (const entry of inner.read(...args)) {
        count.entries++;
        yield entry;
      }
    },
  };
  return { store, count };
}

/** Compares every page of a session with the part of the whole transcript, and returns the transcript's length. */
async function comparePages(store: SessionStore, sessionId: string): Promise<number> {
  const session = await openSession(store, sessionId);
  const { messages } = await session.at();
  for (const limit of [1, 3, 10])
    for (let after = 0; after <= messages.length + 1; after++)
      expect([after, limit, await session.messages({ after, limit })]).toEqual([
        after,
        limit,
        { messages: messages.slice(after, after + limit), total: messages.length },
      ]);
  return messages.length;
}

const agentOn = (store: SessionStore, turns: readonly ScriptedTurn[], config: Partial<AgentConfig> = {}) =>
  createAgent({ name: "a", model: scriptedModel(turns), store, sessionId: "s", ...config });

test("a page of a long session reads its entries and few others, wherever it is", async () => {
  const { store, count } = counting();
  const talk = async (turns: number) => {
    const answers = Array.from({ length: turns }, (_, turn) => `answer ${turn}`);
    const agent = agentOn(store, answers);
    for (const answer of answers) await agent.call(`to ${answer}`);
    await agent.close();
  };
  await talk(150);
  await talk(150); // continued by another process
  const { seq, checkpoint } = (await store.load("s"))!;
  expect(seq).toBeGreaterThan(1_000);
  const session = await openSession(store, "s");
  const read: number[] = [];
  for (let after = 0; after < 600; after += 25) {
    count.entries = 0;
    const { messages, total } = await session.messages({ after, limit: 20 });
    expect([messages.length, total]).toEqual([20, 600]);
    read.push(count.entries);
  }
  expect(Math.max(...read)).toBeLessThan(seq / 6);
  expect(JSON.stringify(checkpoint!["places"]).length).toBeLessThan(1_000);
});

describe("every page is that part of the transcript, for a session", () => {
  const work = toolOf("work", ({ n }) => `worked ${String(n)}`);
  const ask = toolOf("ask");
  const calls = (name: string, ...ns: readonly number[]) => ({
    calls: ns.map((n) => ({ name, input: { n } })),
  });

  test("with tools, parallel calls and several turns", async () => {
    const store = memoryStore();
    const turns = Array.from({ length: 12 }, (_, n) => [
      calls("work", n, n + 1, n + 2),
      calls("work", n),
      "done",
    ]).flat();
    const agent = agentOn(store, turns, { tools: [work], parallelToolCalls: true });
    for (let turn = 0; turn < 12; turn++) await agent.call(`turn ${turn}`);
    await agent.close();
    expect(await comparePages(store, "s")).toBeGreaterThan(70);
  });

  test("that waits with results of some calls, gets messages meanwhile, and goes on", async () => {
    const store = memoryStore();
    const mixed = {
      calls: [
        { id: "w", name: "work", input: { n: 1 } },
        { id: "q", name: "ask", input: {} },
      ],
    };
    const turns = [...Array.from({ length: 9 }, () => "hello"), mixed, "done", "more"];
    const agent = agentOn(store, turns, { tools: [work, ask], parallelToolCalls: true });
    for (let turn = 0; turn < 10; turn++) await agent.call(`turn ${turn}`);
    await comparePages(store, "s");
    await agent.observe([userMsg("meanwhile")]);
    await comparePages(store, "s");
    await agent.decide("q", { answer: "yes" });
    await agent.call();
    await agent.call("and?");
    await comparePages(store, "s");
    await agent.close();
    await importSession(store, exportSession(store, "s"), { sessionId: "copy" });
    await comparePages(store, "copy");
  });

  test("whose transcript is replaced, that is forked, and that is saved over another", async () => {
    const store = memoryStore();
    const agent = agentOn(
      store,
      Array.from({ length: 20 }, () => "hello"),
    );
    for (let turn = 0; turn < 8; turn++) await agent.call(`turn ${turn}`);
    await agent.saveTo(store, "saved");
    for (let turn = 0; turn < 8; turn++) await agent.call(`later ${turn}`);
    await comparePages(store, "s");
    await agent.loadFrom(store, "saved");
    await agent.call("again");
    await comparePages(store, "s");
    await agent.saveTo(store, "saved");
    await comparePages(store, "saved");
    await agent.close();
    const { sessionId } = await (await openSession(store, "s")).fork(20);
    await comparePages(store, sessionId);
  });

  test("whose checkpoint lacks places or has wrong ones", async () => {
    const store = memoryStore();
    const agent = agentOn(store, ["one", "two"]);
    await agent.call("1");
    await agent.call("2");
    await agent.close();
    for (const marks of [undefined, "x", [[0]], [["a", 1]]]) {
      const lease = (await store.acquire("s", { owner: "t", ttlMs: 1_000 }))!;
      const { seq, position, checkpoint } = (await store.load("s"))!;
      const { marks: _, ...rest } = checkpoint!;
      await store.append("s", {
        expectedSeq: seq,
        fence: lease.fence,
        entries: [],
        position,
        checkpoint: { ...rest, ...(marks !== undefined && { marks: marks as never }) },
      });
      expect(await comparePages(store, "s")).toBe(4);
    }
  });
});

test("messages refuses a page that makes no sense", async () => {
  const store = memoryStore();
  const agent = agentOn(store, ["one"]);
  await agent.call("1");
  await agent.close();
  const session = await openSession(store, "s");
  await expect(session.messages({ limit: 0 })).rejects.toMatchObject({ code: "config/invalid" });
});

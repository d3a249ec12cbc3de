// The sources of an answer, in its reply and in its message.
import { describe, expect, onTestFinished, test } from "vitest";
import {
  createAgent,
  sourcesOf,
  userMsg,
  type AgentConfig,
  type AgentEvent,
  type Hook,
  type Json,
} from "agentchart";
import { knowledge, memoryKnowledge } from "agentchart/knowledge";
import { longTermMemory, memoryMemory } from "agentchart/memory";
import { openSession } from "agentchart/session";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { toUIMessageChunks, toUIMessages } from "agentchart/ui";
import { uiMessageChunkSchema, type UIMessageChunk } from "ai";
import { toolOf } from "../../support/agents.ts";

const look = toolOf("look", () => "seen");
const LOOKS: ScriptedTurn = { calls: [{ id: "c1", name: "look", input: {} }] };

async function manuals() {
  const store = memoryKnowledge();
  onTestFinished(() => store.close());
  await store.put("faq.md", [{ text: "Refunds take five days.", meta: { page: 2 } }]);
  await store.put("terms.pdf", [{ text: "Shipping is free above 50 euros." }]);
  return store;
}

async function remembered(text: string) {
  const store = memoryMemory();
  onTestFinished(() => store.close());
  await store.put("ada", [{ text }]);
  return store;
}

const agentOf = (turns: readonly ScriptedTurn[], hooks: readonly Hook[], config: Partial<AgentConfig> = {}) =>
  createAgent({ name: "bot", model: scriptedModel(turns), tools: [look], hooks, ...config });

const passage = {
  kind: "knowledge",
  id: expect.any(String) as string,
  document: "faq.md",
  page: 2,
  score: expect.any(Number) as number,
};
const memory = {
  kind: "memory",
  id: expect.any(String) as string,
  at: expect.any(Number) as number,
  score: expect.any(Number) as number,
};

describe("sources of an answer", () => {
  test("are those that the first request of the turn showed, once, in the reply and in the stored message", async () => {
    const hooks = [
      knowledge({ store: await manuals(), minScore: 0.3 }),
      longTermMemory({
        store: await remembered("Refunds go to the bank account."),
        scope: () => "ada",
        mode: "static",
      }),
    ];
    const agent = agentOf([LOOKS, "Five days.", "Yes."], hooks);
    const reply = await agent.call("How long do refunds take?");
    expect(reply.sources).toEqual([passage, memory]);
    const messages = await agent.messages();
    const named = messages.map(({ role, metadata }) => [
      role,
      (metadata["sources"] as Json[] | undefined)?.length,
    ]);
    expect(named).toEqual([
      ["user", undefined],
      ["assistant", 2],
      ["tool", undefined],
      ["assistant", undefined],
    ]);
    expect(sourcesOf(messages)).toEqual(reply.sources);
    const other = await agent.call("xyzzy?");
    expect(other.sources).toEqual([]);
  });

  test("are those that a tool has found, and only what fits into the prompt", async () => {
    const store = await manuals();
    const asks: ScriptedTurn = {
      calls: [{ id: "c1", name: "retrieve_knowledge", input: { query: "refunds", limit: 1 } }],
    };
    const agent = agentOf([asks, "Five days."], [knowledge({ store, mode: "agentic" })]);
    const reply = await agent.call("How long do refunds take?");
    expect(reply.sources).toEqual([passage]);
    const bounded = agentOf(["Long."], [knowledge({ store, maxTokens: 1 })]);
    expect((await bounded.call("refunds")).sources).toEqual([]);
  });

  test("are those of a hook of one's own that names them on its message; what is none is left out", async () => {
    const sources = [
      { kind: "knowledge", id: "7", document: "https://x.test/a" },
      { kind: "web", id: 1 },
      "?",
      null,
    ];
    const shows: Hook = {
      name: "shows",
      preReasoning: () => ({ append: [userMsg("A fact.", { metadata: { sources } as never })] }),
    };
    const reply = await agentOf(["So."], [shows]).call("Why?");
    expect(reply.sources).toEqual([sources[0]]);
    const wrong: Hook = {
      name: "wrong",
      preReasoning: () => ({ append: [userMsg("A fact.", { metadata: { sources: "none" } })] }),
    };
    expect((await agentOf(["So."], [wrong]).call("Why?")).sources).toEqual([]);
  });

  test("are parts of the AI SDK, the same live and after a reload, and after a restore", async () => {
    const store = memoryStore();
    const hooks = [knowledge({ store: await manuals() })];
    const agent = agentOf([LOOKS, "Five days."], hooks, { store, sessionId: "s" });
    const chunks: unknown[] = [];
    for await (const chunk of toUIMessageChunks(
      agent.stream("How long do refunds take, and is shipping free?"),
    ))
      chunks.push(chunk);
    const parts = chunks.filter((chunk) => (chunk as UIMessageChunk).type === "source-document");
    expect(parts).toMatchObject([
      { mediaType: expect.stringMatching(/markdown|pdf/) },
      { mediaType: expect.stringMatching(/markdown|pdf/) },
    ]);
    expect(parts).toContainEqual({
      type: "source-document",
      sourceId: expect.stringMatching(/^knowledge:/),
      mediaType: "text/markdown",
      title: "faq.md, page 2",
      filename: "faq.md",
      providerMetadata: { agentchart: passage },
    });
    const { validate } = uiMessageChunkSchema();
    for (const part of parts) expect(await validate!(part)).toMatchObject({ success: true });
    await agent.close();

    const stored = await openSession(store, "s");
    const [, turn] = await toUIMessages(stored.events());
    expect(turn!.parts.filter(({ type }) => type === "source-document")).toEqual(parts);
    const events: AgentEvent[] = [];
    for await (const event of stored.events()) events.push(event);
    const again = agentOf([], hooks, { store, sessionId: "s" });
    expect(sourcesOf(await again.messages())).toHaveLength(2);
    await again.close();
  });
});

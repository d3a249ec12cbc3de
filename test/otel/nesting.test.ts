// Spans of others nest within those of an agent.
import { beforeAll, describe, expect, test } from "vitest";
import { setTimeout as sleep } from "node:timers/promises";
import { createAgent, defineTool, toolError, type Agent, type ChatModel } from "agentchart";
import { knowledge, memoryKnowledge } from "agentchart/knowledge";
import { longTermMemory, memoryMemory } from "agentchart/memory";
import { otelObserver, traceKnowledge, traceMemory } from "agentchart/otel";
import { scriptedModel } from "agentchart/testing";
import { eventsOf, toolOf, untilAborted } from "../support/agents.ts";
import { recordedSpans, treeOf, useContexts } from "../support/spans.ts";
import { call } from "../support/trace.ts";

beforeAll(useContexts);

function setup() {
  const { tracer, spans } = recordedSpans();
  const own = async (name: string): Promise<void> =>
    tracer.startActiveSpan(name, async (span) => {
      await sleep(5);
      span.end();
    });
  return { tracer, spans, own, otel: otelObserver({ tracer }) };
}

describe("spans of others", () => {
  test("nest below the tool call, the model call and the turn that make them, also of tools at once", async () => {
    const { own, spans, otel } = setup();
    const seen: (string | undefined)[] = [];
    const script = scriptedModel([{ calls: [call("c1"), call("c2", "two")] }, "done"]);
    const model: ChatModel = {
      ...script,
      async *stream(request, options) {
        await own("fetch");
        yield* script.stream(request, options);
      },
    };
    const tools = [
      toolOf("ok", async (_, { traceparent }) => {
        seen.push(traceparent);
        await own("query one");
        return "1";
      }),
      toolOf("two", async () => {
        await own("query two");
        return "2";
      }),
    ];
    const hooks = [{ name: "h", preReasoning: () => own("hook") }];
    const agent = createAgent({ name: "bot", model, tools, hooks, parallelToolCalls: true, otel });
    await agent.call("go");
    expect(treeOf(spans(), () => "")).toEqual([
      "invoke_agent bot",
      "  hook",
      "  chat scripted",
      "    fetch",
      "  execute_tool ok",
      "    query one",
      "  execute_tool two",
      "    query two",
      "  hook",
      "  chat scripted",
      "    fetch",
    ]);
    const tool = spans()
      .find(({ name }) => name === "execute_tool ok")!
      .spanContext();
    expect(seen).toEqual([`00-${tool.traceId}-${tool.spanId}-01`]);
  });

  test("hold the turns of agents that a tool calls", async () => {
    const { spans, otel } = setup();
    const child = createAgent({ name: "child", model: scriptedModel(["inner"]), otel });
    const ask = toolOf("ask", async () => (await child.call("sub")).text);
    const model = scriptedModel([{ calls: [call("c1", "ask")] }, "done"]);
    await createAgent({ name: "bot", model, tools: [ask], otel }).call("go");
    expect(treeOf(spans(), () => "")).toEqual([
      "invoke_agent bot",
      "  chat scripted",
      "  execute_tool ask",
      "    invoke_agent child",
      "      chat scripted",
      "  chat scripted",
    ]);
  });

  test("hold the searches and records of a memory", async () => {
    const { spans, otel, tracer } = setup();
    const store = traceMemory(memoryMemory(), { tracer });
    const memory = longTermMemory({ store, scope: () => "acme/ada" });
    const agent = createAgent({ name: "bot", model: scriptedModel(["hello"]), hooks: [memory], otel });
    await agent.call("I like tea.");
    expect(treeOf(spans(), () => "")).toEqual([
      "invoke_agent bot",
      "  search_memory",
      "  chat scripted",
      "  upsert_memory",
    ]);
    expect(JSON.stringify(spans().map(({ attributes }) => attributes))).not.toMatch(/tea|acme/);
    expect(await store.remove("acme/ada")).toBe(2);
    await expect(store.search("", { text: "x", limit: 1 })).rejects.toMatchObject({ code: "config/invalid" });
    expect(spans().at(-1)!.attributes["error.type"]).toBe("config/invalid");
  });
});

describe("searches in documents", () => {
  test("are spans below the turn or the tool call, without what was asked and found", async () => {
    const { tracer, spans, otel } = setup();
    const store = traceKnowledge(memoryKnowledge(), { tracer });
    const ids = await store.put("tea.md", [{ text: "Green tea is steeped for two minutes." }]);
    await store.finish({ source: "tea.md", hash: "1" }, ids);
    const script = scriptedModel([
      { calls: [{ id: "c1", name: "retrieve_knowledge", input: { query: "green tea" } }] },
      "Two.",
    ]);
    const hooks = [knowledge({ store, mode: "both" })];
    await createAgent({ name: "bot", model: script, hooks, otel }).call("How long is tea steeped?");
    expect(treeOf(spans(), () => "")).toEqual([
      "invoke_agent bot",
      "  retrieval",
      "  chat scripted",
      "  execute_tool retrieve_knowledge",
      "    retrieval",
      "  chat scripted",
    ]);
    const found = spans().filter(({ name }) => name === "retrieval");
    expect(found.map(({ attributes }) => attributes["agentchart.retrieval.found"])).toEqual([1, 1]);
    expect(JSON.stringify(spans().map(({ attributes }) => attributes))).not.toMatch(/steeped|tea\.md/);
    await expect(store.search({ text: "x", limit: 0 })).rejects.toMatchObject({ code: "config/invalid" });
    expect(spans().at(-1)!.attributes["error.type"]).toBe("config/invalid");
    expect((await store.documents()).documents).toHaveLength(1);
    expect(await store.remove("tea.md")).toBe(1);
    await store.close();
  });
});

describe("a span", () => {
  test("ends with the turn if its tool ignores the interruption", async () => {
    const { spans, otel } = setup();
    const stubborn = toolOf("stubborn", () => {
      agent.interrupt();
      return new Promise<string>(() => {});
    });
    const agent: Agent = createAgent({
      name: "bot",
      model: scriptedModel([{ calls: [call("c1", "stubborn")] }]),
      tools: [stubborn],
      turnOptions: { interruptGraceMs: 10 },
      otel,
    });
    await agent.call("go");
    const tool = spans().find(({ name }) => name === "execute_tool stubborn")!;
    expect(tool.attributes["agentchart.cut_off"]).toBe(true);
    expect(treeOf(spans(), () => "")).toHaveLength(3);
  });

  test("is made for each attempt, and the time-out of one ends its span", async () => {
    const { spans, otel } = setup();
    const slow = defineTool({
      name: "slow",
      description: "",
      input: { type: "object" },
      execution: { timeoutMs: 20, maxAttempts: 2, initialBackoffMs: 1 },
      execute: (_, { attempt, signal }) => (attempt === 1 ? untilAborted(signal) : toolError("no")),
    });
    const model = scriptedModel([{ calls: [call("c1", "slow")] }, "done"]);
    await createAgent({ name: "bot", model, tools: [slow], otel }).call("go");
    const tools = spans().filter(({ name }) => name === "execute_tool slow");
    expect(tools.map(({ attributes }) => attributes["agentchart.attempt"])).toEqual([1, 2]);
    expect(tools[1]!.attributes["error.type"]).toBe("tool/failed");
    expect(tools[1]!.status.code).toBe(2);
  });

  test("of a compaction holds the call of its model", async () => {
    const { spans, otel } = setup();
    const model = scriptedModel(["one", "two", "a summary", "three"]);
    const agent = createAgent({
      name: "bot",
      model,
      otel,
      compaction: { contextTokens: 100_000, keepRecentTokens: 1 },
    });
    await agent.call(`first ${"x ".repeat(4_000)}`);
    await agent.call("second");
    await agent.compact();
    const compaction = spans().find(({ name }) => name === "compaction")!;
    expect(compaction.attributes).toMatchObject({
      "agentchart.compaction.cause": "manual",
      "agentchart.compaction.did": "summarise",
    });
    expect(treeOf(spans(), () => "").slice(-2)).toEqual(["compaction", "  chat scripted"]);
  });

  test("is made neither without a provider nor for what a stream does after its end", async () => {
    const seen: unknown[] = [];
    const tool = toolOf("ok", (_, { traceparent }) => {
      seen.push(traceparent);
      return "1";
    });
    const model = scriptedModel([{ calls: [call("c1")] }, "done"]);
    const agent = createAgent({ name: "bot", model, tools: [tool], otel: otelObserver() });
    const events = await eventsOf(agent.stream("go"));
    expect(events.at(-1)).toMatchObject({ type: "turn.end", reason: "MODEL_STOP" });
    expect(seen).toEqual([undefined]);
    expect(JSON.stringify(agent.snapshot())).not.toContain('"trace"');
  });
});

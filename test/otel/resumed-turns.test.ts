// The trace of a turn that goes on in another process.
import { beforeAll, describe, expect, test } from "vitest";
import { createAgent, redactSecrets, type AgentConfig } from "agentchart";
import { otelObserver } from "agentchart/otel";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { toolOf } from "../support/agents.ts";
import { recordedSpans, treeOf, useContexts } from "../support/spans.ts";
import { call } from "../support/trace.ts";

beforeAll(useContexts);

const tools = [toolOf("ok", () => "done"), toolOf("ext")];
const permissions = { rules: [{ tool: "ok", action: "ask" }] } as const;

describe("a turn that goes on", () => {
  function processes() {
    const { tracer, spans } = recordedSpans();
    const store = memoryStore();
    const open = (turns: readonly ScriptedTurn[], config: Partial<AgentConfig> = {}) =>
      createAgent({
        name: "bot",
        model: scriptedModel(turns),
        tools,
        permissions,
        store,
        sessionId: "s",
        otel: otelObserver({ tracer }),
        ...config,
      });
    return { tracer, spans, store, open };
  }

  test("has its span below the first one, of the same trace and linked to it, in another agent object", async () => {
    const { open, spans } = processes();
    const first = open([{ calls: [call("c1")] }]);
    await first.call("go");
    await first.close();
    expect(spans().every(({ ended }) => ended)).toBe(true);
    const second = open(["done"], { sessionOptions: { redact: redactSecrets } });
    await second.decide("c1", "approve");
    await second.call();
    await second.close();
    expect(treeOf(spans())).toEqual([
      "invoke_agent bot APPROVAL_REQUIRED",
      "  chat scripted",
      "  invoke_agent bot MODEL_STOP",
      "    execute_tool ok success",
      "    chat scripted",
    ]);
    const [begun, resumed] = spans().filter(({ name }) => name.startsWith("invoke_agent"));
    expect(resumed!.links.map(({ context: { spanId } }) => spanId)).toEqual([begun!.spanContext().spanId]);
    expect(resumed!.attributes["agentchart.resumed"]).toBe(true);
    expect(resumed!.attributes["agentchart.turn"]).toBe(begun!.attributes["agentchart.turn"]);
  });

  test("links to the span of its caller, which is of another trace", async () => {
    const { open, spans, tracer } = processes();
    const agent = open([{ calls: [call("c1")] }, "done"]);
    await agent.call("go");
    await agent.decide("c1", "approve");
    await tracer.startActiveSpan("request", async (span) => {
      await agent.call();
      span.end();
    });
    await agent.close();
    const resumed = spans().find(({ attributes }) => attributes["agentchart.resumed"] === true)!;
    const request = spans().find(({ name }) => name === "request")!;
    expect(resumed.links.map(({ context: { spanId } }) => spanId)).toContain(request.spanContext().spanId);
    expect(resumed.spanContext().traceId).not.toBe(request.spanContext().traceId);
  });

  test("keeps its trace through an agent without telemetry, and the next turn has another one", async () => {
    const { open, spans, store } = processes();
    const first = open([{ calls: [call("c1"), call("c2", "ext")] }]);
    await first.call("go");
    await first.close();
    const base = { name: "bot", tools, permissions, store, sessionId: "s" };
    const silent = createAgent({ ...base, model: scriptedModel([]) });
    await silent.decide("c1", "approve");
    expect((await silent.call()).reason).toBe("TOOL_SUSPENDED");
    await silent.close();
    const last = open(["done", "again"]);
    await last.decide("c2", { answer: "r" });
    await last.call();
    await last.call("next");
    await last.close();
    const ids = spans()
      .filter(({ name }) => name.startsWith("invoke_agent"))
      .map((span) => span.spanContext().traceId);
    expect(ids).toHaveLength(3);
    expect(ids[1]).toBe(ids[0]);
    expect(ids[2]).not.toBe(ids[0]);
  });

  test("begins a trace of its own if the turn was begun without telemetry, or stored what is not a traceparent", async () => {
    const { spans, store, tracer } = processes();
    const base = { name: "bot", tools, permissions, store, sessionId: "s" };
    const silent = createAgent({ ...base, model: scriptedModel([{ calls: [call("c1", "ext")] }]) });
    await silent.call("go");
    await silent.close();
    const odd = {
      observe: () => ({
        beginTurn: () => "not a traceparent",
        endTurn: () => {},
        model: () => undefined,
        tool: () => undefined,
        within: <T>(run: () => T) => run(),
      }),
    };
    const strange = createAgent({ ...base, model: scriptedModel([]), otel: odd });
    expect((await strange.call()).reason).toBe("TOOL_SUSPENDED");
    await strange.close();
    const agent = createAgent({ ...base, model: scriptedModel(["done"]), otel: otelObserver({ tracer }) });
    await agent.decide("c1", { answer: "r" });
    await agent.call();
    await agent.close();
    expect(treeOf(spans())).toEqual(["invoke_agent bot MODEL_STOP", "  chat scripted"]);
    expect(spans().every(({ parentSpanContext }) => parentSpanContext?.isRemote !== true)).toBe(true);
  });
});

// Turns that are not sampled cost and tell nothing.
import { beforeAll, expect, test, vi } from "vitest";
import type { Attributes, Span, Tracer } from "@opentelemetry/api";
import {
  AlwaysOffSampler,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TracerProvider,
  type Sampler,
} from "@opentelemetry/sdk-trace";
import { createAgent } from "agentchart";
import { otelObserver } from "agentchart/otel";
import { scriptedModel } from "agentchart/testing";
import { toolOf } from "../support/agents.ts";
import { useContexts } from "../support/spans.ts";
import { call } from "../support/trace.ts";

beforeAll(useContexts);

/** A tracer whose spans a sampler chooses. */
function sampled(sampler: Sampler) {
  const exporter = new InMemorySpanExporter();
  const spanProcessors = [new SimpleSpanProcessor({ exporter })];
  const inner = new TracerProvider({ sampler, spanProcessors }).getTracer("test");
  const started: Span[] = [];
  const tracer: Tracer = {
    startSpan(...args) {
      const span = inner.startSpan(...args);
      for (const method of ["setAttribute", "setAttributes", "addEvent", "setStatus"] as const)
        vi.spyOn(span, method);
      started.push(span);
      return span;
    },
    startActiveSpan: inner.startActiveSpan.bind(inner),
  };
  return { tracer, started, exported: () => exporter.getFinishedSpans() };
}

const model = () => ({
  ...scriptedModel([{ calls: [call("c1"), call("c2", "bad")] }, "done"]),
  provider: "acme",
  endpoint: "https://models.example/v1",
});

test("of a turn that is not sampled nothing is worked out, and what it calls is not sampled either", async () => {
  const { tracer, started, exported } = sampled(new AlwaysOffSampler());
  const seen: (string | undefined)[] = [];
  const ok = toolOf("ok", (_, { traceparent }) => {
    tracer.startActiveSpan("inner", (span) => span.end());
    seen.push(traceparent);
    return "1";
  });
  const bad = toolOf("bad", () => Promise.reject(new Error("broken")));
  const otel = otelObserver({ tracer, content: true, states: "spans" });
  await createAgent({ name: "bot", model: model(), tools: [ok, bad], otel }).call("go");
  expect(started.length).toBeGreaterThan(5);
  for (const { setAttribute, setAttributes, addEvent } of started) {
    expect(setAttribute).not.toHaveBeenCalled();
    expect(setAttributes).not.toHaveBeenCalled();
    expect(addEvent).not.toHaveBeenCalled();
  }
  const { traceId } = started[0]!.spanContext();
  expect(seen).toEqual([expect.stringMatching(new RegExp(`^00-${traceId}-[\\da-f]{16}-00$`))]);
  expect(exported()).toEqual([]);
});

test("a sampler is told of each span what it is about before it decides", async () => {
  const asked: { readonly name: string; readonly attributes: Attributes }[] = [];
  const sampler: Sampler = {
    shouldSample(_context, _traceId, name, _kind, attributes) {
      asked.push({ name, attributes: { ...attributes } });
      return { decision: 0 };
    },
    toString: () => "test",
  };
  const { tracer } = sampled(sampler);
  const agent = createAgent({
    name: "bot",
    model: model(),
    tools: [toolOf("ok", () => "1")],
    otel: otelObserver({ tracer }),
  });
  await agent.call("go");
  const chat = {
    name: "chat scripted",
    attributes: {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "acme",
      "gen_ai.request.model": "scripted",
      "server.address": "models.example",
      "server.port": 443,
    },
  };
  expect(asked).toMatchObject([
    { name: "invoke_agent bot", attributes: { "gen_ai.agent.name": "bot", "gen_ai.provider.name": "acme" } },
    chat,
    {
      name: "execute_tool ok",
      attributes: { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "ok" },
    },
    chat,
  ]);
});

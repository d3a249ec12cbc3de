// Spans over OTLP, and collectors that fail.
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { expect, test } from "vitest";
import { createAgent } from "agentchart";
import { otelObserver } from "agentchart/otel";
import { scriptedModel } from "agentchart/testing";
import { toolOf } from "../support/agents.ts";
import { startOtlpReceiver } from "../support/otlp-receiver.ts";
import { call } from "../support/trace.ts";

test("a collector receives the spans of a turn over OTLP/HTTP, and an agent works on when it has gone", async () => {
  const collector = await startOtlpReceiver();
  const exporter = new OTLPTraceExporter({ url: `${collector.url}/v1/traces`, timeoutMillis: 500 });
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  const otel = otelObserver({ tracer: provider.getTracer("test") });
  const model = scriptedModel([{ calls: [call("c1")] }, "done", "still here"]);
  const agent = createAgent({ name: "bot", model, tools: [toolOf("ok", () => "1")], otel, sessionId: "s" });
  await agent.call("go");
  await provider.forceFlush();
  const byName = Object.fromEntries(collector.spans().map((span) => [span.name, span]));
  expect(Object.keys(byName).toSorted()).toEqual(["chat scripted", "execute_tool ok", "invoke_agent bot"]);
  const turn = byName["invoke_agent bot"]!;
  expect(byName["execute_tool ok"]!.parentSpanId).toBe(turn.spanId);
  expect(turn.attributes).toMatchObject({
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.conversation.id": "s",
    "agentchart.semconv": "genai-2026-11",
    "agentchart.reason": "MODEL_STOP",
  });
  await collector.close();
  expect((await agent.call("and now?")).text).toBe("still here");
  await provider.shutdown().catch(() => {});
});

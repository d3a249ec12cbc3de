// #region start
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { context, trace } from "@opentelemetry/api";
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { createAgent, defineTool } from "agentchart";
import { otelObserver } from "agentchart/otel";
import { scriptedModel } from "agentchart/testing";
import { z } from "zod";

// In a program of your own: new NodeSDK().start() of @opentelemetry/sdk-node, before the first agent.
const exporter = new InMemorySpanExporter();
trace.setGlobalTracerProvider(
  new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }),
);
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());

const pay = defineTool({
  name: "pay",
  description: "Pays an invoice.",
  input: z.object({ invoice: z.string() }),
  execute: ({ invoice }) =>
    trace.getTracer("bank").startActiveSpan("POST /payments", (span) => {
      span.end(); // a span of your own is below that of the tool
      return `Paid ${invoice}.`;
    }),
});

const agent = createAgent({
  name: "clerk",
  model: scriptedModel([{ calls: [{ id: "c1", name: "pay", input: { invoice: "A7" } }] }, "Done."]),
  tools: [pay],
  permissions: { rules: [{ tool: "pay", action: "ask" }] },
  otel: otelObserver(),
});
// #endregion

// #region suspended
const first = await agent.call("Pay invoice A7.");
console.log(
  first.reason,
  exporter.getFinishedSpans().map(({ name }) => name),
);
await agent.decide("c1", "approve");
await agent.call();
const spans = exporter.getFinishedSpans();
const traces = new Set(spans.map((span) => span.spanContext().traceId));
console.log(
  spans.slice(2).map(({ name }) => name),
  `${traces.size} trace`,
);
// #endregion

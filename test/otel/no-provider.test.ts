// Agents without a provider of traces, or with a late one.
import { trace } from "@opentelemetry/api";
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { expect, test } from "vitest";
import { createAgent } from "agentchart";
import { otelObserver } from "agentchart/otel";
import { scriptedModel } from "agentchart/testing";
import type { SessionTelemetry } from "../../src/agent/telemetry.ts";
import { toolOf } from "../support/agents.ts";

test("without a provider nothing is followed; a provider that comes later has the turns that begin then", async () => {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  let now = trace.getTracer("none");
  const otel = otelObserver({
    tracer: {
      startSpan: (...args) => now.startSpan(...args),
      startActiveSpan: (...args: readonly unknown[]) =>
        now.startActiveSpan(...(args as [never, never])) as never,
    },
  });
  let listeners = 0;
  let telemetry: SessionTelemetry | undefined;
  const says = (id: string) => ({ calls: [{ id, name: "say", input: {} }] });
  const model = scriptedModel([says("c1"), "One.", says("c2"), "Two.", says("c3"), "Three."]);
  const agent = createAgent({
    name: "bot",
    model,
    tools: [toolOf("say", () => "said")],
    otel: {
      observe: ({ steps, ...session }) =>
        (telemetry = otel.observe({
          ...session,
          steps: {
            current: () => steps.current(),
            subscribe: (listener) => {
              const end = steps.subscribe(listener);
              listeners++;
              return () => {
                listeners--;
                end();
              };
            },
          },
        })),
    },
  });
  await agent.call("Hi.");
  expect(listeners).toBe(0);
  expect(telemetry!.model({} as never)).toBeUndefined(); // it does not even look at the call
  expect(telemetry!.tool({} as never, undefined)).toBeUndefined();
  expect(exporter.getFinishedSpans()).toEqual([]);

  now = provider.getTracer("late");
  await agent.call("Hi again.");
  expect(listeners).toBe(1);
  expect(exporter.getFinishedSpans().map(({ name }) => name)).toEqual([
    "chat scripted",
    "execute_tool say",
    "chat scripted",
    "invoke_agent bot",
  ]);
  now = trace.getTracer("none");
  await agent.call("And again.");
  expect(listeners).toBe(0);
  expect(exporter.getFinishedSpans()).toHaveLength(4);
});

// Metrics of agents.
import { expect, test } from "vitest";
import { MeterProvider, MetricReader, type DataPoint, type Histogram } from "@opentelemetry/sdk-metrics";
import { createAgent } from "agentchart";
import { otelObserver } from "agentchart/otel";
import { scriptedModel } from "agentchart/testing";
import { toolOf } from "../support/agents.ts";
import { call } from "../support/trace.ts";

class Reader extends MetricReader {
  protected async onForceFlush(): Promise<void> {}
  protected async onShutdown(): Promise<void> {}
}

async function valuesOf(reader: Reader): Promise<{ readonly [name: string]: readonly object[] }> {
  const { resourceMetrics } = await reader.collect();
  const metrics = resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics);
  return Object.fromEntries(
    metrics.map(({ descriptor, dataPoints }) => [
      descriptor.name,
      (dataPoints as readonly DataPoint<number | Histogram>[]).map(({ attributes, value }) => ({
        ...attributes,
        value: typeof value === "number" ? value : value.count,
      })),
    ]),
  );
}

test("metrics count turns, tokens, retries, suspensions, states and, if asked for, edges", async () => {
  const reader = new Reader();
  const meter = new MeterProvider({ readers: [reader] }).getMeter("test");
  const usage = { inputTokens: 100, outputTokens: 7, cachedInputTokens: 40 };
  const agent = createAgent({
    name: "bot",
    model: scriptedModel([
      { error: Object.assign(new Error("busy"), { isRetryable: true }) },
      { calls: [call("c1")], usage },
      { text: "done", usage },
    ]),
    modelOptions: { execution: { maxAttempts: 2, retryOn: "all", initialBackoffMs: 1 } },
    tools: [toolOf("ok", () => "1")],
    permissions: { rules: [{ tool: "ok", action: "ask" }] },
    otel: otelObserver({ meter, edges: true }),
  });
  await agent.call("go");
  const suspended = await valuesOf(reader);
  expect(suspended["agentchart.suspended"]).toMatchObject([
    { "agentchart.waits_for": "APPROVAL_REQUIRED", value: 1 },
  ]);
  await agent.decide("c1", "approve");
  await agent.call();
  const values = await valuesOf(reader);
  const model = { "gen_ai.operation.name": "chat", "gen_ai.request.model": "scripted" };
  expect(values).toMatchObject({
    "agentchart.turns": [
      { "agentchart.reason": "APPROVAL_REQUIRED", value: 1 },
      { "agentchart.reason": "MODEL_STOP", value: 1 },
    ],
    "agentchart.suspended": [{ "agentchart.waits_for": "APPROVAL_REQUIRED", value: 0 }],
    "agentchart.retries": [{ ...model, value: 1 }],
    "gen_ai.client.inference.usage.input_tokens": [
      { ...model, "gen_ai.token.modality": "unknown", value: 200 },
    ],
    "gen_ai.client.inference.usage.output_tokens": [{ value: 14 }],
    "gen_ai.client.inference.usage.cache_read.input_tokens": [{ value: 80 }],
    "gen_ai.client.inference.usage.cache_write.input_tokens": [{ value: 0 }],
    "gen_ai.client.inference.operation.input_tokens": [{ value: 2 }],
    "gen_ai.client.operation.duration": [{ "error.type": "model/failed", value: 1 }, { value: 2 }],
    "gen_ai.execute_tool.duration": [{ "gen_ai.tool.name": "ok", value: 1 }],
    "gen_ai.invoke_agent.duration": [{ "gen_ai.agent.name": "bot", value: 2 }],
  });
  const states = values["agentchart.state.duration"] as readonly { readonly "agentchart.state": string }[];
  expect(states.map((each) => each["agentchart.state"])).toEqual(
    expect.arrayContaining(["reasoning", "acting", "suspended"]),
  );
  const edges = values["agentchart.edges"] as readonly { readonly "agentchart.edge": string }[];
  expect(edges.map((each) => each["agentchart.edge"])).toContain(
    "agent.acting.executing.running|xstate.done.actor.tool.*|1",
  );
});

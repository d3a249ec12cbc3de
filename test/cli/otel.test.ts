// Traces of servers and workers, over process boundaries.
import { expect, onTestFinished, test } from "vitest";
import { startOtlpReceiver } from "../support/otlp-receiver.ts";
import { AGENTS, createSessions, TOKEN, workerFixture } from "./worker-fixture.ts";

const SOON = { interval: 100 };

const collected = (url: string) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
  OTEL_METRICS_EXPORTER: "otlp",
  OTEL_LOGS_EXPORTER: "none",
  OTEL_METRIC_EXPORT_INTERVAL: "200",
  OTEL_METRIC_EXPORT_TIMEOUT: "200",
  OTEL_BSP_SCHEDULE_DELAY: "50",
  OTEL_SERVICE_NAME: "desk",
});

test("a server that drives its agents itself sends their spans to the collector", async () => {
  const collector = await startOtlpReceiver();
  onTestFinished(collector.close);
  const { serve } = workerFixture(undefined, "memory", collected(collector.url));
  const { request } = await serve("--agents", AGENTS);
  const [id] = await createSessions(request, "steps", 1);
  const named = (name: string) => collector.spans().filter((span) => span.name === name);
  await expect.poll(() => named("invoke_agent steps").length, SOON).toBe(1);
  const [turn] = named("invoke_agent steps");
  expect(turn!.attributes).toMatchObject({ "gen_ai.conversation.id": `acme/${id}` });
  expect(named("execute_tool step").map(({ parentSpanId }) => parentSpanId)).toEqual(
    Array.from({ length: 3 }, () => turn!.spanId),
  );
  expect(collector.text()).not.toContain("Question 0");
});

test("a turn keeps its trace from a killed worker to the next one, and a worker survives its collector", async () => {
  const collector = await startOtlpReceiver();
  const fixture = workerFixture(undefined, "memory", collected(collector.url));
  const { request } = await fixture.serve();
  const first = await fixture.worker();
  const turns = () => collector.spans().filter(({ name }) => name === "invoke_agent asking");
  const [id] = await createSessions(request, "asking", 1);
  await expect.poll(() => turns().length, SOON).toBe(1);
  expect(turns()[0]!.attributes).toMatchObject({
    "agentchart.reason": "APPROVAL_REQUIRED",
    "agentchart.resumed": false,
    "gen_ai.conversation.id": `acme/${id}`,
  });
  first.child.kill("SIGKILL");
  await first.finished;

  const second = await fixture.worker();
  const { pending } = (await request("GET", `/v1/sessions/${id}`)) as unknown as {
    readonly pending: readonly { readonly callId: string; readonly argsHash: string }[];
  };
  const { callId, argsHash } = pending[0]!;
  await request("POST", `/v1/sessions/${id}/decisions`, {
    callId,
    decision: "approve",
    argsHash,
  });
  await expect.poll(() => turns().length, SOON).toBe(2);
  const [begun, resumed] = turns();
  expect(resumed).toMatchObject({ traceId: begun!.traceId, parentSpanId: begun!.spanId });
  expect(resumed!.attributes).toMatchObject({
    "agentchart.reason": "MODEL_STOP",
    "agentchart.resumed": true,
  });
  const tool = collector.spans().find(({ name }) => name === "execute_tool step")!;
  expect(tool).toMatchObject({ traceId: begun!.traceId, parentSpanId: resumed!.spanId });

  await expect.poll(() => collector.text().includes("agentchart.turns"), SOON).toBe(true);
  expect(collector.text()).toContain('"desk"');
  expect(collector.text()).not.toContain("Question 0");
  expect(collector.text()).not.toContain(TOKEN);
  expect(collector.text()).not.toContain(fixture.folder);

  await collector.close();
  await createSessions(request, "echo", 1);
  await expect.poll(() => second.logged("session.end").length, SOON).toBeGreaterThan(1);
  second.child.kill("SIGTERM");
  expect((await second.finished).code).toBe(0);
});

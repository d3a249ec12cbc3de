// The recording of an agent: one step an event, without secrets.
import { createAgent, type Agent } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel } from "agentchart/testing";
import { expect, test } from "vitest";
import { chartJson } from "../../../src/core/diagram/chart-json.ts";
import { activeIds } from "../../../src/inspect/protocol/chart-version.ts";
import { applyPatch } from "../../../src/inspect/protocol/patch.ts";
import type { Step } from "../../../src/inspect/protocol/protocol.ts";
import { WatchedRun } from "../../../src/inspect/client/watched-run.ts";
import type { JsonObject } from "../../../src/core/base/json.ts";
import { agentMachine } from "../../../machines/agent/agent.machine.ts";
import type { AgentContext } from "../../../machines/agent/context.ts";
import { stepsOf as chartSteps, type ChartStep } from "../../../src/agent/steps.ts";
import { toolOf } from "../../support/agents.ts";
import { keptSteps } from "./kept-steps.ts";

type ObservedStep = Pick<ChartStep, "state" | "context" | "edges">;

const WORKER = { id: "w", pid: 1, isUp: true, since: 0 };

/** An agent with the steps of its chart and, beside them, what the inspector has recorded. */
function recorded(agent: Agent): { readonly run: WatchedRun; readonly observed: ObservedStep[] } {
  const run = new WatchedRun(agent.sessionId, () => {});
  run.attach(agent);
  const source = chartSteps(agent);
  const observed: ObservedStep[] = [{ ...source.current(), edges: [] }];
  source.subscribe((step) => observed.push(step));
  return { run, observed };
}

function stepsOf(run: WatchedRun): readonly Step[] {
  run.write();
  return keptSteps(run.history);
}

function displayed({ transcript, ...context }: AgentContext): JsonObject {
  return JSON.parse(JSON.stringify({ ...context, messages: transcript.slice() })) as JsonObject;
}

const tools = [
  toolOf("look", () => "seen"),
  toolOf("ask", () => "done", { permission: "ask" }),
  toolOf("fail", () => {
    throw new Error("no");
  }),
];
const call = (name: string, key = 0) => ({ type: "tool.delta", key, name, args: '{"n":1}' }) as const;
const asks = (...names: readonly string[]) => [
  { type: "usage", usage: { inputTokens: 10, outputTokens: 2 } } as const,
  ...names.map((name, key) => call(name, key)),
  { type: "finish", reason: "tool_calls" } as const,
];

test("every event is one step with its state, its edges and its context, and closing the agent is none", async () => {
  const model = scriptedModel([asks("look", "fail", "look"), asks("look"), "one", asks("ask"), "two"]);
  const agent = createAgent({ name: "bot", model, tools, parallelToolCalls: true });
  const { run, observed } = recorded(agent);
  await agent.call("first");
  await agent.call("second");
  const [pending] = agent.status().pending;
  await agent.decide(pending!.callId, "approve");
  await agent.call();
  await agent.close();

  const steps = stepsOf(run);
  expect(steps.map(({ q }) => q)).toEqual(observed.map((_, index) => index + 1));
  expect(steps.map(({ s }) => run.history.states[s])).toEqual(
    observed.map(({ state }) => activeIds("agent", state)),
  );
  expect(steps.map(({ x }) => x)).toEqual(observed.map(({ edges }) => edges));
  const known = new Set(chartJson(agentMachine).edges.map(({ id }) => id));
  expect(steps.flatMap(({ x }) => x).filter((id) => !known.has(id))).toEqual([]);
  let context: JsonObject = {};
  const calls = new Map<number, number>();
  for (const [index, { p = [] }] of steps.entries()) {
    context = applyPatch(context, p);
    const { modelCall, ...rest } = context;
    expect(rest, `step ${index + 1}`).toEqual(displayed(observed[index]!.context));
    const { number, step } = (modelCall ?? {}) as { readonly number?: number; readonly step?: number };
    if (number !== undefined) calls.set(number, step!);
  }
  expect([...calls.keys()]).toEqual([1, 2, 3, 4, 5]);
  const asking = [...calls.values()].map((q) => run.history.states[steps[q - 1]!.s]!.at(-1));
  expect(new Set(asking)).toEqual(new Set(["agent.reasoning.calling.running"]));
  expect(steps.length).toBeGreaterThan(15);
  expect(steps.flatMap(({ e, x }) => (x.length === 0 ? [e] : []))).toEqual(["xstate.init"]);
  expect(steps.every(({ m }, index) => index === 0 || m >= steps[index - 1]!.m)).toBe(true);
});

test("a step names its exit, transition and entry actions", async () => {
  const agent = createAgent({ name: "bot", model: scriptedModel(["hello"]) });
  const { run } = recorded(agent);
  await agent.call("go");
  const [, begun, ended] = stepsOf(run);
  expect(begun!.x).toEqual([
    "agent.stopped.idle|call|2",
    "agent.doCall.checkingPending||14",
    "agent.reasoning.checkingLimits||10",
  ]);
  expect(begun!.k).toEqual([
    "beginCall",
    "acceptInput",
    "deliverWaiting",
    "boundView",
    "beginAttempt",
    "armTimer",
  ]);
  expect(ended!.x.at(-1)).toBe("agent.stopped.settling||1");
  expect(ended!.k).toEqual([
    "disarmTimer",
    "recordOutcome",
    "storeDraft",
    "endTurn",
    "deliverWaiting",
    "settle",
  ]);
});

test("secrets of models, providers, tools and the context stay in the process", async () => {
  const model = {
    ...scriptedModel([[call("look"), { type: "finish", reason: "tool_calls" }], "done"]),
    apiKey: "sk-in-the-model",
  };
  const agent = createAgent({
    name: "bot",
    model,
    context: { password: "of-the-user" },
    tools: [
      toolOf("look", () => ({
        state: "success",
        output: [{ type: "text", text: "ok" }],
        metadata: { authToken: "tok-1" },
      })),
    ],
    generateOptions: { extraHeaders: { "x-key": "in-a-header" } } as never,
    hooks: [
      { name: "h", preReasoning: () => ({ options: { extraHeaders: { "x-key": "in-a-header" } } as never }) },
    ],
  });
  const { run } = recorded(agent);
  await agent.call("go");
  stepsOf(run);
  const reported = JSON.stringify([stepsOf(run), run.report(WORKER)]);
  expect(reported).toContain('"authToken":"[redacted]"');
  for (const secret of ["sk-in-the-model", "of-the-user", "in-a-header", "tok-1"])
    expect(reported).not.toContain(secret);
});

test("the agent's redaction is applied to steps and long strings, and disables streaming", async () => {
  const redact = (value: unknown): never =>
    JSON.parse(JSON.stringify(value).replaceAll("hunter2", "***")) as never;
  const model = scriptedModel([[call("look"), { type: "finish", reason: "tool_calls" }], "my hunter2"]);
  const config = {
    name: "bot",
    model,
    sessionOptions: { redact },
    tools: [toolOf("look", () => `hunter2 ${"x".repeat(9_000)}`)],
  };
  const agent = createAgent(config);
  const run = new WatchedRun(agent.sessionId, () => {});
  run.attach(agent, config);
  await agent.call("is it hunter2?");
  const steps = stepsOf(run);
  const blobs = [...run.history.blobs].map(([, text]) => text);
  expect(JSON.stringify(steps)).toContain("is it ***?");
  expect(blobs.some((text) => text.startsWith("*** xxx"))).toBe(true);
  expect(JSON.stringify([steps, blobs, run.stream.drain()])).not.toContain("hunter2");
  expect(run.stream.isEmpty).toBe(true);
});

test("the next agent of a session continues its steps without repeating earlier changes", async () => {
  const store = memoryStore();
  const run = new WatchedRun("s", () => {});
  const texts = ["first answer", "second answer"];
  for (const text of texts) {
    const agent = createAgent({ name: "bot", model: scriptedModel([text]), store, sessionId: "s" });
    run.attach(agent);
    await agent.call(`about the ${text}`);
    const messages = await agent.messages();
    await agent.close();
    const steps = stepsOf(run);
    const context = steps.reduce<JsonObject>((now, { p = [] }) => applyPatch(now, p), {});
    expect(context["messages"]).toEqual(messages);
  }
  const steps = stepsOf(run);
  expect(steps.filter(({ e }) => e === "xstate.init")).toHaveLength(1);
  const reported = JSON.stringify(steps.map(({ p }) => p)).split('"about the first answer"').length - 1;
  expect(reported).toBe(1);
});

// The edges and causes of steps in a journal.
import { createAgent, type Agent } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel } from "agentchart/testing";
import { expect, test } from "vitest";
import { agentChart } from "../../machines/agent/known-chart.ts";
import { causedBy, stepsOf } from "../../src/agent/steps.ts";
import type { StoredStep } from "../../src/session/entry.ts";
import { readEntries } from "../../src/session/read-entry.ts";
import { toolOf } from "../support/agents.ts";

const call = (name: string) => ({ calls: [{ name, input: {} }] });

/** An agent in a store, the steps its chart has taken, and those that its journal has. */
async function recorded(
  turns: Parameters<typeof scriptedModel>[0],
  drive: (agent: Agent) => Promise<unknown>,
) {
  const store = memoryStore();
  const tools = [toolOf("look", () => "seen"), toolOf("pay", () => "paid", { permission: "ask" })];
  const agent = createAgent({ name: "bot", model: scriptedModel(turns), tools, store, sessionId: "s" });
  await agent.open();
  const taken: string[][] = [];
  stepsOf(agent).subscribe(({ edges }) => void taken.push([...edges]));
  await drive(agent);
  await agent.close();
  const steps: StoredStep[] = [];
  let chart: unknown;
  for await (const { type, data } of readEntries(store, "s")) {
    if (type !== "position") continue;
    chart ??= data.chart;
    steps.push(...(data.steps ?? []));
  }
  return { taken, steps, chart };
}

test("a journal has every edge that was taken, in order, by its number in the chart that it names", async () => {
  const { taken, steps, chart } = await recorded([call("look"), call("look"), "done"], (agent) =>
    agent.call("go"),
  );
  const { hash, chart: drawing } = agentChart();
  expect(chart).toBe(hash);
  expect(steps.map(({ x }) => x.map((number) => drawing.edges[number]!.id))).toEqual(taken);
  expect(taken.length).toBeGreaterThan(6);
});

test("a journal says who caused a step, unless it was the program", async () => {
  const { steps } = await recorded([call("pay"), "done"], async (agent) => {
    await agent.call("go");
    const [pending] = agent.status().pending;
    await causedBy("inspector", () => agent.decide(pending!.callId, "approve"));
    await agent.call();
  });
  const { edges } = agentChart().chart;
  const caused = steps.filter(({ by }) => by !== undefined);
  expect(caused.map(({ x, by }) => [edges[x[0]!]!.event, by])).toEqual([["tool.decide", "inspector"]]);
});

test("who has left does not hear that nothing of the session runs any more", async () => {
  const agent = createAgent({ name: "bot", model: scriptedModel([]) });
  await agent.close();
  const heard: string[] = [];
  const watch = (name: string) =>
    stepsOf(agent).subscribe(
      () => {},
      undefined,
      () => void heard.push(name),
    );
  watch("gone")();
  watch("here");
  await Promise.resolve();
  expect(heard).toEqual(["here"]);
});

test("what a hook makes the agent do is caused by the hook", async () => {
  let agent: Agent;
  const steer = { name: "h", postActing: () => void agent.steer("in euros") };
  agent = createAgent({
    name: "bot",
    model: scriptedModel([call("look"), "done"]),
    tools: [toolOf("look", () => "seen")],
    hooks: [steer],
  });
  const causes: unknown[] = [];
  stepsOf(agent).subscribe(({ event }) => event.type === "run.steer" && void causes.push(event.by));
  await agent.call("go");
  expect(causes).toEqual(["hook"]);
});

// Faults of structured answers in other frameworks, each of which is not a fault here.
import { expect, test } from "vitest";
import { z } from "zod";
import { createAgent, createToolkit, type AgentConfig } from "agentchart";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { scripted, toolOf } from "../../support/agents.ts";
import { historyProblem } from "../../support/history.ts";
import { show } from "../../support/trace.ts";

const City = z.object({ city: z.string() });
const rome = { city: "Rome" };
const give = (response: object, more: object = {}): ScriptedTurn => ({
  calls: [{ name: "generate_response", input: { response: response as never } }],
  ...more,
});

test("S15 two calls at once on one toolkit have their own output tool each, and the toolkit has none", async () => {
  const toolkit = createToolkit({ tools: [toolOf("ok", () => "fine")] });
  const models = [
    scriptedModel([{ calls: [{ name: "ok" }] }, give(rome)]),
    scriptedModel([{ calls: [{ name: "ok" }] }, give({ n: 1 })]),
  ];
  const [first, second] = models.map((model) => createAgent({ name: "bot", model, toolkit }));
  const [city, number] = await Promise.all([
    first!.call("where?", { output: City }),
    second!.call("how many?", { output: z.object({ n: z.number() }) }),
  ]);
  expect([city.output, number.output]).toEqual([rome, { n: 1 }]);
  expect(models.map(({ requests }) => JSON.stringify(requests[1]?.tools).includes('"city"'))).toEqual([
    true,
    false,
  ]);
  expect([toolkit, first!.toolkit, second!.toolkit].map((each) => each.names())).toEqual([
    ["ok"],
    ["ok"],
    ["ok"],
  ]);
});

test("S16 usage survives JSON, and the structured answer carries the sum of its requests and its thinking", async () => {
  const usage = { inputTokens: 10, outputTokens: 2, cachedInputTokens: 4, reasoningTokens: 1 };
  const { agent } = scripted([
    give({ city: 5 }, { thinking: "first", usage }),
    give(rome, { thinking: "second", usage }),
  ]);
  const reply = await agent.call("where?", { output: City });
  const twice = { inputTokens: 20, outputTokens: 4, cachedInputTokens: 8, reasoningTokens: 2 };
  expect([reply.usage, reply.turn.usage]).toEqual([
    expect.objectContaining(twice),
    expect.objectContaining(twice),
  ]);
  const next = scripted([], { sessionOptions: { snapshot: JSON.parse(JSON.stringify(agent.snapshot())) } });
  const stored = (await next.agent.messages()).at(-1);
  expect(stored?.usage).toEqual(reply.usage);
  expect(stored?.content[0]).toEqual({ type: "thinking", thinking: "second" });
});

test("S25 the output tool is offered but not forced while the model uses others; only a reminder forces it", async () => {
  const config: Partial<AgentConfig> = { tools: [toolOf("ok", () => "fine")] };
  const { agent, model } = scripted([{ calls: [{ name: "ok" }] }, "I think it is Rome", give(rome)], config);
  expect((await agent.call("where?", { output: City })).output).toEqual(rome);
  expect(
    model.requests.map(({ tools, options }) => [tools.map(({ name }) => name), options.toolChoice]),
  ).toEqual([
    [["ok", "generate_response"], undefined],
    [["ok", "generate_response"], undefined],
    [["ok", "generate_response"], { name: "generate_response" }],
  ]);
});

test("F14 clearing up after a structured answer leaves sibling calls with their results", async () => {
  const both: ScriptedTurn = {
    text: "here",
    calls: [
      { id: "a", name: "ok" },
      { id: "g", name: "generate_response", input: { response: { city: 5 } } },
      { id: "b", name: "ok" },
    ],
  };
  const { agent, model } = scripted([both, give(rome), "on"], { tools: [toolOf("ok", () => "fine")] });
  await agent.call("where?", { output: City });
  const messages = await agent.messages();
  expect(messages.map(show)).toEqual([
    "U[where?]",
    "A[here,a,b]",
    "T(a)",
    "T(b)",
    `A[${JSON.stringify(rome)}]`,
  ]);
  await agent.call("and?");
  expect(model.requests.map(({ messages: sent }) => historyProblem(sent))).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

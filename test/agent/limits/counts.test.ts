// Limits that count: calls of tools, failures and iterations.
import { describe, expect, test } from "vitest";
import { createAgent, type AgentConfig, type Budget } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { scripted, toolOf } from "../../support/agents.ts";
import { call } from "../../support/trace.ts";

const COUNTED = ["modelCalls", "toolCalls", "inputTokens", "outputTokens", "totalTokens"] as const;
const NO_COUNTS = [1.5, 0.5, 0, -1, Number.NaN, "2"];

describe.each(COUNTED)("a limit of %s", (name) => {
  test.each(NO_COUNTS)("is refused as %j, in the configuration and where it is raised", async (value) => {
    const budget = { [name]: value } as Budget;
    const problem = { code: "config/invalid", message: expect.stringContaining("expected an integer of at") };
    const make = (): unknown => createAgent({ name: "a", model: scriptedModel([]), budget });
    expect(make).toThrow(expect.objectContaining(problem));
    const { agent } = scripted(["end"], { budget: { [name]: 1 } });
    await expect(agent.extendBudget(budget)).rejects.toMatchObject(problem);
  });

  test.each([1, 1_000, Infinity])("is taken as %d", (value) => {
    expect(() => scripted([], { budget: { [name]: value } })).not.toThrow();
  });
});

test.each<[string, Partial<AgentConfig>]>([
  ["maxIters", { maxIters: 1.5 }],
  ["turnOptions.maxGotos", { turnOptions: { maxGotos: 1.5 } }],
  ["parallelToolCalls", { parallelToolCalls: 1.5 }],
  ["turnOptions.maxHandoffs", { turnOptions: { maxHandoffs: 1.5 } }],
  ["modelOptions.execution.maxAttempts", { modelOptions: { execution: { maxAttempts: 1.5 } } }],
  ["toolOptions.execution.maxAttempts", { toolOptions: { execution: { maxAttempts: 1.5 } } }],
  ["modelOptions.contextWindow.maxMessages", { modelOptions: { contextWindow: { maxMessages: 1.5 } } }],
  ["modelOptions.contextWindow.maxTokens", { modelOptions: { contextWindow: { maxTokens: 1.5 } } }],
  ["compaction.contextTokens", { compaction: { contextTokens: 100_000.5 } }],
  ["compaction.maxFailures", { compaction: { maxFailures: 1.5 } }],
  ["compaction.maxSummaryTokens", { compaction: { maxSummaryTokens: 1.5 } }],
  ["toolOptions.results.maxTokens", { toolOptions: { results: { maxTokens: 1.5 } } }],
  ["toolOptions.results.keepMedia", { toolOptions: { results: { keepMedia: 1.5 } } }],
  ["generateOptions.maxTokens", { generateOptions: { maxTokens: 1.5 } }],
  ["generateOptions.topK", { generateOptions: { topK: 1.5 } }],
  ["generateOptions.thinkingBudget", { generateOptions: { thinkingBudget: 1.5 } }],
])("a count with a fraction for %s is refused with the name of the option", (name, config) => {
  const isInEither = /^compaction|results/.test(name); // what is one of several kinds is not looked into
  const option = isInEither ? name.replace(/\.[a-zA-Z]+$/, "") : name;
  const problem = { code: "config/invalid", message: expect.stringContaining(`\`${option}\``) };
  expect(() => scripted([], config)).toThrow(expect.objectContaining(problem));
});

describe("the iterations of a reply", () => {
  const rounds = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ calls: [call(`c${index}`)] }));

  test.each([1, 2, 5])("are %i at that limit, and the summary is none of them", async (maxIters) => {
    const { agent } = scripted([...rounds(maxIters), "sum"], {
      tools: [toolOf("ok", () => "done")],
      maxIters,
    });
    expect(await agent.call("go")).toMatchObject({
      reason: "MAX_ITERATIONS",
      turn: { iterations: maxIters, modelCalls: maxIters + 1 },
    });
  });

  test.each([1, 3])("are %i and one more for an answer without calls", async (count) => {
    const { agent } = scripted([...rounds(count), "end"], { tools: [toolOf("ok", () => "done")] });
    expect((await agent.call("go")).turn).toMatchObject({ iterations: count + 1, modelCalls: count + 1 });
  });
});

describe("a hook that leaves no message in the prompt", () => {
  test.each<[string, AgentConfig["hooks"]]>([
    ["returns none", [{ name: "none", preReasoning: () => ({ messages: [] }) }]],
    ["returns none and adds none", [{ name: "none", preReasoning: () => ({ messages: [], append: [] }) }]],
    [
      "is followed by one that changes the system prompt",
      [
        { name: "none", preReasoning: () => ({ messages: [] }) },
        { name: "other", preReasoning: () => ({ system: "You help." }) },
      ],
    ],
  ])("fails the turn before a request is made: it %s", async (_, hooks) => {
    const { agent, model } = scripted(["never"], { hooks: hooks! });
    await expect(agent.call("go")).rejects.toMatchObject({
      code: "hook/bad-return",
      message: expect.stringMatching(/none.*no message is left in the prompt/),
    });
    expect(model.requests).toHaveLength(0);
  });

  test("fails nothing if another one adds a message", async () => {
    const hooks: AgentConfig["hooks"] = [
      { name: "none", preReasoning: () => ({ messages: [] }) },
      { name: "adds", preReasoning: ({ messages: left }) => ({ append: left.length === 0 ? [ASKED] : [] }) },
    ];
    const { agent, model } = scripted(["yes"], { hooks });
    expect((await agent.call("go")).text).toBe("yes");
    expect(model.requests[0]!.messages.map(({ id }) => id)).toEqual(["asked"]);
  });
});

const ASKED = {
  id: "asked",
  role: "user",
  name: "user",
  content: [{ type: "text", text: "instead" }],
  metadata: {},
  timestamp: 0,
} as const;

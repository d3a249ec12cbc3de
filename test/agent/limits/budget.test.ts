// Budgets of a turn: how they suspend it, and how it goes on once they are extended.
import { describe, expect, test } from "vitest";
import { createAgent, defineTool, type AgentConfig } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { show } from "../../support/trace.ts";

const work = defineTool({ name: "work", description: "", input: { type: "object" }, execute: () => "done" });
const round = (id: string, calls = 1): ScriptedTurn => ({
  calls: Array.from({ length: calls }, (_, i) => ({ id: `${id}${i}`, name: "work" })),
  usage: { inputTokens: 100, outputTokens: 10 },
});
const setup = (turns: readonly ScriptedTurn[], config: Partial<AgentConfig>) => {
  const model = scriptedModel(turns);
  return { model, agent: createAgent({ name: "bot", model, tools: [work], ...config }) };
};

describe("a budget", () => {
  test.each([
    [{ modelCalls: 1 }, /modelCalls 1 of 1/],
    [{ inputTokens: 50 }, /inputTokens 100 of 50/],
    [{ totalTokens: 110 }, /totalTokens 110 of 110/],
  ])(
    "a turn over %j suspends before the next model call and, once extended, goes on with its counters",
    async (budget, text) => {
      const { agent, model } = setup([round("a"), "end"], { budget });
      const reply = await agent.call("go");
      expect([reply.reason, reply.text]).toEqual(["BUDGET_EXCEEDED", expect.stringMatching(text)]);
      expect(agent.status()).toMatchObject({ phase: "suspended", waitsFor: ["budget"], pending: [] });
      expect((await agent.call()).reason).toBe("BUDGET_EXCEEDED");
      await agent.extendBudget({ modelCalls: 5, inputTokens: 500, totalTokens: 500 });
      const end = await agent.call();
      expect(end).toMatchObject({ text: "end", turn: { iterations: 2, modelCalls: 2 } });
      model.done();
      expect((await agent.messages()).map(show)).toEqual(["U[go]", "A[a0]", "T(a0)", "A[end]"]);
    },
  );

  test("may be extended without an end, also in another process", async () => {
    const store = memoryStore();
    const config = { store, sessionId: "s", budget: { modelCalls: 1 } };
    const { agent } = setup([round("a")], config);
    expect((await agent.call("go")).reason).toBe("BUDGET_EXCEEDED");
    await agent.extendBudget({ modelCalls: Number.POSITIVE_INFINITY });
    await agent.close();
    const other = setup(["end"], config).agent;
    expect(await other.call()).toMatchObject({ reason: "MODEL_STOP", text: "end" });
    await other.close();
  });

  test("a budget of tool calls suspends the turn before any call of a too large batch runs", async () => {
    const { agent } = setup([round("a", 3), "end"], { budget: { toolCalls: 2 } });
    const reply = await agent.call("go");
    expect([reply.reason, reply.turn.toolCalls]).toEqual(["BUDGET_EXCEEDED", 0]);
    await agent.extendBudget({ toolCalls: 1 });
    expect((await agent.call()).turn.toolCalls).toBe(3);
  });

  test("a budget with onExceeded stop ends the turn, stores the reason, and the next turn has the whole budget", async () => {
    const { agent } = setup([round("a", 2), "fresh"], { budget: { toolCalls: 1, onExceeded: "stop" } });
    const reply = await agent.call("go");
    expect(reply.reason).toBe("BUDGET_EXCEEDED");
    expect((await agent.messages()).map(show)).toEqual([
      "U[go]",
      "A[a0,a1]",
      "T(a0)",
      "T(a1)",
      `A[${reply.text}]`,
    ]);
    expect((await agent.call("again")).text).toBe("fresh");
  });

  test("the counters of a budget survive a snapshot", async () => {
    const first = setup([round("a")], { budget: { modelCalls: 1 } });
    await first.agent.call("go");
    const { agent } = setup(["end"], {
      budget: { modelCalls: 1 },
      sessionOptions: { snapshot: first.agent.snapshot() },
    });
    expect(agent.status()).toMatchObject({ phase: "suspended", waitsFor: ["budget"] });
    expect((await agent.call()).reason).toBe("BUDGET_EXCEEDED");
    await agent.extendBudget({ modelCalls: 1 });
    expect((await agent.call()).text).toBe("end");
  });

  test("a budget counts cost by the configured prices; a model without a price has an unknown cost", async () => {
    const prices = { scripted: { input: 2, output: 10 } };
    const known = await setup(
      [{ text: "x", usage: { inputTokens: 1000, outputTokens: 100, cachedInputTokens: 0 } }],
      { modelOptions: { prices } },
    ).agent.call("go");
    expect(known.turn.usage.cost).toBeCloseTo(0.003);
    const unknown = await setup([{ text: "x", usage: { inputTokens: 1, outputTokens: 1 } }], {}).agent.call(
      "go",
    );
    expect(unknown.turn.usage.cost).toBeUndefined();
  });

  test.each([
    [["scripted"], undefined],
    [["other"], undefined],
    [["scripted", "other"], 0.00402],
  ])("with prices of %j only, a turn that asked a model and its fallback cost %s", async (priced, cost) => {
    const usage = { inputTokens: 1000, outputTokens: 1 };
    async function* failing() {
      yield { type: "usage" as const, usage };
      throw new Error("down");
    }
    const reply = await setup([failing], {
      modelOptions: {
        prices: Object.fromEntries(priced.map((name) => [name, { input: 2, output: 10 }])),
        fallbackModel: { ...scriptedModel([{ text: "x", usage }]), name: "other" },
      },
    }).agent.call("go");
    expect(reply.text).toBe("x");
    expect(reply.turn.usage.inputTokens).toBe(2000);
    expect(reply.turn.usage.cost).toBe(cost);
  });

  test("a limit of cost is refused if a model has no price, else it holds", async () => {
    const scriptedPrice = { input: 2, output: 10 };
    const fallbackModel = { ...scriptedModel([]), name: "other" };
    const refused = (named: string) =>
      expect.objectContaining({ code: "config/invalid", message: expect.stringContaining(named) });
    const budget = { cost: 0.0001 };
    const prices = { scripted: scriptedPrice };
    expect(() => setup([], { budget })).toThrow(refused("'scripted'"));
    expect(() => setup([], { budget, modelOptions: { prices: { other: scriptedPrice } } })).toThrow(
      refused("'scripted'"),
    );
    expect(() => setup([], { budget, modelOptions: { prices, fallbackModel } })).toThrow(refused("'other'"));
    const { agent } = setup([round("a"), "end"], { budget, modelOptions: { prices } });
    expect((await agent.call("go")).text).toContain("cost 0.0003 of 0.0001");
  });
});

// The usage of tokens over attempts, models and turns.
import { describe, expect, test } from "vitest";
import { AgentError, type AgentConfig, type StreamPart, type Usage } from "agentchart";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { countText } from "../../../src/core/model/request.ts";
import { eventsOf, scripted, untilAborted } from "../../support/agents.ts";

const PRICES = { scripted: { input: 2, output: 10 }, other: { input: 2, output: 10 } };
const RETRY: Partial<AgentConfig> = {
  modelOptions: { prices: PRICES, execution: { maxAttempts: 2, initialBackoffMs: 1, maxBackoffMs: 1 } },
};
const COUNTS: Usage = { inputTokens: 100, outputTokens: 10 };
const ANSWER: ScriptedTurn = { text: "four words are here", usage: COUNTS };
const down = new AgentError("model/unavailable", "down", { isRetryable: true });

/** An attempt that says these parts and then fails. */
const failing = (...parts: StreamPart[]): ScriptedTurn =>
  async function* () {
    yield* parts;
    throw down;
  };

async function usageOf(turns: readonly ScriptedTurn[], config: Partial<AgentConfig> = RETRY): Promise<Usage> {
  const { agent, model } = scripted(turns, config);
  const { turn } = await agent.call("go");
  model.done();
  expect(turn.modelCalls).toBe(turns.length);
  return turn.usage;
}

test("usage of zero tokens counts as not reported, and is estimated", async () => {
  const usage = await usageOf([{ text: "four words are here", usage: { inputTokens: 0, outputTokens: 0 } }]);
  expect(usage).toMatchObject({ outputTokens: countText("four words are here"), estimated: true });
  expect(usage.inputTokens).toBeGreaterThan(0);
  expect(usage.cost).toBeGreaterThan(0);
});

describe("an attempt that failed", () => {
  test("a failed attempt without output adds no usage to the reported one", async () => {
    const usage = await usageOf([failing(), ANSWER]);
    expect(usage).toMatchObject({ ...COUNTS, cost: expect.closeTo(0.0003) });
    expect(usage.estimated).toBeUndefined();
  });

  test("a failed attempt without output adds no usage to that of a fallback model", async () => {
    const fallbackModel = scriptedModel([ANSWER], { name: "other" });
    const { agent } = scripted([failing()], {
      modelOptions: { prices: PRICES, execution: { maxAttempts: 1 }, fallbackModel },
    });
    const { usage } = (await agent.call("go")).turn;
    expect(usage).toMatchObject(COUNTS);
    expect(usage.estimated).toBeUndefined();
  });

  test("a failed attempt adds the usage that the provider reported for it", async () => {
    const usage = await usageOf([failing({ type: "usage", usage: COUNTS }), ANSWER]);
    expect(usage).toMatchObject({ inputTokens: 200, outputTokens: 20, cost: expect.closeTo(0.0006) });
  });

  test("model.end of a failed attempt has no usage, and that of the successful one has", async () => {
    const { agent } = scripted([failing(), ANSWER], RETRY);
    const ends = (await eventsOf(agent.stream("go"))).filter((event) => event.type === "model.end");
    expect(ends.map((end) => end.usage?.inputTokens)).toEqual([undefined, 100]);
  });

  test("a failed attempt with output adds an estimate of its usage", async () => {
    const { agent } = scripted([failing({ type: "text.delta", delta: "four words are here" })], RETRY);
    const usages: (Usage | undefined)[] = [];
    agent.subscribe((event) => event.type === "model.end" && usages.push(event.usage));
    await expect(agent.call("go")).rejects.toMatchObject({ code: "model/unavailable" });
    expect(usages).toMatchObject([{ outputTokens: 4, estimated: true }]);
  });
});

test("an interrupted attempt without output adds no usage", async () => {
  const silent: ScriptedTurn = async function* (_, signal) {
    await untilAborted(signal);
    yield { type: "finish", reason: "stop" };
  };
  const { agent, model } = scripted([silent], { modelOptions: { prices: PRICES } });
  const reply = agent.call("go");
  await expect.poll(() => model.requests.length).toBe(1);
  agent.interrupt();
  expect((await reply).turn).toMatchObject({ modelCalls: 1, usage: {} });
  expect((await reply).turn.usage).toEqual({});
});

test("the usage of an empty answer counts", async () => {
  const usage = await usageOf([{ finish: "stop" }, ANSWER], { modelOptions: { prices: PRICES } });
  expect(usage.inputTokens).toBeGreaterThan(100);
  expect(usage).toMatchObject({ outputTokens: 10, estimated: true });
});

describe("a provider that reports only some of the token counts", () => {
  const text = "four words are here";

  test.each<[string, Usage, Usage]>([
    ["input", { inputTokens: 100 }, { inputTokens: 100, outputTokens: countText(text) }],
    ["output", { outputTokens: 10 }, { inputTokens: countText("go") + 4, outputTokens: 10 }],
    ["neither", { durationMs: 5 }, { inputTokens: countText("go") + 4, outputTokens: countText(text) }],
    ["cached", { cachedInputTokens: 50 }, { inputTokens: 50, outputTokens: countText(text) }],
    ["reasoning", { reasoningTokens: 40 }, { inputTokens: countText("go") + 4, outputTokens: 40 }],
  ])(
    "missing token counts are estimated if only %s is reported, and the cost is known",
    async (_, said, counts) => {
      const usage = await usageOf([{ text, usage: said }]);
      expect(usage).toMatchObject({ ...said, ...counts, estimated: true });
      const cost = (2 * counts.inputTokens! + 10 * counts.outputTokens!) / 1_000_000;
      expect(usage.cost).toBeCloseTo(cost, 10);
    },
  );

  test("a limit of cost applies to estimated token counts", async () => {
    const { agent } = scripted([{ text, usage: { inputTokens: 100 } }, "never"], {
      modelOptions: { prices: PRICES },
      budget: { cost: 0.0001 },
      hooks: [{ name: "again", postReasoning: () => ({ goto: [] }) }],
    });
    expect((await agent.call("go")).reason).toBe("BUDGET_EXCEEDED");
  });

  test("reported token counts are not changed if both are there", async () => {
    expect((await usageOf([ANSWER])).estimated).toBeUndefined();
  });
});

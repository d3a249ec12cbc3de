// Estimates of tokens: right, fast and bounded.
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { AgentError, createAgent, defineTool, userMsg } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { countMessage, countText } from "../../src/core/model/request.ts";
import { termsOf } from "../../src/kit/knowledge/terms.ts";
import { freshModules } from "../support/fresh-modules.ts";
import { heapBytes } from "../support/heap-bytes.ts";
import { call, show, traced } from "../support/trace.ts";

describe("token estimates", () => {
  test("count special tokens and very long runs without failing or slowing down", () => {
    expect(countText("hello world")).toBe(2);
    expect(countText("<|endoftext|>")).toBeGreaterThan(1);
    expect(countText("a".repeat(200_000))).toBeGreaterThan(1_000);
  });

  test("of a long text is near what its parts come to, and 80 MB are no more work than 8", () => {
    const prose = "The quick brown fox jumps over the lazy dog, 42 times; ".repeat(20_000);
    const paragraphs = prose.match(/[^]{1,50000}/g)!;
    const whole = paragraphs.reduce((sum, part) => sum + countText(part), 0);
    expect(countText(prose) / whole).toBeCloseTo(1, 1);
    expect(countText("z".repeat(80_000_000)) / countText("z".repeat(8_000_000))).toBeCloseTo(10, 3);
  });

  test("count a message once for each object", () => {
    const message = userMsg("some words");
    const first = countMessage(message);
    (message as unknown as { content: unknown[] }).content = [];
    expect(countMessage(message)).toBe(first);
  });

  test("stand in where a provider reports nothing, and say so", async () => {
    const reply = await createAgent({ name: "b", model: scriptedModel(["four words are here"]) }).call("hi");
    expect(reply.usage).toMatchObject({ estimated: true, outputTokens: 4 });
    expect(reply.turn.usage.estimated).toBe(true);
  });
});

describe("bounded memory", () => {
  test.each<[string, (text: string) => unknown]>([
    ["the count of a text", countText],
    ["the count of a part of it", (text) => countText(text.slice(0, 4_000))],
    ["its terms", termsOf],
  ])("does not hold the texts of which it knows %s", async (what, look) => {
    look("warm");
    const before = await heapBytes();
    for (let index = 0; index < 20; index++)
      look(
        JSON.parse(
          `"${what.replaceAll(" ", "zq")}${"zzqq".repeat(index + 2)}${" .,;:!?".repeat(400_000)}"`,
        ) as string,
      );
    expect((await heapBytes()) - before).toBeLessThan(20_000_000);
  });

  test("shows the model the last messages and stores all", async () => {
    const { agent, model } = traced(["1", "2", "3"], { modelOptions: { contextWindow: { maxMessages: 2 } } });
    for (const text of ["a", "b", "c"]) await agent.call(text);
    expect(model.requests[2]?.messages.map(show)).toEqual(["S[sys]", "A[2]", "U[c]"]);
    expect(await agent.messages()).toHaveLength(6);
  });

  test("never splits a call from its result", async () => {
    const { agent, model } = traced([{ calls: [call("c1"), call("c2")] }, "end"], {
      modelOptions: { contextWindow: { maxMessages: 1 } },
    });
    await agent.call("go");
    expect(model.requests[1]?.messages.map(show)).toEqual(["S[sys]", "U[go]", "A[c1,c2]", "T(c1)", "T(c2)"]);
  });

  test.each([{ maxMessages: 3 }, { maxTokens: 60 }])(
    "keeps the message that began the turn, within the bound %j",
    async (contextWindow) => {
      const rounds = Array.from({ length: 6 }, (_, n) => ({ calls: [call(`c${n}`)] }));
      const { agent, model } = traced(["old", ...rounds, "end"], { modelOptions: { contextWindow } });
      await agent.call("earlier");
      await agent.call("the task");
      const prompts = model.requests.slice(1).map(({ messages }) => messages.map(show));
      expect(prompts.filter((prompt) => !prompt.includes("U[the task]"))).toEqual([]);
      expect(prompts.at(-1)).not.toContain("A[c0]");
      expect(prompts.at(-1)!.slice(-2)).toEqual(["A[c5]", "T(c5)"]);
      if ("maxMessages" in contextWindow) expect(prompts.at(-1)).toHaveLength(4);
    },
  );

  test("keeps the message that a repeated turn answers", async () => {
    const failing = { error: new AgentError("model/auth", "no") };
    const script = [{ calls: [call("c1")] }, failing, { calls: [call("c2")] }, "end"];
    const { agent, model } = traced(script, { modelOptions: { contextWindow: { maxMessages: 3 } } });
    await expect(agent.call("the task")).rejects.toMatchObject({ code: "model/auth" });
    await agent.call();
    expect(model.requests.at(-1)?.messages.map(show)).toEqual(["S[sys]", "U[the task]", "A[c2]", "T(c2)"]);
  });

  test("keeps about maxTokens, and at least the last message", async () => {
    const texts = Array.from({ length: 12 }, (_, n) => `message ${n} of some words`);
    const { agent, model } = traced(texts, { modelOptions: { contextWindow: { maxTokens: 80 } } });
    for (const text of texts) await agent.call(text);
    const sizes = model.requests.map(({ messages }) => messages.length - 1);
    expect(Math.max(...sizes)).toBeLessThan(10);
    expect(Math.min(...sizes.slice(3))).toBeGreaterThan(1);
    const tiny = traced(["1", "2"], { modelOptions: { contextWindow: { maxTokens: 1 } } });
    await tiny.agent.call("a");
    await tiny.agent.call("b");
    expect(tiny.model.requests[1]?.messages.map(show)).toEqual(["S[sys]", "U[b]"]);
  });

  test("a tool list is part of the estimate", async () => {
    const tools = [defineTool({ name: "t", description: "word ".repeat(100), input: { type: "object" } })];
    const size = async (config: object) =>
      (await createAgent({ name: "b", model: scriptedModel(["x"]), ...config }).call("hi")).usage!
        .inputTokens!;
    expect(await size({ tools })).toBeGreaterThan((await size({})) + 90);
  });
});

test("a missing tokenizer is an error that names the package and the command", async () => {
  freshModules();
  vi.doMock("../../src/core/model/load-tokenizer.cjs", () => ({
    loadTokenizer: () => {
      throw Object.assign(new Error("Cannot find module"), { code: "MODULE_NOT_FOUND" });
    },
  }));
  onTestFinished(() => {
    vi.doUnmock("../../src/core/model/load-tokenizer.cjs");
  });
  const fresh = await import("agentchart");
  const turn = fresh.createAgent({ name: "b", model: scriptedModel(["four words are here"]) }).call("hi");
  await expect(turn).rejects.toMatchObject({
    code: "config/invalid",
    message: expect.stringMatching(/gpt-tokenizer.*npm install agentchart$/) as string,
  });
});

test("a run of spaces is counted as fast as words", () => {
  const startedAt = performance.now();
  expect(countText(" ".repeat(60_000))).toBeGreaterThan(100);
  expect(performance.now() - startedAt).toBeLessThan(2_000);
});

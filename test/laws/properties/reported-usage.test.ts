// Whatever a provider reports, the prompt becomes shorter in time.
import { describe, expect, test } from "vitest";
import { createAgent, defineTool, type Usage } from "agentchart";
import type { ChatModel, ModelRequest } from "../../../src/core/model/port.ts";
import fc from "../../support/fast-check.ts";

const RESULT = "a line of the result of a tool, with some words of its own\n".repeat(140);
const tools = [
  defineTool({ name: "look", description: "Looks.", input: { type: "object" }, execute: () => RESULT }),
];

const textLength = ({ messages, tools: offered }: ModelRequest): number =>
  JSON.stringify(messages.map(({ content }) => content)).length + JSON.stringify(offered).length;

/** What a provider may report of a prompt: the truth in one of its forms, or something that is none. */
const report = fc.oneof(
  fc.constantFrom<(tokens: number) => Usage | undefined>(
    () => undefined,
    () => ({}),
    () => ({ inputTokens: 0 }),
    () => ({ inputTokens: 0, outputTokens: 0 }),
    () => ({ inputTokens: 1, outputTokens: 0 }),
    () => ({ inputTokens: 1e300, outputTokens: 1e300 }),
    (tokens) => ({ inputTokens: 10, cachedInputTokens: tokens - 10 }),
    (tokens) => ({ inputTokens: 10, cacheWriteTokens: tokens - 10 }),
    (tokens) => ({ inputTokens: tokens, cachedInputTokens: tokens - 10 }),
  ),
  fc.double({ min: 0, max: 1, noNaN: true }).map((share) => (tokens: number): Usage => ({
    inputTokens: Math.ceil(tokens * share),
    outputTokens: 5,
  })),
);

/** A model that asks for tools, and reports each prompt as it is told. */
function reporting(
  reports: readonly ((tokens: number) => Usage | undefined)[],
  { rounds, perToken = 4, contextTokens }: { rounds: number; perToken?: number; contextTokens?: number },
): ChatModel & { readonly prompts: number[] } {
  const prompts: number[] = [];
  return {
    name: "m",
    prompts,
    ...(contextTokens && { capabilities: { contextTokens } }),
    async *stream(request) {
      const tokens = Math.ceil(textLength(request) / perToken);
      const usage = reports[prompts.length % reports.length]!(tokens);
      prompts.push(tokens);
      if (request.tools.length === 0) yield { type: "text.delta", delta: "A summary." };
      else if (prompts.length <= rounds)
        yield { type: "tool.delta", key: 0, id: `c${prompts.length}`, name: "look", args: "{}" };
      else yield { type: "text.delta", delta: "The end." };
      if (usage) yield { type: "usage", usage };
      yield { type: "finish", reason: "stop" };
    },
  };
}

const reports = fc.array(report, { minLength: 1, maxLength: 4 });
const RUNS = { numRuns: process.env["SOAK"] === "1" ? 500 : 12 };

describe("whatever a provider reports", () => {
  test("the prompt becomes shorter before it has passed the window", async () => {
    await fc.assert(
      fc.asyncProperty(reports, async (reported) => {
        const model = reporting(reported, { rounds: 30, contextTokens: 32_000 });
        const agent = createAgent({ name: "a", model, tools, maxIters: 40 });
        expect((await agent.call("go")).reason).toBe("MODEL_STOP");
        expect(Math.max(...model.prompts)).toBeLessThanOrEqual(32_000);
        await agent.close();
      }),
      RUNS,
    );
  });

  test("what a turn costs grows with each call, and a limit of it is reached in time", async () => {
    const prices = { m: { input: 3, cachedInput: 0.3, cacheWrite: 3.75, output: 15 } };
    await fc.assert(
      fc.asyncProperty(reports, async (reported) => {
        const model = reporting(reported, { rounds: 30 });
        const config = {
          name: "a",
          model,
          tools,
          modelOptions: { prices },
          maxIters: 31,
          compaction: false,
        } as const;
        const agent = createAgent({ ...config, budget: { cost: 0.05, onExceeded: "stop" } });
        const costs: number[] = [];
        agent.subscribe((event) => event.type === "model.end" && costs.push(event.usage!.cost!));
        const { reason, turn } = await agent.call("go");
        expect(reason).toBe("BUDGET_EXCEEDED");
        expect(Math.min(...costs)).toBeGreaterThan(0);
        // a count is believed from a quarter of ours on, less 1,000 tokens; all of it may be said to be cached
        const least = model.prompts.reduce((sum, tokens) => sum + Math.max(0, tokens / 2 - 1_000) / 4, 0);
        expect(turn.usage.cost).toBeGreaterThanOrEqual((least * 0.3) / 1_000_000);
        await agent.close();
      }),
      RUNS,
    );
  });
});

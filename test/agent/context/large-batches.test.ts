// Results of one batch that are too large together for a prompt.
import fc from "../../support/fast-check.ts";
import { describe, expect, test } from "vitest";
import { AgentError, createAgent, defineTool, textOf, toolResultsOf, type AgentConfig } from "agentchart";
import type { ChatModel, ModelRequest } from "../../../src/core/model/port.ts";
import { historyProblem } from "../../support/history.ts";

const tokensOf = ({ messages, tools }: ModelRequest, perToken: number): number =>
  Math.ceil(JSON.stringify([messages.map(({ content }) => content), tools]).length / perToken);

type Strict = ChatModel & { readonly requests: ModelRequest[]; refused: number };

/** A model that asks for one batch of calls, and refuses what is longer than its window. */
function strictModel(sizes: readonly number[], window: number, perToken: number, declares: boolean): Strict {
  const requests: ModelRequest[] = [];
  return {
    name: "strict",
    requests,
    refused: 0,
    ...(declares && { capabilities: { contextTokens: window } }),
    async *stream(request) {
      const tokens = tokensOf(request, perToken);
      if (tokens > window) {
        this.refused++;
        throw new AgentError("model/context-length", `The prompt has ${tokens} tokens.`);
      }
      requests.push(request);
      const isAsked = request.messages.some((each) => toolResultsOf(each).length > 0);
      if (textOf(request.messages.at(-1)!).includes("Another model will go on"))
        yield { type: "text.delta", delta: "A summary." };
      else if (isAsked) yield { type: "text.delta", delta: "Done." };
      else
        for (const [key, size] of sizes.entries())
          yield { type: "tool.delta", key, id: `c${key}`, name: "look", args: JSON.stringify({ size }) };
      yield { type: "usage", usage: { inputTokens: tokens, outputTokens: 5 } };
      yield { type: "finish", reason: "stop" };
    },
  };
}

const look = defineTool({
  name: "look",
  description: "Looks.",
  input: { type: "object" },
  execute: ({ size }: { readonly size?: number }) => "a line of it\n".repeat(Math.ceil((size ?? 0) / 13)),
});

const agentOf = (model: ChatModel, config: Partial<AgentConfig> = {}) =>
  createAgent({ name: "reader", model, tools: [look], ...config });

describe("results of one batch that are too large together for a prompt", () => {
  test("are shown in part, each as much as there is room for, and the model may read the rest", async () => {
    const sizes = [...Array.from({ length: 9 }, () => 20_000), 300];
    const model = strictModel(sizes, 32_000, 4, true);
    const agent = agentOf(model);
    expect((await agent.call("Look at all.")).text).toBe("Done.");
    expect(model.refused).toBe(0);
    const last = model.requests.at(-1)!;
    const seen = last.messages.flatMap(toolResultsOf);
    expect(seen).toHaveLength(10);
    expect(JSON.stringify(seen[0])).toContain(
      "[The result has 20007 characters, of which the first and the last",
    );
    expect(JSON.stringify(seen[9])).not.toContain("read_result");
    expect(last.tools.map(({ name }) => name)).toContain("read_result");
    const stored = (await agent.messages()).flatMap(toolResultsOf);
    expect(stored.map(({ output }) => (output[0] as { text: string }).text.length)).toEqual(
      sizes.map((size) => Math.ceil(size / 13) * 13),
    );
    expect((await agent.call("And now?")).text).toBe("Done.");
  });

  test("are shown in part once a model of an unknown window has refused them", async () => {
    const model = strictModel([20_000, 20_000, 20_000, 20_000], 16_000, 4, false);
    expect((await agentOf(model).call("Look at all.")).text).toBe("Done.");
    expect(model.refused).toBe(1);
  });

  test("stay whole if the tool is one of those whose results are always shown whole", async () => {
    const model = strictModel([50_000, 50_000], 16_000, 4, true);
    const agent = agentOf(model, { toolOptions: { results: { exclude: ["look"] } } });
    await expect(agent.call("Look at all.")).rejects.toMatchObject({ code: "model/context-length" });
  });

  test("never end a turn, however many there are and however the model counts", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 60_000 }), { minLength: 1, maxLength: 20 }),
        fc.constantFrom(8_000, 16_000, 32_000),
        fc.constantFrom(2.5, 3, 4, 5),
        async (sizes, window, perToken) => {
          const model = strictModel(sizes, window, perToken, true);
          const agent = agentOf(model);
          expect((await agent.call("Look at all.")).text).toBe("Done.");
          expect((await agent.call("And now?")).text).toBe("Done.");
          for (const { messages } of model.requests)
            expect(historyProblem(messages.filter(({ role }) => role !== "system"))).toBeUndefined();
        },
      ),
      { numRuns: 15 },
    );
  });
});

describe("summaries that make hardly any room", () => {
  const words = (count: number): string => "word ".repeat(count);

  /** A model with a window of 32,000 tokens whose summaries have so many words. */
  function verboseModel(summaryWords: number, rounds: number): ChatModel & { summaries: number } {
    let made = 0;
    return {
      name: "verbose",
      summaries: 0,
      capabilities: { contextTokens: 32_000 },
      async *stream(request) {
        const tokens = tokensOf(request, 4);
        if (tokens > 32_000) throw new AgentError("model/context-length", `The prompt has ${tokens} tokens.`);
        if (textOf(request.messages.at(-1)!).includes("Another model will go on")) {
          this.summaries++;
          yield { type: "text.delta", delta: words(summaryWords) };
        } else if (made < rounds)
          yield { type: "tool.delta", key: 0, id: `c${made++}`, name: "look", args: "{}" };
        else yield { type: "text.delta", delta: "The end." };
        yield { type: "usage", usage: { inputTokens: tokens, outputTokens: 5 } };
        yield { type: "finish", reason: "stop" };
      },
    };
  }

  async function summariesOf(summaryWords: number, maxFailures?: number): Promise<number> {
    const model = verboseModel(summaryWords, 40);
    const results = defineTool({
      name: "look",
      description: "Looks.",
      input: { type: "object" },
      execute: () => words(1_600),
    });
    const agent = createAgent({
      name: "reader",
      model,
      tools: [results],
      maxIters: 60,
      compaction: { clear: false, ...(maxFailures !== undefined && { maxFailures }) },
    });
    expect((await agent.call("Look often.")).text).toBe("The end.");
    return model.summaries;
  }

  test("count as failed: no other is made in the turn until the model refuses a prompt", async () => {
    const [verbose, patient, short] = [
      await summariesOf(16_000),
      await summariesOf(16_000, 100),
      await summariesOf(400),
    ];
    expect(patient).toBeGreaterThan(20);
    expect(verbose).toBeLessThanOrEqual(patient - 8);
    expect(short).toBeLessThan(6);
  });
});

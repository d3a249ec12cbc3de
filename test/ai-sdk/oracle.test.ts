// Requests are those that the AI SDK itself would send.
import { createRequire } from "node:module";
import { describe, expect, test } from "vitest";
import { createAgent, defineTool } from "agentchart";
import {
  aiSdkEmbedder,
  aiSdkModel,
  type AiSdkEmbeddingModel,
  type AiSdkLanguageModel,
} from "agentchart/ai-sdk";
import { providers } from "./providers.ts";
import { modelRecordings } from "../fixtures/recordings/model-recordings.ts";

const require = createRequire(import.meta.url);

/** What is needed here of the AI SDK. */
type Sdk = {
  streamText(options: object): { consumeStream(): PromiseLike<void> };
  jsonSchema(schema: object): object;
  tool(definition: object): object;
  stepCountIs(count: number): object;
};
type Mock = new (fields: object) => AiSdkLanguageModel & {
  readonly doStreamCalls: readonly { readonly prompt: unknown }[];
};
type Mocks = {
  readonly MockLanguageModelV3: Mock;
  readonly MockLanguageModelV4: Mock;
  readonly MockEmbeddingModelV4: new (fields: object) => AiSdkEmbeddingModel;
};
const { jsonSchema, stepCountIs, streamText, tool } = require("ai") as Sdk;
const { MockEmbeddingModelV4, MockLanguageModelV3, MockLanguageModelV4 } = require("ai/test") as Mocks;
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

// The AI SDK itself, as a user without this library would run it, says what a model must be asked with.

const input = { type: "object", properties: { town: { type: "string" } } } as const;
const harbour = { name: "harbour", description: "Finds a harbour.", input };

async function askHere(model: AiSdkLanguageModel): Promise<void> {
  const agent = createAgent({
    name: "a",
    model: aiSdkModel(model, { cache: "off" }),
    tools: [defineTool({ ...harbour, execute: () => "Quay 4" })],
    maxIters: 2,
    generateOptions: { toolChoice: "auto" },
  });
  await agent.call("Where?").catch(() => undefined);
}
async function askThere(model: AiSdkLanguageModel): Promise<void> {
  const result = streamText({
    model,
    prompt: "Where?",
    tools: {
      harbour: tool({
        description: harbour.description,
        inputSchema: jsonSchema(input),
        execute: () => "Quay 4",
      }),
    },
    stopWhen: stepCountIs(2),
    maxRetries: 0,
    onError: () => undefined,
  });
  await result.consumeStream();
}

/** Google's package makes up the ids of calls. */
const withoutMadeUpIds = (request: string): string =>
  request.replaceAll(/"id":"[\dA-Za-z]{16}"/g, '"id":"made up"');

describe("the request after a tool has run is that of the AI SDK", () => {
  test.each([
    ["anthropic", "Anthropic"],
    ["google", "Gemini"],
    ["openai, responses", "OpenAI"],
    ["openai, chat", "Ollama"],
    ["openai-compatible", "DeepSeek"],
    ["alibaba", "Alibaba"],
  ])("over the package of %s", async (provider, vendor) => {
    const recording = modelRecordings.find(
      (each) => each.provider === vendor && each.finishReason === "tool_calls",
    )!;
    const bodies: unknown[] = [];
    const fetch = async (_: unknown, init?: RequestInit): Promise<Response> => {
      bodies.push(JSON.parse(withoutMadeUpIds(init!.body as string)));
      return new Response(recording.body, { headers: { "content-type": "text/event-stream" } });
    };
    await askThere(providers[provider]!({ fetch: fetch as typeof globalThis.fetch }));
    const expected = bodies.splice(0).slice(0, 2);
    await askHere(providers[provider]!({ fetch: fetch as typeof globalThis.fetch }));
    expect(bodies.slice(0, 2)).toEqual(expected);
    expect(expected).toHaveLength(2);
  });
});

describe("the mocks of the AI SDK", () => {
  const usage = {
    inputTokens: { total: 7, noCache: 7, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 2, text: 2, reasoning: 0 },
  };
  const parts = [
    { type: "stream-start", warnings: [] },
    { type: "text-start", id: "1" },
    { type: "text-delta", id: "1", delta: "Hello." },
    { type: "text-end", id: "1" },
    { type: "finish", finishReason: { unified: "stop", raw: "end" }, usage },
  ] as const;

  test("of language models of the specification v3 and v4 are models here", async () => {
    const [v3, v4] = [
      new MockLanguageModelV3({ doStream: async () => ({ stream: ReadableStream.from(parts) }) }),
      new MockLanguageModelV4({ doStream: async () => ({ stream: ReadableStream.from(parts) }) }),
    ];
    for (const mock of [v3, v4]) {
      const reply = await createAgent({ name: "a", model: aiSdkModel(mock) }).call("Hi");
      expect([reply.text, reply.turn.usage.inputTokens]).toEqual(["Hello.", 7]);
      expect(mock.doStreamCalls[0]!.prompt).toEqual([
        { role: "user", content: [{ type: "text", text: "Hi" }] },
      ]);
    }
  });

  test("of an embedding model is an embedder", async () => {
    const mock = new MockEmbeddingModelV4({
      doEmbed: async ({ values }: { values: readonly string[] }) => ({
        embeddings: values.map(({ length }) => [length]),
        warnings: [],
      }),
    });
    const embedder = aiSdkEmbedder(mock, { dimensions: 1 });
    const { signal } = new AbortController();
    expect(await embedder.embed(["a", "bb"], { signal, kind: "query" })).toEqual([
      Float32Array.of(1),
      Float32Array.of(2),
    ]);
  });
});

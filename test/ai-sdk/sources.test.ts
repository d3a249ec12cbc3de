// What providers name as the sources of an answer.
import { expect, test } from "vitest";
import { createAgent } from "agentchart";
import { aiSdkModel, type AiSdkLanguageModel } from "agentchart/ai-sdk";
import { toUIMessageChunks } from "agentchart/ui";
import { uiMessageChunkSchema, type UIMessageChunk } from "ai";

const modelOf = (sources: readonly object[]): AiSdkLanguageModel => ({
  specificationVersion: "v4",
  provider: "acme.messages",
  modelId: "m",
  doStream: async () => {
    const usage = { inputTokens: { total: 7 }, outputTokens: { total: 2 } };
    const stream = ReadableStream.from([
      ...sources.map((source) => ({ type: "source", ...source })),
      { type: "text-start", id: "t" },
      { type: "text-delta", id: "t", delta: "High." },
      { type: "text-end", id: "t" },
      { type: "finish", finishReason: { unified: "stop", raw: "end" }, usage },
    ]);
    return { stream: stream as ReadableStream<unknown> };
  },
});

test("are named once, whatever ids they have, and those on the web are links", async () => {
  const model = modelOf([
    { sourceType: "url", id: "0", url: "https://x.test/tides", title: "Tides" },
    { sourceType: "url", id: "1", url: "https://x.test/tides" },
    { sourceType: "document", id: "2", mediaType: "text/plain", title: "Notes", filename: "n.txt" },
    { sourceType: "url", id: "3", url: "javascript:alert(1)" },
    { sourceType: "url" },
  ]);
  const agent = createAgent({ name: "a", model: aiSdkModel(model) });
  const chunks: unknown[] = [];
  for await (const chunk of toUIMessageChunks(agent.stream("Tide?"))) chunks.push(chunk);
  const parts = chunks.filter((chunk) => (chunk as UIMessageChunk).type.startsWith("source-"));
  expect(parts).toMatchObject([
    { type: "source-url", url: "https://x.test/tides", title: "Tides" },
    { type: "source-document", title: "Notes", filename: "n.txt" },
    { type: "source-document", title: "javascript:alert(1)" },
  ]);
  const { validate } = uiMessageChunkSchema();
  for (const part of parts) expect(await validate!(part)).toMatchObject({ success: true });
  expect((await agent.call("Sure?")).sources).toMatchObject([
    { kind: "provider", id: "0", document: "https://x.test/tides", title: "Tides" },
    { kind: "provider", document: "n.txt", title: "Notes" },
    { kind: "provider", document: "javascript:alert(1)" },
  ]);
  await agent.close();
});

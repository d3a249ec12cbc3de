// Models of the AI SDK: what goes out, and what comes back.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import {
  createAgent,
  defineTool,
  systemMsg,
  userMsg,
  type Block,
  type ModelRequest,
  type Msg,
} from "agentchart";
import { aiSdkModel, type AiSdkLanguageModel, type AiSdkModelOptions } from "agentchart/ai-sdk";
import { openaiModel } from "agentchart/openai";
import { memoryStore } from "agentchart/store/memory";
import { collect } from "../../src/core/model/fold.ts";
import { providers } from "./providers.ts";
import { modelRecordings } from "../fixtures/recordings/model-recordings.ts";

const closing: (() => void)[] = [];
afterEach(() => closing.splice(0).forEach((close) => close()));

type Body = { readonly [field: string]: never };

/** A loopback server that answers with these streams in turn, and the bodies that it was sent. */
async function serving(...answers: readonly string[]) {
  const bodies: Body[] = [];
  const server = createServer(async (incoming, response) => {
    let text = "";
    for await (const piece of incoming) text += String(piece);
    bodies.push(JSON.parse(text) as Body);
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(answers[Math.min(bodies.length, answers.length) - 1]);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => server.close());
  return { bodies, baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
}

const recorded = (wire: string) => modelRecordings.find((each) => each.wire === wire)!.body;
const harbour = defineTool({
  name: "harbour",
  description: "Finds a harbour.",
  input: { type: "object", properties: { town: { type: "string" } } },
  execute: () => "Quay 4",
});

/** A language model that streams these parts, and the options of its calls. */
function fake(parts: readonly object[], fields: Partial<AiSdkLanguageModel> = {}) {
  const calls: { readonly [option: string]: any }[] = [];
  const model: AiSdkLanguageModel = {
    specificationVersion: "v4",
    provider: "acme.messages",
    modelId: "m",
    doStream: async (options) => {
      calls.push(options);
      return { stream: ReadableStream.from(parts) as ReadableStream<unknown> };
    },
    ...fields,
  };
  return { model, calls };
}

const usage = { inputTokens: { total: 7 }, outputTokens: { total: 2 } };
const finish = { type: "finish", finishReason: { unified: "stop", raw: "end" }, usage };
const text = (delta: string) => [
  { type: "text-start", id: "t" },
  { type: "text-delta", id: "t", delta },
  { type: "text-end", id: "t" },
];
const ask = (
  model: AiSdkLanguageModel,
  fields: Partial<ModelRequest> = {},
  options: AiSdkModelOptions = {},
) =>
  collect(
    aiSdkModel(model, options),
    { messages: [userMsg("q")], tools: [], options: {}, execution: {}, ...fields },
    { signal: new AbortController().signal },
  );
const assistant = (...content: Block[]): Msg => ({ ...userMsg("", { content }), role: "assistant" });

describe("data of a provider goes back with the very part that it came on, over HTTP, after a restore", () => {
  const plainAnswer = {
    anthropic: recorded("anthropic").replaceAll("tool_use", "end_turn"),
    google: `data: ${JSON.stringify({ candidates: [{ content: { parts: [{ text: "Quay 4" }] }, finishReason: "STOP" }] })}\n\n`,
  };

  async function secondRequest(
    provider: string,
    wire: string,
    done: string,
    settings: AiSdkModelOptions = {},
  ) {
    const server = await serving(recorded(wire), done);
    const store = memoryStore();
    const model = () => aiSdkModel(providers[provider]!({ baseURL: server.baseURL }), settings);
    const permissions = { rules: [{ tool: "harbour", action: "ask" }] } as const;
    const options = { name: "a", tools: [harbour], permissions, store, sessionId: "s" };
    const first = createAgent({ ...options, model: model() });
    expect((await first.call("Where?")).reason).toBe("APPROVAL_REQUIRED");
    await first.close();
    const second = createAgent({ ...options, model: model() });
    await second.open();
    for (const { callId } of second.status().pending) await second.decide(callId, "approve");
    await second.call().catch(() => undefined);
    return server.bodies[1]!;
  }

  test("Anthropic: two signed thoughts and a redacted one, with text between them", async () => {
    const body = await secondRequest("anthropic", "anthropic", plainAnswer.anthropic);
    expect((body["messages"] as unknown as { content: object[] }[])[1]!.content).toMatchObject([
      { type: "thinking", thinking: "A town is meant.", signature: "SIG1" },
      { type: "redacted_thinking", data: "REDACTED" },
      { type: "text", text: "Ich frage in Ålesund." },
      { type: "thinking", thinking: "Now ask.", signature: "SIG2" },
      { type: "tool_use", id: "toolu_1", name: "harbour", input: { town: "Ålesund" } },
    ]);
  });

  test("OpenAI: one reasoning item with its last encrypted content", async () => {
    const body = await secondRequest("openai, responses", "responses", recorded("responses"), {
      providerOptions: { openai: { store: false, include: ["reasoning.encrypted_content"] } },
    });
    const input = body["input"] as unknown as readonly { type?: string }[];
    expect(input.find(({ type }) => type === "reasoning")).toMatchObject({
      id: "rs_1",
      encrypted_content: "E1",
    });
    expect(input.filter(({ type }) => type === "reasoning")).toHaveLength(1);
  });

  test("Gemini: signatures of text and call", async () => {
    const body = await secondRequest("google", "gemini", plainAnswer.google);
    const { parts } = (body["contents"] as unknown as { parts: object[] }[])[1]!;
    expect(parts).toContainEqual({ text: "Einen Moment, für Ålesund.", thoughtSignature: "TS0" });
    expect(parts).toContainEqual(expect.objectContaining({ thoughtSignature: "TS1" }));
  });
});

describe("a change of the provider", () => {
  const said = [
    { type: "reasoning-start", id: "r" },
    { type: "reasoning-delta", id: "r", delta: "hm" },
    { type: "reasoning-end", id: "r", providerMetadata: { acme: { signature: "SIG" } } },
    { type: "custom", kind: "acme.compaction", providerMetadata: { acme: { id: "c1" } } },
    ...text("yes"),
    finish,
  ];

  test("sends no thinking and no data of the one before", async () => {
    const { content } = await ask(fake(said).model);
    const other = fake([...text("ok"), finish], { provider: "other.chat" });
    await ask(other.model, { messages: [userMsg("q"), assistant(...content), userMsg("again")] });
    expect(other.calls[0]!["prompt"][1]).toEqual({
      role: "assistant",
      content: [{ type: "text", text: "yes" }],
    });
    const same = fake([...text("ok"), finish]);
    await ask(same.model, { messages: [userMsg("q"), assistant(...content), userMsg("again")] });
    expect(same.calls[0]!["prompt"][1].content).toEqual([
      { type: "reasoning", text: "hm", providerOptions: { acme: { signature: "SIG" } } },
      { type: "custom", kind: "acme.compaction", providerOptions: { acme: { id: "c1" } } },
      { type: "text", text: "yes" },
    ]);
  });

  test("to a fallback of another adapter in mid-turn sends it no foreign signature", async () => {
    const call = { type: "tool-call", toolCallId: "c", toolName: "harbour", input: "{}" };
    const asks = [
      ...said.slice(0, 4),
      call,
      { ...finish, finishReason: { unified: "tool-calls", raw: "x" } },
    ];
    let turns = 0;
    const primary = fake([], {
      doStream: async () => {
        if (turns++ > 0) throw Object.assign(new Error("down"), { code: "ECONNREFUSED" });
        return { stream: ReadableStream.from(asks) as ReadableStream<unknown> };
      },
    });
    const bodies: string[] = [];
    const fallbackModel = openaiModel({
      model: "m",
      baseURL: "https://models.test/v1",
      fetch: async (_, init) => {
        bodies.push(init?.body as string);
        return Response.json({ choices: [{ message: { content: "done" }, finish_reason: "stop" }] });
      },
    });
    const agent = createAgent({
      name: "a",
      model: aiSdkModel(primary.model),
      modelOptions: { fallbackModel, execution: { maxAttempts: 1 } },
      tools: [harbour],
    });
    expect((await agent.call("go")).text).toBe("done");
    expect(bodies[0]).toContain("hm");
    expect(bodies[0]).not.toMatch(/SIG|compaction|c1/);
  });
});

describe("what goes out", () => {
  test("options, tools, the schema of the answer and headers have the names of the AI SDK", async () => {
    const { model, calls } = fake([...text("ok"), finish]);
    const tool = { name: "f", description: "does f", inputSchema: { type: "object" } };
    await ask(
      model,
      {
        tools: [tool],
        output: { name: "answer", schema: { type: "object" } },
        options: {
          maxTokens: 9,
          temperature: 0,
          topP: 0.5,
          topK: 4,
          frequencyPenalty: 1,
          presencePenalty: -1,
          seed: 7,
          stop: ["END"],
          reasoningEffort: "low",
          toolChoice: { name: "f" },
          extraHeaders: { "x-a": "1" },
          providerOptions: { acme: { b: 2 } },
        },
      },
      { headers: { "x-b": "2" }, providerOptions: { acme: { a: 1, b: 1 }, other: { c: 3 } } },
    );
    const { prompt: _, abortSignal, ...options } = calls[0]!;
    expect(abortSignal).toBeInstanceOf(AbortSignal);
    expect(options).toEqual({
      maxOutputTokens: 9,
      temperature: 0,
      topP: 0.5,
      topK: 4,
      frequencyPenalty: 1,
      presencePenalty: -1,
      seed: 7,
      stopSequences: ["END"],
      reasoning: "low",
      tools: [{ type: "function", ...tool, inputSchema: { type: "object", properties: {} } }],
      toolChoice: { type: "tool", toolName: "f" },
      responseFormat: { type: "json", name: "answer", schema: { type: "object" } },
      headers: { "x-a": "1", "x-b": "2" },
      providerOptions: { acme: { a: 1, b: 2 }, other: { c: 3 } },
    });
  });

  test.each([
    ["anthropic.messages", 500, { anthropic: { thinking: { type: "enabled", budgetTokens: 500 } } }],
    ["anthropic.messages", 0, { anthropic: { thinking: { type: "disabled" } } }],
    ["google.generative-ai", 500, { google: { thinkingConfig: { thinkingBudget: 500 } } }],
    ["alibaba.chat", 0, { alibaba: { enableThinking: false } }],
    ["acme.chat", 500, undefined],
  ])("the thinking budget for %s of %i is %j", async (provider, thinkingBudget, expected) => {
    const { model, calls } = fake([...text("ok"), finish], { provider });
    await ask(model, { options: { thinkingBudget } });
    expect(calls[0]!["providerOptions"]).toEqual(expected);
  });

  test("marks for Anthropic's cache are on the system message and on the last one that stays", async () => {
    const messages = [
      systemMsg("Be brief"),
      userMsg("q"),
      userMsg("hint", { metadata: { _bypass_multiagent_history_merge: true } }),
    ];
    const mark = { providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } } };
    const { model, calls } = fake([...text("ok"), finish], { provider: "anthropic.messages" });
    await ask(model, { messages });
    expect(calls[0]!["prompt"]).toMatchObject([{ role: "system", ...mark }, { role: "user", ...mark }, {}]);
    expect(calls[0]!["prompt"][2]).not.toHaveProperty("providerOptions");
    await ask(model, { messages }, { cache: "off" });
    expect(JSON.stringify(calls[1]!["prompt"])).not.toContain("cacheControl");
  });

  test("OpenAI gets the id of the session as its cache key", async () => {
    const { model, calls } = fake([...text("ok"), finish], { provider: "openai.responses" });
    await ask(model, { sessionId: "s-1" });
    expect(calls[0]!["providerOptions"]).toEqual({ openai: { promptCacheKey: "s-1" } });
  });

  const png = { type: "image", source: { type: "base64", mediaType: "image/png", data: "AAAA" } } as const;
  const link = { type: "image", source: { type: "url", url: "https://x.test/a.png" } } as const;
  test.each([
    [
      "v4",
      { type: "data", data: "AAAA" },
      { type: "file", mediaType: "image/png", data: { type: "data", data: "AAAA" } },
    ],
    ["v3", "AAAA", { type: "image-data", mediaType: "image/png", data: "AAAA" }],
    ["v2", "AAAA", { type: "media", mediaType: "image/png", data: "AAAA" }],
  ])("media have the form of specification %s", async (specificationVersion, data, inResult) => {
    const { model, calls } = fake([...text("ok"), finish], { specificationVersion });
    const result: Msg = {
      ...userMsg(""),
      role: "tool",
      content: [{ type: "tool_result", id: "c", name: "f", output: [png], state: "success" }],
    };
    const call = assistant({ type: "tool_use", id: "c", name: "f", input: { a: 1 } });
    await ask(model, { messages: [userMsg("", { content: [png, link] }), call, result] });
    const [user, said, tool] = calls[0]!["prompt"];
    expect(user.content[0]).toEqual({ type: "file", mediaType: "image/png", data });
    const url = user.content[1].data;
    expect(String(specificationVersion === "v4" ? url.url : url)).toBe("https://x.test/a.png");
    expect(said.content).toEqual([{ type: "tool-call", toolCallId: "c", toolName: "f", input: { a: 1 } }]);
    expect(tool.content[0].output).toEqual({ type: "content", value: [inResult] });
  });

  test.each([
    ["success", "v4", { type: "text", value: "ok" }],
    ["error", "v4", { type: "error-text", value: "ok" }],
    ["interrupted", "v4", { type: "error-text", value: "ok" }],
    ["denied", "v4", { type: "execution-denied", reason: "ok" }],
    ["denied", "v2", { type: "error-text", value: "ok" }],
  ] as const)("a result that is %s for specification %s", async (state, specificationVersion, output) => {
    const { model, calls } = fake([...text("ok"), finish], { specificationVersion });
    const call = assistant({ type: "tool_use", id: "own", name: "f", input: {}, providerId: "p" });
    const result: Msg = {
      ...userMsg(""),
      role: "tool",
      content: [{ type: "tool_result", id: "own", name: "f", output: [{ type: "text", text: "ok" }], state }],
    };
    await ask(model, { messages: [userMsg("q"), call, result] });
    expect(calls[0]!["prompt"][2]).toEqual({
      role: "tool",
      content: [{ type: "tool-result", toolCallId: "p", toolName: "f", output }],
    });
  });
});

describe("what comes back", () => {
  test("tools that the provider runs are its data, sent back as its own parts, and run by nobody here", async () => {
    const parts = [
      { type: "tool-input-start", id: "s", toolName: "web_search", providerExecuted: true },
      { type: "tool-input-delta", id: "s", delta: '{"query":"tides"}' },
      {
        type: "tool-call",
        toolCallId: "s",
        toolName: "web_search",
        input: '{"query":"tides"}',
        providerExecuted: true,
      },
      { type: "tool-result", toolCallId: "s", toolName: "web_search", result: [{ url: "https://x.test" }] },
      { type: "source", sourceType: "url", id: "1", url: "https://x.test", title: "Tides" },
      ...text("High."),
      finish,
    ];
    const { model, calls } = fake(parts);
    const agent = createAgent({ name: "a", model: aiSdkModel(model) });
    const reply = await agent.call("Tide?");
    expect(reply).toMatchObject({
      text: "High.",
      sources: [{ kind: "provider", id: "1", document: "https://x.test", title: "Tides" }],
    });
    await agent.call("Sure?");
    expect(calls[1]!["prompt"][1].content).toEqual([
      {
        type: "tool-call",
        toolCallId: "s",
        toolName: "web_search",
        input: { query: "tides" },
        providerExecuted: true,
      },
      {
        type: "tool-result",
        toolCallId: "s",
        toolName: "web_search",
        output: { type: "json", value: [{ url: "https://x.test" }] },
      },
      { type: "text", text: "High." },
    ]);
  });

  test("files are media, and other files are data that goes back", async () => {
    const bytes = new Uint8Array([1, 2, 3]);
    const parts = [
      { type: "file", mediaType: "image/png", data: { type: "data", data: bytes } },
      { type: "file", mediaType: "application/pdf", data: { type: "data", data: "JVBE" } },
      finish,
    ];
    const { content } = await ask(fake(parts).model);
    expect(content).toMatchObject([
      { type: "image", source: { type: "base64", mediaType: "image/png", data: "AQID" } },
      { type: "provider", kind: "acme.file" },
    ]);
    const next = fake([...text("ok"), finish]);
    await ask(next.model, { messages: [userMsg("q"), assistant(...content), userMsg("again")] });
    expect(next.calls[0]!["prompt"][1].content).toEqual([
      { type: "file", mediaType: "image/png", data: { type: "data", data: "AQID" } },
      { type: "file", mediaType: "application/pdf", data: { type: "data", data: "JVBE" } },
    ]);
  });

  test("ids, warnings and metadata of the provider are metadata", async () => {
    const warnings = [{ type: "unsupported", feature: "seed" }];
    const parts = [
      { type: "stream-start", warnings },
      { type: "response-metadata", id: "r-1", modelId: "m-2", timestamp: new Date(0) },
      ...text("a"),
      { ...finish, providerMetadata: { acme: { cost: 0.1 } } },
    ];
    expect(await ask(fake(parts).model)).toMatchObject({
      responseId: "r-1",
      metadata: { model: "m-2", warnings, providerMetadata: { acme: { cost: 0.1 } } },
    });
  });

  test.each([
    ["stop", "stop"],
    ["length", "length"],
    ["content-filter", "content_filter"],
    ["tool-calls", "tool_calls"],
  ])("the finish reason %s is %s", async (unified, reason) => {
    const end = { ...finish, finishReason: { unified, raw: "word" } };
    expect(await ask(fake([...text("a"), end]).model)).toMatchObject({ finishReason: reason, raw: "word" });
  });

  test("the flat usage of specification v2 counts", async () => {
    const flat = { inputTokens: 7, outputTokens: 2, cachedInputTokens: 3, reasoningTokens: 1 };
    const { model } = fake([...text("a"), { type: "finish", finishReason: "stop", usage: flat }], {
      specificationVersion: "v2",
    });
    expect((await ask(model)).usage).toEqual(flat);
  });
});

describe("failures", () => {
  test.each([
    [429, { error: { message: "slow" } }, { "retry-after": "7" }, "model/rate-limit", true],
    [503, { error: { message: "busy" } }, {}, "model/unavailable", true],
    [
      529,
      { type: "error", error: { type: "overloaded_error", message: "busy" } },
      {},
      "model/unavailable",
      true,
    ],
    [401, { error: { message: "bad key" } }, {}, "model/auth", false],
    [400, { error: { message: "prompt is too long: 9 tokens" } }, {}, "model/context-length", false],
    [400, { error: { message: "bad temperature" } }, {}, "model/bad-request", false],
    [200, "<html>", {}, "model/", true],
  ] as const)(
    "status %i %j has the verdict of openaiModel, after one request",
    async (status, body, headers, code, isRetryable) => {
      for (const provider of ["anthropic", "openai, responses", "google", "openai-compatible"]) {
        let requests = 0;
        const fetch: typeof globalThis.fetch = async () => {
          requests++;
          const content = typeof body === "string" ? body : JSON.stringify(body);
          return new Response(content, {
            status,
            headers: { "content-type": "application/json", ...headers },
          });
        };
        const error = await ask(providers[provider]!({ fetch })).catch((thrown: unknown) => thrown);
        expect(error).toMatchObject({ code: expect.stringContaining(code), isRetryable });
        if ("retry-after" in headers) expect(error).toHaveProperty("retryAt");
        expect(requests).toBe(1);
      }
    },
  );

  test.each([
    [{ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }, "model/unavailable"],
    [{ type: "error", error: "busy" }, "model/unavailable"],
    [{ type: "finish", finishReason: { unified: "other" }, usage }, "model/connection"],
    [{ type: "finish", finishReason: { unified: "interrupted" }, usage }, "model/connection"],
    [{ type: "finish", finishReason: "unknown", usage }, "model/connection"],
    [{ type: "ping" }, "model/connection"],
  ])("a stream that ends with %j is %s, retryable", async (part, code) => {
    await expect(ask(fake([...text("a"), part]).model)).rejects.toMatchObject({ code, isRetryable: true });
  });

  test("an approval that the provider asks for is refused", async () => {
    const part = { type: "tool-approval-request", approvalId: "a", toolCallId: "c" };
    await expect(ask(fake([part]).model)).rejects.toMatchObject({ code: "model/bad-response" });
  });

  test("a missing key is model/auth", async () => {
    const error = Object.assign(new Error("Anthropic API key is missing."), { name: "AI_LoadAPIKeyError" });
    const { model } = fake([], { doStream: async () => Promise.reject(error) });
    await expect(ask(model)).rejects.toMatchObject({ code: "model/auth", isRetryable: false });
  });

  test.each([
    ["anthropic/claude", "is the name of a model"],
    [{}, "is not a language model"],
    [undefined, "is not a language model"],
    [{ modelId: "m", specificationVersion: "v3", doStream() {} }, "is not a language model"],
    [{ ...fake([]).model, specificationVersion: "v1" }, 'specification version "v1"; expected v2, v3, v4'],
  ])("%j is refused when the model is made", (model, words) => {
    expect(() => aiSdkModel(model as never)).toThrow(words);
  });

  test("an unknown option is refused", () => {
    expect(() => aiSdkModel(fake([]).model, { cach: "off" } as never)).toThrow("did you mean `cache`?");
  });
});

// Data of a provider, such as signed thoughts, goes back to it unchanged.
import { describe, expect, test } from "vitest";
import { createAgent, type ChatModel, type Msg, type StreamPart } from "agentchart";
import { openaiModel } from "agentchart/openai";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel } from "agentchart/testing";

type Body = { readonly messages: readonly object[]; readonly [field: string]: unknown };

/** A fetch that answers each request with the next of these bodies, and what was sent. */
function answering(...answers: readonly object[]) {
  const bodies: Body[] = [];
  const fetch: typeof globalThis.fetch = async (_, init) => {
    bodies.push(JSON.parse(init?.body as string) as Body);
    return Response.json(answers[Math.min(bodies.length, answers.length) - 1]);
  };
  return { bodies, fetch };
}

const answer = (message: object, more: object = {}) => ({
  id: "r-1",
  choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
  ...more,
});
const thought = { type: "thinking", thinking: [{ type: "text", text: "2+2=4." }] };
const four = { type: "text", text: "4" };

describe("thinking goes back", () => {
  test("to Mistral as a part of the content, and as no field of its own", async () => {
    const { bodies, fetch } = answering(answer({ content: [thought, four] }));
    const baseURL = "https://api.mistral.ai/v1";
    const agent = createAgent({ name: "a", model: openaiModel({ model: "magistral", baseURL, fetch }) });
    await agent.call("2+2?");
    await agent.call("again");
    expect(bodies[1]!.messages[1]).toEqual({ role: "assistant", content: [thought, four] });
  });

  test("not at all without sendReasoning", async () => {
    const { bodies, fetch } = answering(answer({ content: [thought, four] }));
    const baseURL = "https://api.mistral.ai/v1";
    const model = openaiModel({ model: "magistral", baseURL, fetch, sendReasoning: false });
    const agent = createAgent({ name: "a", model });
    await agent.call("2+2?");
    await agent.call("again");
    expect(bodies[1]!.messages[1]).toEqual({ role: "assistant", content: "4" });
  });

  test("to a server of its own in the form in which it came, also after a restore", async () => {
    const details = [{ type: "reasoning.text", text: "hm", signature: "s" }];
    const { bodies, fetch } = answering(
      answer({ content: "4", reasoning: "hm", reasoning_details: details }),
    );
    const model = openaiModel({ model: "m", baseURL: "https://gateway.test/v1", fetch });
    const store = memoryStore();
    const first = createAgent({ name: "a", model, store, sessionId: "s" });
    await first.call("2+2?");
    await first.close();
    await createAgent({ name: "a", model, store, sessionId: "s" }).call("again");
    expect(bodies[1]!.messages[1]).toEqual({
      role: "assistant",
      content: "4",
      reasoning: "hm",
      reasoning_details: details,
    });
  });

  test.each([
    [
      "https://api.mistral.ai/v1",
      { content: [{ ...thought, thinking: [{ type: "text", text: "hm" }] }, four] },
    ],
    ["https://api.groq.com/openai/v1", { content: "4", reasoning: "hm" }],
    ["https://api.deepseek.com", { content: "4", reasoning_content: "hm" }],
    ["https://api.openai.com/v1", { content: "4" }],
    ["https://api.perplexity.ai", { content: "4" }],
  ])("after a change of the model to %s in its form, without foreign signatures", async (baseURL, fields) => {
    const details = [{ type: "reasoning.text", text: "hm", signature: "s" }];
    const before = answering(answer({ content: "4", reasoning: "hm", reasoning_details: details }));
    const after = answering(answer({ content: "done" }));
    const store = memoryStore();
    const router = openaiModel({ model: "m", baseURL: "https://openrouter.ai/api/v1", fetch: before.fetch });
    const first = createAgent({ name: "a", model: router, store, sessionId: "s" });
    await first.call("2+2?");
    await first.close();
    const model = openaiModel({ model: "m", baseURL, fetch: after.fetch });
    await createAgent({ name: "a", model, store, sessionId: "s" }).call("again");
    expect(after.bodies[0]!.messages[1]).toMatchObject({ role: "assistant", ...fields });
    expect(JSON.stringify(after.bodies[0])).not.toMatch(/signature|reasoning_details/);
  });
});

describe("what a provider says about its answer", () => {
  test("is metadata of the reply, its id included", async () => {
    const citations = ["https://x.test"];
    const { fetch } = answering(answer({ content: "A[1]" }, { service_tier: "flex", citations }));
    const model = openaiModel({ model: "sonar", baseURL: "https://api.perplexity.ai", fetch });
    const { metadata } = await createAgent({ name: "a", model }).call("q");
    expect(metadata).toEqual({ responseId: "r-1", service_tier: "flex", citations });
  });

  test("counts cached tokens wherever they are said", async () => {
    const usage = { prompt_tokens: 20, completion_tokens: 30, total_tokens: 50, cached_tokens: 10 };
    const { fetch } = answering(answer({ content: "three" }, { usage }));
    const model = openaiModel({ model: "kimi", baseURL: "https://api.moonshot.ai/v1", fetch });
    const reply = await createAgent({ name: "a", model }).call("q");
    expect(reply.usage).toMatchObject({ inputTokens: 20, cachedInputTokens: 10 });
  });
});

/** A model that streams these parts, and the messages that it was sent. */
function streaming(parts: readonly StreamPart[]): {
  readonly model: ChatModel;
  readonly sent: (readonly Msg[])[];
} {
  const sent: (readonly Msg[])[] = [];
  const model: ChatModel = {
    name: "m",
    async *stream({ messages }) {
      sent.push(messages);
      yield* parts;
    },
  };
  return { model, sent };
}

describe("blocks of one answer", () => {
  const parts: readonly StreamPart[] = [
    { type: "thinking.delta", block: 0, delta: "a", opaque: { x: { signature: "s0" } } },
    { type: "text.delta", block: 1, delta: "b" },
    { type: "thinking.delta", block: 2, delta: "c", opaque: { x: { signature: "s1" } } },
    { type: "provider", block: { type: "provider", kind: "x.item", opaque: { x: [1] } } },
    { type: "text.delta", block: 3, delta: "d" },
    { type: "finish", reason: "stop" },
  ];
  const content = [
    { type: "thinking", thinking: "a", opaque: { x: { signature: "s0" } } },
    { type: "text", text: "b" },
    { type: "thinking", thinking: "c", opaque: { x: { signature: "s1" } } },
    { type: "provider", kind: "x.item", opaque: { x: [1] } },
    { type: "text", text: "d" },
  ];

  test("keep their order and their data, in the next request and after a restore", async () => {
    const { model, sent } = streaming(parts);
    const store = memoryStore();
    const first = createAgent({ name: "a", model, store, sessionId: "s" });
    const message = await first.call("go");
    expect(message.content).toEqual(content);
    await first.close();
    await createAgent({ name: "a", model, store, sessionId: "s" }).call("again");
    expect(sent[1]![1]!.content).toEqual(content);
  });

  test("are streamed as blocks of their own", async () => {
    const { model } = streaming(parts);
    const deltas: unknown[] = [];
    const agent = createAgent({ name: "a", model });
    agent.subscribe((event) => {
      if (event.type === "block.delta") deltas.push([event.index, event.kind, event.delta]);
    });
    await agent.call("go");
    expect(deltas).toEqual([
      [0, "thinking", "a"],
      [1, "text", "b"],
      [2, "thinking", "c"],
      [3, "text", "d"],
    ]);
  });

  test("with nothing but data of the provider are an empty answer", async () => {
    const data = { type: "provider", kind: "x.item", opaque: {} } as const;
    const { model } = streaming([
      { type: "provider", block: data },
      { type: "finish", reason: "stop" },
    ]);
    const agent = createAgent({ name: "a", model });
    await expect(agent.call("go")).rejects.toMatchObject({ code: "model/empty" });
  });

  test.each([
    { type: "provider", block: { type: "provider", kind: "x" } },
    { type: "provider", block: { type: "provider", opaque: {} } },
    { type: "text.delta", delta: "a", block: {} },
    { type: "finish", reason: "stop", metadata: "x" },
  ])("that are malformed fail the call: %j", async (part) => {
    const { model } = streaming([part as never]);
    await expect(createAgent({ name: "a", model }).call("go")).rejects.toMatchObject({
      code: "model/bad-response",
    });
  });
});

test("a ping keeps a slow answer from its idle time-out", async () => {
  const model: ChatModel = {
    name: "m",
    async *stream() {
      for (let ping = 0; ping < 40; ping++) {
        await new Promise((resolve) => setTimeout(resolve, 40));
        yield { type: "ping" };
      }
      yield { type: "text.delta", delta: "done" };
      yield { type: "finish", reason: "stop" };
    },
  };
  const agent = createAgent({ name: "a", model, modelOptions: { execution: { idleTimeoutMs: 1_000 } } });
  expect((await agent.call("go")).text).toBe("done");
});

test("a stored session whose thinking has data without the name of its adapter goes on", async () => {
  const { bodies, fetch } = answering(answer({ content: "done" }));
  const details = [{ type: "reasoning.encrypted", data: "x" }];
  const old: Msg = {
    id: "m-1",
    role: "assistant",
    name: "a",
    content: [
      { type: "thinking", thinking: "hm", opaque: { field: "reasoning", reasoning_details: details } },
      { type: "text", text: "4" },
    ],
    metadata: {},
    timestamp: 1,
  };
  const model = openaiModel({ model: "m", baseURL: "https://openrouter.ai/api/v1", fetch });
  const agent = createAgent({ name: "a", model, messages: [old] });
  await agent.call("again");
  expect(bodies[0]!.messages[0]).toEqual({
    role: "assistant",
    content: "4",
    reasoning: "hm",
    reasoning_details: details,
  });
});

test("tokens written to the cache count, and have a price", async () => {
  const usage = { inputTokens: 100, cachedInputTokens: 50, cacheWriteTokens: 40, outputTokens: 10 };
  const model = scriptedModel([
    { text: "a", usage },
    { text: "b", usage },
  ]);
  const prices = { [model.name]: { input: 1, output: 10, cachedInput: 0.1, cacheWrite: 2 } };
  const agent = createAgent({ name: "a", model, modelOptions: { prices } });
  const reply = await agent.call("go");
  expect(reply.usage).toMatchObject({ cacheWriteTokens: 40 });
  expect(reply.usage?.cost).toBeCloseTo((10 * 1 + 50 * 0.1 + 40 * 2 + 10 * 10) / 1_000_000, 12);
});

test("requests of one session have its id, for the provider's cache", async () => {
  const { bodies, fetch } = answering(answer({ content: "4" }));
  const model = openaiModel({ model: "m", fetch, apiKey: "k" });
  const agent = createAgent({ name: "a", model, sessionId: "s-1" });
  await agent.call("one");
  await agent.call("two");
  expect(bodies.map((body) => body["prompt_cache_key"])).toEqual(["s-1", "s-1"]);
});

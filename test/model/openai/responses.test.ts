// The Responses API: what goes out, goes back, and comes.
import { describe, expect, test } from "vitest";
import { createAgent, defineTool, systemMsg, userMsg, type Block, type Msg } from "agentchart";
import { openaiModel, type OpenAIModelOptions } from "agentchart/openai";
import { memoryStore } from "agentchart/store/memory";
import { collect } from "../../../src/core/model/fold.ts";
import type { ModelRequest } from "../../../src/core/model/port.ts";
import { fetchOf, never, request } from "./replay.ts";
import { modelRecordings } from "../../fixtures/recordings/model-recordings.ts";

type Item = { readonly [field: string]: unknown };
type Body = { readonly input: readonly Item[]; readonly [field: string]: unknown };

/** A model over a server that gives these answers in turn, and the bodies that it was sent. */
function serving(answers: readonly (string | object)[], options: Partial<OpenAIModelOptions> = {}) {
  const bodies: Body[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    bodies.push(JSON.parse(init?.body as string) as Body);
    const answer = answers[Math.min(bodies.length, answers.length) - 1]!;
    return typeof answer === "string" ? fetchOf(answer)(input) : Response.json(answer);
  };
  const model = openaiModel({ model: "gpt-5", api: "responses", apiKey: "k", fetch, ...options });
  return { model, bodies };
}

const whole = (output: readonly object[], more: object = {}) => ({
  id: "resp_1",
  object: "response",
  model: "gpt-5",
  status: "completed",
  output,
  usage: { input_tokens: 7, output_tokens: 2 },
  ...more,
});
const message = (text: string, more: object = {}) => ({
  type: "message",
  id: "msg_1",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text, annotations: [] }],
  ...more,
});
const recorded = modelRecordings.find(({ wire }) => wire === "responses")!.body;
const harbour = defineTool({
  name: "harbour",
  description: "Finds a harbour.",
  input: { type: "object", properties: { town: { type: "string" } } },
  execute: () => "Quay 4",
});
const answerOf = ({ model }: ReturnType<typeof serving>, fields: Partial<ModelRequest> = {}) =>
  collect(model, request(fields), { signal: never() });
const assistant = (...content: Block[]): Msg => ({ ...userMsg("", { content }), role: "assistant" });

describe("what goes out", () => {
  test("the server stores nothing and gives its reasoning encrypted", async () => {
    const server = serving([whole([message("ok")])]);
    await answerOf(server, {
      messages: [systemMsg("Be brief"), userMsg("Which ports?")],
      sessionId: "s-1",
      options: {
        maxTokens: 9,
        temperature: 0.5,
        topP: 0.9,
        reasoningEffort: "low",
        extraBody: { user: "u" },
      },
    });
    expect(server.bodies[0]).toEqual({
      model: "gpt-5",
      store: false,
      include: ["reasoning.encrypted_content"],
      temperature: 0.5,
      top_p: 0.9,
      max_output_tokens: 9,
      reasoning: { effort: "low" },
      prompt_cache_key: "s-1",
      user: "u",
      input: [
        { role: "system", content: "Be brief" },
        { role: "user", content: "Which ports?" },
      ],
      stream: true,
    });
  });

  test("a model that is known to have no reasoning is not asked for it", async () => {
    const server = serving([whole([message("ok")])], { model: "gpt-4.1-mini" });
    await answerOf(server);
    expect(server.bodies[0]).not.toHaveProperty("include");
  });

  test("tools, the tool choice and the schema of the answer have the form of this API", async () => {
    const server = serving([whole([message("{}")])], { builtInTools: [{ type: "web_search" }] });
    const { name, description } = harbour;
    const inputSchema = { type: "object", properties: {} };
    await answerOf(server, {
      tools: [{ name, description, inputSchema }],
      options: { toolChoice: { name } },
      output: { name: "answer", schema: { type: "object" } },
    });
    expect(server.bodies[0]).toMatchObject({
      tools: [
        { type: "function", name, description, parameters: inputSchema, strict: false },
        { type: "web_search" },
      ],
      tool_choice: { type: "function", name },
      text: { format: { type: "json_schema", name: "answer", schema: { type: "object" } } },
    });
  });

  test("a message without content is no empty list, which the server refuses", async () => {
    const server = serving([whole([message("ok")])]);
    await answerOf(server, { messages: [{ ...userMsg("x"), content: [] }] });
    expect(server.bodies[0]!.input).toEqual([{ role: "user", content: "(an empty message)" }]);
  });

  test("media of users and of results are parts", async () => {
    const server = serving([whole([message("ok")])]);
    const png = { type: "image", source: { type: "base64", mediaType: "image/png", data: "AAAA" } } as const;
    const call = { type: "tool_use", id: "c", name: "look", input: {} } as const;
    const result: Msg = {
      ...userMsg(""),
      role: "tool",
      content: [{ type: "tool_result", id: "c", name: "look", output: [png], state: "success" }],
    };
    const messages = [
      userMsg("", { content: [{ type: "text", text: "see" }, png] }),
      assistant(call),
      result,
    ];
    await answerOf(server, { messages });
    const image = { type: "input_image", detail: "auto", image_url: "data:image/png;base64,AAAA" };
    expect(server.bodies[0]!.input).toEqual([
      { role: "user", content: [{ type: "input_text", text: "see" }, image] },
      { type: "function_call", call_id: "c", name: "look", arguments: "{}" },
      { type: "function_call_output", call_id: "c", output: [image] },
    ]);
  });

  test.each([
    [{ builtInTools: [{ type: "web_search" }] }, "builtInTools"],
    [{ compactAt: 5_000 }, "compactAt"],
    [{ reasoningSummary: "auto" }, "reasoningSummary"],
  ] as const)("%j without this API is refused", (options, name) => {
    expect(() => openaiModel({ model: "m", ...options })).toThrow(
      `openaiModel: \`${name}\` needs \`api: "responses"\`.`,
    );
  });

  test("a client without this API is refused with the first call", async () => {
    const client = { chat: { completions: { create: async () => [] } } };
    const model = openaiModel({ model: "m", api: "responses", client });
    await expect(collect(model, request(), { signal: never() })).rejects.toMatchObject({
      code: "config/invalid",
    });
  });

  test("a wrapped client that gives only events works", async () => {
    async function* events() {
      yield { type: "response.output_text.delta", output_index: 0, content_index: 0, delta: "hi" };
      yield { type: "response.completed", response: whole([message("hi")]) };
    }
    const responses = { create: async () => events() };
    const client = { chat: { completions: responses }, responses };
    const model = openaiModel({ model: "m", api: "responses", client });
    expect(await collect(model, request(), { signal: never() })).toMatchObject({
      content: [{ type: "text", text: "hi" }],
      finishReason: "stop",
    });
  });
});

describe("what goes back", () => {
  test("is each item as it came, in its place, also after a restore", async () => {
    const first = serving([recorded, whole([message("Quay 4")])]);
    const store = memoryStore();
    const agent = createAgent({ name: "a", model: first.model, tools: [harbour], store, sessionId: "s" });
    expect((await agent.call("Where?")).text).toBe("Quay 4");
    await agent.close();
    const second = serving([whole([message("Yes.")])]);
    await createAgent({ name: "a", model: second.model, tools: [harbour], store, sessionId: "s" }).call(
      "Sure?",
    );
    const items = [
      { role: "user", content: "Where?" },
      {
        type: "reasoning",
        id: "rs_1",
        summary: [
          { type: "summary_text", text: "A town." },
          { type: "summary_text", text: "Ask." },
        ],
        encrypted_content: "E1",
      },
      {
        type: "message",
        id: "msg_1",
        role: "assistant",
        phase: "commentary",
        status: "completed",
        content: [{ type: "output_text", text: "Åsgårdstrand: one moment.", annotations: [] }],
      },
      { type: "function_call", id: "fc_1", call_id: "call_1", name: "harbour", arguments: '{"town":"Oslo"}' },
      { type: "function_call_output", call_id: "call_1", output: "Quay 4" },
    ];
    expect(first.bodies[1]!.input).toEqual(items);
    expect(second.bodies[0]!.input.slice(0, 5)).toEqual(items);
  });

  test("is not thinking of another server, and no id without the thinking of its answer", async () => {
    const server = serving([whole([message("ok")])]);
    const data = (fields: object) => ({ "openai-responses": { host: "api.openai.com", ...fields } });
    const messages = [
      userMsg("one"),
      assistant(
        { type: "thinking", thinking: "hm", opaque: { "ai-sdk": { anthropic: { signature: "SIG" } } } },
        { type: "thinking", thinking: "m", opaque: { "openai-responses": { host: "x.test", item: "rs_9" } } },
        { type: "text", text: "a", opaque: data({ item: "msg_9" }) },
      ),
      userMsg("two"),
    ];
    await answerOf(server, { messages });
    expect(server.bodies[0]!.input[1]).toEqual({
      type: "message",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: "a", annotations: [] }],
    });
    expect(server.bodies[0]!.input).toHaveLength(3);
  });

  test("is not data of this API to Chat Completions", async () => {
    const data = { "openai-responses": { host: "models.test", item: "rs_1", encrypted_content: "E1" } };
    const bodies: { readonly messages: readonly object[] }[] = [];
    const fetch: typeof globalThis.fetch = async (_, init) => {
      bodies.push(JSON.parse(init?.body as string));
      return Response.json({ choices: [{ message: { content: "ok" }, finish_reason: "stop" }] });
    };
    const model = openaiModel({ model: "m", baseURL: "https://models.test/v1", fetch });
    const said = assistant({ type: "thinking", thinking: "hm", opaque: data }, { type: "text", text: "a" });
    await collect(model, request({ messages: [said] }), { signal: never() });
    expect(bodies[0]!.messages).toEqual([{ role: "assistant", content: "a", reasoning_content: "hm" }]);
  });

  test("is an item of a built-in tool, verbatim, which the agent does not run", async () => {
    const search = { type: "web_search_call", id: "ws_1", status: "completed", action: { query: "tides" } };
    const server = serving([whole([search, message("High.")]), whole([message("Yes.")])], {
      builtInTools: [{ type: "web_search" }],
    });
    const agent = createAgent({ name: "a", model: server.model });
    const reply = await agent.call("Tide?");
    expect(reply.text).toBe("High.");
    expect(reply.content[0]).toMatchObject({ type: "provider", kind: "openai.web_search_call" });
    await agent.call("Sure?");
    expect(server.bodies[1]!.input[1]).toEqual(search);
  });

  test("is a compacted conversation in place of what was before it", async () => {
    const compaction = { type: "compaction", id: "cmp_1", encrypted_content: "C" };
    const server = serving(
      [whole([message("one")]), whole([compaction, message("two")]), whole([message("three")])],
      { compactAt: 5_000 },
    );
    const agent = createAgent({ name: "a", model: server.model, sysPrompt: "Be brief" });
    for (const text of ["1", "2", "3"]) await agent.call(text);
    expect(server.bodies[0]).toMatchObject({
      context_management: [{ type: "compaction", compact_threshold: 5_000 }],
    });
    expect(server.bodies[2]!.input).toMatchObject([
      { role: "system", content: "Be brief" },
      compaction,
      { type: "message", content: [{ text: "two" }] },
      { role: "user", content: "3" },
    ]);
  });

  test("is an image that the server made, whose bytes are media here", async () => {
    const image = { type: "image_generation_call", id: "ig_1", status: "completed", result: "AAAA" };
    const server = serving([whole([image]), whole([message("ok")])]);
    const agent = createAgent({ name: "a", model: server.model });
    const { content } = await agent.call("Draw.");
    expect(content).toMatchObject([
      { type: "image", source: { type: "base64", mediaType: "image/png", data: "AAAA" } },
    ]);
    await agent.call("Fine.");
    expect(server.bodies[1]!.input[1]).toEqual(image);
  });
});

describe("answers", () => {
  test("a refusal is text with its own finish reason, and goes back as a refusal", async () => {
    const refused = message("", { content: [{ type: "refusal", refusal: "No." }] });
    const server = serving([whole([refused]), whole([message("ok")])]);
    const answer = await answerOf(server);
    expect(answer).toMatchObject({ content: [{ type: "text", text: "No." }], finishReason: "refusal" });
    await answerOf(server, { messages: [userMsg("q"), assistant(...answer.content), userMsg("again")] });
    expect(server.bodies[1]!.input[1]).toMatchObject({ content: [{ type: "refusal", refusal: "No." }] });
  });

  test("annotations, the model, the tier and the id are metadata", async () => {
    const annotations = [{ type: "url_citation", url: "https://x.test" }];
    const cited = message("", { content: [{ type: "output_text", text: "A", annotations }] });
    const server = serving([whole([cited], { service_tier: "flex" })]);
    expect(await answerOf(server)).toMatchObject({
      responseId: "resp_1",
      metadata: { model: "gpt-5", service_tier: "flex", annotations },
    });
  });

  test.each([
    [
      whole([], { status: "failed", error: { code: "server_error", message: "oops" } }),
      "model/unavailable",
      true,
    ],
    [
      whole([], { status: "failed", error: { code: "rate_limit_exceeded", message: "later" } }),
      "model/rate-limit",
      true,
    ],
    [
      'event: error\ndata: {"type":"error","code":"context_length_exceeded","message":"too long"}\n\n',
      "model/context-length",
      false,
    ],
    [
      'data: {"type":"response.failed","response":{"error":{"message":"oops"}}}\n\n',
      "model/unavailable",
      true,
    ],
    [{ message: "no", code: "InvalidParameter" }, "model/bad-request", false],
    [
      'data: {"type":"response.output_text.delta","output_index":0,"delta":"a"}\n\n',
      "model/connection",
      true,
    ],
  ])("%j fails with %s", async (answer, code, isRetryable) => {
    await expect(answerOf(serving([answer]))).rejects.toMatchObject({ code, isRetryable });
  });

  test.each([
    ["the index of its item", ({ output_index }: Item) => ({ output_index })],
    ["the id of its item", ({ item_id }: Item) => ({ item_id })],
    ["neither", () => ({})],
  ])("an answer is read once whose events say %s", async (_, place) => {
    const thought = { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "Hm." }] };
    const items = [thought, message("Hi.")];
    const [thinking, text] = ["reasoning_summary_text", "output_text"].map((kind, output_index) => {
      const { id: item_id, type } = items[output_index]!;
      const at = place({ output_index, item_id });
      const delta = output_index === 0 ? "Hm." : "Hi.";
      return [
        { type: "response.output_item.added", ...at, item: { type, id: item_id } },
        { type: `response.${kind}.delta`, ...at, delta },
        { type: "response.output_item.done", ...at, item: items[output_index] },
      ];
    });
    const end = { type: "response.completed", response: whole(items) };
    for (const events of [
      [...thinking!, ...text!, end],
      [...thinking!.slice(1), ...text!.slice(1), end],
      [...thinking!.slice(0, 2), ...text!.slice(0, 2), end],
      [end],
    ]) {
      const stream = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
      const { content } = await answerOf(serving([stream]));
      expect(content).toMatchObject([{ thinking: "Hm." }, { text: "Hi." }]);
    }
  });

  test("an answer that its content filter ended says so", async () => {
    const cut = whole([message("It")], {
      status: "incomplete",
      incomplete_details: { reason: "content_filter" },
    });
    expect((await answerOf(serving([cut]))).finishReason).toBe("content_filter");
  });
});

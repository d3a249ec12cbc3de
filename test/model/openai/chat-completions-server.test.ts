// The scripted server of Chat Completions behaves as providers do.
import { OpenAI } from "openai";
import { afterEach, describe, expect, test } from "vitest";
import {
  chatCompletionsServer,
  type ChatCompletionsResponder,
  type ChatCompletionsServer,
  type ChatCompletionsServerOptions,
} from "../../../src/testing/chat-completions-server.ts";

const servers: ChatCompletionsServer[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

async function serve(respond: ChatCompletionsResponder, options?: ChatCompletionsServerOptions) {
  const server = await chatCompletionsServer(respond, options);
  servers.push(server);
  return server;
}

const hi = { model: "m", messages: [{ role: "user", content: "hi" }] } as const;

async function post(server: ChatCompletionsServer, body: unknown) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const response = await fetch(`${server.baseURL}/chat/completions`, { method: "POST", body: text });
  return { status: response.status, body: (await response.json()) as { error?: { message: string } } };
}

test("an ordinary client reads the stream as it would from a provider", async () => {
  const server = await serve(() => ({
    content: "Hello there, world",
    tool_calls: [{ function: { name: "f", arguments: '{"a": 1}' } }],
  }));
  const client = new OpenAI({ apiKey: "x", baseURL: server.baseURL });
  const deltas: string[] = [];
  let args = "";
  let usage: unknown;
  for await (const chunk of await client.chat.completions.create({
    ...hi,
    messages: [...hi.messages],
    stream: true,
    stream_options: { include_usage: true },
  })) {
    const delta = chunk.choices[0]?.delta;
    if (delta?.content) deltas.push(delta.content);
    args += delta?.tool_calls?.[0]?.function?.arguments ?? "";
    usage = chunk.usage ?? usage;
  }
  expect(deltas.length).toBeGreaterThan(3);
  expect([deltas.join(""), args]).toEqual(["Hello there, world", '{"a": 1}']);
  expect(usage).toMatchObject({ prompt_tokens: expect.any(Number), completion_tokens: expect.any(Number) });
});

test("without stream the answer is one document", async () => {
  const server = await serve(() => ({ content: "all" }), {
    countUsage: () => ({ prompt_tokens: 3, completion_tokens: 4 }),
  });
  expect(await post(server, hi)).toMatchObject({
    status: 200,
    body: {
      object: "chat.completion",
      choices: [{ message: { role: "assistant", content: "all" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
    },
  });
});

test("text is cut without a loss, whatever its script", async () => {
  const content = '  Ünïcödé 世界地図 ひらがな 👩‍🚀\n\t{"a":[1,2]} \ud800 end ';
  const server = await serve(() => ({ content }));
  const response = await fetch(`${server.baseURL}/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ ...hi, stream: true }),
  });
  const chunks = [...(await response.text()).matchAll(/^data: (\{.*)$/gm)].map(
    ([, json]) => JSON.parse(json ?? "") as typeof chunk,
  );
  const chunk = { choices: [{ delta: { content: "" as string | undefined } }] };
  expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("")).toBe(content);
});

test("a pace holds the pieces apart", async () => {
  const server = await serve(() => ({ content: "one two three four five six seven eight" }), { pace: 400 });
  const startedAt = performance.now();
  const response = await fetch(`${server.baseURL}/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ ...hi, stream: true }),
  });
  await response.text();
  expect(performance.now() - startedAt).toBeGreaterThan(15);
});

describe("requests that providers refuse are refused", () => {
  const ask = (id: string, args = "{}") => ({
    role: "assistant",
    content: "",
    tool_calls: [{ id, type: "function", function: { name: "f", arguments: args } }],
  });
  const answer = (id: string) => ({ role: "tool", tool_call_id: id, content: "ok" });
  const [user] = hi.messages;

  test.each<[string, unknown]>([
    ["no JSON", "{"],
    ["no object", "7"],
    ["no model", { messages: hi.messages }],
    ["no messages", { model: "m" }],
    ["empty messages", { model: "m", messages: [] }],
    ["an unknown role", { model: "m", messages: [{ role: "robot", content: "" }] }],
    ["a message without content", { model: "m", messages: [{ role: "user" }] }],
    ["empty tools", { ...hi, tools: [] }],
    ["tool_choice without tools", { ...hi, tool_choice: "auto" }],
    ["a call without its result", { model: "m", messages: [user, ask("a")] }],
    ["a result too late", { model: "m", messages: [user, ask("a"), user, answer("a")] }],
    ["a result without a call", { model: "m", messages: [user, answer("a")] }],
    ["a result twice", { model: "m", messages: [user, ask("a"), answer("a"), answer("a")] }],
    ["arguments cut off", { model: "m", messages: [user, ask("a", '{"x'), answer("a")] }],
    [
      "a call without arguments",
      { model: "m", messages: [user, { role: "assistant", tool_calls: [{ id: "a" }] }, answer("a")] },
    ],
  ])("%s", async (_, body) => {
    const server = await serve(() => ({ content: "never" }));
    const { status, body: answered } = await post(server, body);
    expect(status).toBe(400);
    expect(answered.error?.message).toBeTruthy();
    expect(server.requests).toEqual([]);
  });

  test("a history with every result in place is taken", async () => {
    const server = await serve(() => ({ content: "yes" }));
    const messages = [user, ask("a"), answer("a"), user, ask("b"), answer("b")];
    expect((await post(server, { model: "m", messages })).status).toBe(200);
  });

  test("another path is not found, too large a body is refused", async () => {
    const server = await serve(() => ({ content: "never" }), { maxBodyBytes: 10 });
    expect((await fetch(`${server.url}/v1/models`)).status).toBe(404);
    expect((await post(server, hi)).status).toBe(413);
  });
});

test("a responder that throws answers 500 with its message", async () => {
  const server = await serve(() => {
    throw new Error("planner broke");
  });
  expect(await post(server, hi)).toMatchObject({
    status: 500,
    body: { error: { message: "planner broke" } },
  });
});

test("a responder without an answer is told what was expected", async () => {
  const server = await serve((() => undefined) as never);
  expect(await post(server, hi)).toMatchObject({
    status: 400,
    body: { error: { message: expect.stringContaining("The answer") } },
  });
});

test("closing breaks what is open", async () => {
  const server = await serve(() => ({ content: "x", fault: { kind: "hang", afterChunks: 1 } }));
  const response = await fetch(`${server.baseURL}/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ ...hi, stream: true }),
  });
  await server.close();
  await expect(response.text()).rejects.toThrow("terminated");
});

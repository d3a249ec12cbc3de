// Answers of models that do not stream.
import { createServer, type IncomingMessage } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { OpenAI } from "openai";
import { describe, expect, onTestFinished, test } from "vitest";
import { createAgent, type AgentEvent } from "agentchart";
import { openaiModel, type OpenAIModelOptions } from "agentchart/openai";
import { toolOf } from "../../support/agents.ts";

type Body = { readonly stream?: boolean; readonly stream_options?: unknown; readonly messages: unknown };

const bodyOf = async (request: IncomingMessage): Promise<Body> => {
  let text = "";
  for await (const piece of request) text += String(piece);
  return JSON.parse(text) as Body;
};
const usage = { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 };
const completion = (message: object, finish_reason: string) => ({
  id: "cmpl-1",
  object: "chat.completion",
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason }],
  usage,
});
const call = (id: string, args: string) => ({
  id,
  type: "function",
  function: { name: "add", arguments: args },
});

/** A server that cannot stream: it refuses what asks it to. */
async function serverOf(answers: readonly object[], status = 200) {
  const bodies: Body[] = [];
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      bodies.push(body);
      const isRefused = body.stream === true || body.stream_options !== undefined;
      const answer = isRefused
        ? { error: { message: "stream is not supported" } }
        : answers[bodies.length - 1];
      response.writeHead(isRefused ? 400 : status, { "content-type": "application/json" });
      response.end(JSON.stringify(answer));
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { bodies, baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
}

const WAYS: readonly (readonly [string, (baseURL: string) => Partial<OpenAIModelOptions>])[] = [
  ["fetch", (baseURL) => ({ baseURL })],
  ["the openai package", (baseURL) => ({ baseURL, transport: "openai" })],
  ["a client", (baseURL) => ({ client: new OpenAI({ apiKey: "k", baseURL, maxRetries: 0 }) })],
  [
    "a client that is wrapped",
    (baseURL) => {
      const { chat } = new OpenAI({ apiKey: "k", baseURL, maxRetries: 0 });
      const create = async (...given: never[]) => chat.completions.create(...(given as unknown as [never]));
      return { client: { baseURL, chat: { completions: { create } } } };
    },
  ],
];

describe.each(WAYS)("a model that does not stream, by %s", (_, by) => {
  test("runs the calls of an answer, and has its text, thinking, usage and end", async () => {
    const { bodies, baseURL } = await serverOf([
      completion({ content: null, tool_calls: [call("a", '{"by":2}'), call("b", '{"by":3}')] }, "tool_calls"),
      completion({ content: "5", reasoning_content: "2 and 3" }, "stop"),
    ]);
    let sum = 0;
    const add = toolOf("add", ({ by: more }) => String((sum += more as number)));
    const model = openaiModel({ model: "m", apiKey: "k", streaming: false, ...by(baseURL) });
    const agent = createAgent({ name: "bot", model, tools: [add] });
    const events: AgentEvent[] = [];
    const stream = agent.stream("Add 2 and 3.");
    for await (const event of stream) events.push(event);
    const reply = await stream.reply;
    expect([sum, reply.text, reply.finishReason]).toEqual([5, "5", "stop"]);
    expect(reply.content).toMatchObject([{ type: "thinking", thinking: "2 and 3" }, { text: "5" }]);
    expect(reply.turn.usage).toMatchObject({ inputTokens: 18, outputTokens: 8 });
    expect(bodies.map(({ stream: isStream }) => isStream)).toEqual([false, false]);
    const deltas = events.flatMap((event) =>
      event.type === "block.delta" && event.kind === "text" ? event.delta : [],
    );
    expect(deltas).toEqual(["5"]);
  });

  test("says what a server says that refuses, and that an answer without an end is none", async () => {
    const refusing = await serverOf(
      [{ error: { message: "no such model", type: "invalid_request_error" } }],
      404,
    );
    const options = { model: "m", apiKey: "k", streaming: false } as const;
    const once = { modelOptions: { execution: { maxAttempts: 1 } } };
    const agentAt = (baseURL: string) =>
      createAgent({ name: "bot", model: openaiModel({ ...options, ...by(baseURL) }), ...once });
    await expect(agentAt(refusing.baseURL).call("x")).rejects.toMatchObject({
      code: "model/bad-request",
      message: expect.stringContaining("no such model") as string,
    });
    const cut = await serverOf([
      { choices: [{ index: 0, message: { role: "assistant", content: "half" } }] },
    ]);
    await expect(agentAt(cut.baseURL).call("x")).rejects.toMatchObject({ code: "model/connection" });
  });
});

test("a model that does not stream is refused with Responses", () => {
  expect(() => openaiModel({ model: "m", api: "responses", streaming: false })).toThrow(
    expect.objectContaining({ code: "config/invalid" }),
  );
});

// Models over the API of OpenAI: requests, streams and failures.
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { OpenAI } from "openai";
import { afterEach, describe, expect, test } from "vitest";
import { AgentError } from "../../../src/core/base/error.ts";
import { userMsg } from "../../../src/core/message/msg.ts";
import { collect } from "../../../src/core/model/fold.ts";
import type { StreamPart } from "../../../src/core/model/port.ts";
import { dashscopeModel, openaiEmbedder, openaiModel } from "../../../src/core/model/openai/index.ts";
import {
  chatCompletionsServer,
  type ChatCompletionsResponder,
  type ChatCompletionsServer,
} from "../../../src/testing/chat-completions-server.ts";
import { bodyOf, fetchOf, modelOf, never, partsOf, replay, request, TRANSPORTS } from "./replay.ts";

const servers: ChatCompletionsServer[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

async function failureOf(run: Promise<unknown>): Promise<AgentError> {
  const thrown = await run.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!AgentError.is(thrown)) throw new Error(`no AgentError: ${String(thrown)}`);
  return thrown;
}

describe.each(TRANSPORTS)("by %s:", (transport) => {
  async function serve(respond: ChatCompletionsResponder) {
    const server = await chatCompletionsServer(respond);
    servers.push(server);
    const options = { model: "m-1", baseURL: server.baseURL, apiKey: "key-of-mine", transport };
    return { server, model: openaiModel(options) };
  }

  describe("an answer over HTTP", () => {
    test("streams small parts and folds to the message", async () => {
      const { server, model } = await serve(() => ({
        reasoning_content: "First think",
        content: "Grüße, 世界! 👩‍🚀",
        tool_calls: [{ function: { name: "f", arguments: '{"town":"Åre"}' } }],
        splitUtf8: true,
      }));
      const answer = await collect(model, request(), { signal: never() });
      expect(answer).toMatchObject({
        content: [
          { type: "thinking", thinking: "First think" },
          { type: "text", text: "Grüße, 世界! 👩‍🚀" },
          { type: "tool_use", id: "call_1", name: "f", input: { town: "Åre" } },
        ],
        finishReason: "tool_calls",
        responseId: "chatcmpl-1",
      });
      expect(answer.usage?.outputTokens).toBeGreaterThan(0);
      expect(server.requests).toMatchObject([
        { model: "m-1", stream: true, messages: [{ role: "user", content: "Which ports?" }] },
      ]);
    });

    test("finish is the last part, after the usage", async () => {
      const { model } = await serve(() => ({ content: "yes" }));
      const parts = await partsOf(model.stream(request(), { signal: never() }));
      expect(parts.map(({ type }) => type)).toEqual(["text.delta", "usage", "finish"]);
    });

    test("an answer that a server does not stream is read all the same", async () => {
      const body = {
        id: "r",
        choices: [{ message: { role: "assistant", content: "whole" }, finish_reason: "stop" }],
      };
      expect(
        await replay(JSON.stringify(body), {
          type: "application/json; charset=utf-8",
          sizes: [5],
          transport,
        }),
      ).toEqual({
        content: [{ type: "text", text: "whole" }],
        finishReason: "stop",
        raw: "stop",
        responseId: "r",
      });
    });

    test("connections are used again", async () => {
      const { model } = await serve(() => ({ content: "yes" }));
      const connections: unknown[] = [];
      const onConnected = (message: unknown) => connections.push(message);
      subscribe("undici:client:connected", onConnected);
      for (let call = 0; call < 8; call++) await collect(model, request(), { signal: never() });
      unsubscribe("undici:client:connected", onConnected);
      expect(connections.length).toBeLessThanOrEqual(2);
    });
  });

  describe("what goes out", () => {
    const seen: { url: string; headers: Headers }[] = [];
    const spy: typeof fetch = async (input, init) => {
      seen.push({ url: typeof input === "string" ? input : "?", headers: new Headers(init?.headers) });
      return fetchOf(bodyOf("text-usage-last.chunks.txt"))(input);
    };
    const call = async (options: object, extraHeaders = {}) => {
      seen.length = 0;
      await collect(modelOf(spy, { transport, ...options }), request({ options: { extraHeaders } }), {
        signal: never(),
      });
      return seen[0]!;
    };

    test("key and extra headers are request headers", async () => {
      const { url, headers } = await call({ apiKey: "key-of-mine" }, { "x-tenant": "t1" });
      expect(url).toBe("https://models.test/v1/chat/completions");
      expect([headers.get("authorization"), headers.get("x-tenant")]).toEqual(["Bearer key-of-mine", "t1"]);
    });

    test.each([
      ["a refusal", (said: string) => new Response(said, { status: 401 })],
      [
        "an error in the stream",
        (said: string) => new Response(`data: {"error":${JSON.stringify(said)}}\n\n`),
      ],
      ["what is not JSON", (said: string) => new Response(`data: ${"x".repeat(290)}${said}\n\n`)],
      ["what is not a chunk", (said: string) => new Response(`data: "${"x".repeat(70)}${said}"\n\n`)],
      [
        "an id of the request",
        (said: string) => new Response("", { status: 400, headers: { "x-request-id": said } }),
      ],
    ])("no value of a header that the server says again is in the error: %s", async (_, answer) => {
      const secret = "t0pSecretHeaderValue";
      const extraHeaders = { "x-gateway-key": secret, authorization: `Basic ${secret}` };
      const model = modelOf(() => Promise.resolve(answer(`no ${secret}`)), { transport });
      const asked = collect(model, request({ options: { extraHeaders } }), { signal: never() });
      const error: unknown = await asked.catch((thrown: unknown) => thrown);
      expect(JSON.stringify(error)).toContain('"code":"model/');
      expect(JSON.stringify(error)).not.toContain(secret.slice(0, 5));
    });

    test("nothing is taken from the environment", async () => {
      const env = {
        OPENAI_API_KEY: "env-key",
        OPENAI_ADMIN_KEY: "env-admin",
        OPENAI_BASE_URL: "https://env.test",
        OPENAI_ORG_ID: "env-org",
        OPENAI_PROJECT_ID: "env-project",
        OPENAI_CUSTOM_HEADERS: "x-env: env-header",
        OPENAI_LOG: "debug",
      };
      const before = { ...process.env };
      Object.assign(process.env, env);
      try {
        const { headers } = await call({});
        expect([...headers.values()].join(" ")).not.toContain("env-");
        expect(headers.get("authorization")).toBe("Bearer none");
        seen.length = 0;
        await collect(openaiModel({ model: "m-1", fetch: spy, transport }), request(), { signal: never() });
        expect(seen[0]?.url).toBe("https://api.openai.com/v1/chat/completions");
      } finally {
        for (const name of Object.keys(env)) delete process.env[name];
        Object.assign(process.env, before);
      }
    });

    test("a client that is passed in keeps its own address and key, and does not retry", async () => {
      let calls = 0;
      const fetch: typeof globalThis.fetch = async () => {
        calls++;
        return new Response("{}", { status: 500 });
      };
      const client = new OpenAI({ apiKey: "its-own-key", baseURL: "https://own.test/v1", fetch });
      const error = await failureOf(
        collect(openaiModel({ model: "m-1", client }), request(), { signal: never() }),
      );
      expect(error).toMatchObject({ code: "model/unavailable", data: { host: "own.test" } });
      expect(calls).toBe(1);
    });

    test("a wrapped client that gives only chunks works", async () => {
      async function* chunks() {
        yield { id: "r", choices: [{ index: 0, delta: { content: "hi" } }] };
        yield { id: "r", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] };
      }
      const client = { chat: { completions: { create: async () => chunks() } } };
      const answer = await collect(openaiModel({ model: "m-1", client }), request(), { signal: never() });
      expect(answer).toMatchObject({ content: [{ type: "text", text: "hi" }], finishReason: "stop" });
    });
  });

  describe("failures", () => {
    test("an HTTP error is classified, with the instant the server named, and asked once", async () => {
      const { server, model } = await serve(() => ({
        status: 429,
        headers: { "retry-after": "2" },
        message: "slow down",
        code: "rate_limit_exceeded",
      }));
      const before = Date.now();
      const error = await failureOf(collect(model, request(), { signal: never() }));
      expect(error).toMatchObject({
        code: "model/rate-limit",
        isRetryable: true,
        data: { status: 429, kind: "rate_limit_exceeded invalid_request_error" },
      });
      expect(error.retryAt).toBeGreaterThanOrEqual(before + 2_000);
      expect(server.requests).toHaveLength(1);
    });

    test("an HTTP error without a readable body is classified by its status", async () => {
      const { model } = await serve(() => ({
        status: 502,
        headers: { "content-type": "text/html" },
        body: "<h1>Bad gateway</h1>",
      }));
      expect(await failureOf(collect(model, request(), { signal: never() }))).toMatchObject({
        code: "model/unavailable",
        isRetryable: true,
      });
    });

    test.each([
      ["cut", 0, "model/connection"],
      ["cut", 3, "model/connection"],
      ["end", 3, "model/connection"],
      ["end", 0, "model/bad-response"],
      ["end", 1, "model/bad-response"],
      ["malformed", 0, "model/bad-response"],
      ["malformed", 3, "model/bad-response"],
      ["error", 3, "model/unavailable"],
    ] as const)(
      "a stream that goes wrong by %s after %i chunks is %s, retryable",
      async (kind, afterChunks, code) => {
        const { model } = await serve(() => ({
          content: "one two three four five six",
          fault: { kind, afterChunks },
        }));
        const parts: StreamPart[] = [];
        const run = async () => {
          for await (const part of model.stream(request(), { signal: never() })) parts.push(part);
        };
        expect(await failureOf(run())).toMatchObject({ code, isRetryable: true });
        expect(parts.some(({ type }) => type === "finish")).toBe(false);
        // A reset connection may lose what was sent before it; any other end comes after the parts before it.
        expect(parts.length).toBe(kind === "cut" ? parts.length : Math.max(0, afterChunks - 1));
      },
    );

    test("a stream cut after its finish reason is whole", async () => {
      const { model } = await serve(() => ({ content: "yes", fault: { kind: "cut", afterChunks: 3 } }));
      expect(await collect(model, request(), { signal: never() })).toMatchObject({
        content: [{ type: "text", text: "yes" }],
        finishReason: "stop",
      });
    });

    test.each([
      ["", "text/event-stream", "model/bad-response", true],
      ["data: [DONE]\n\n", "text/event-stream", "model/bad-response", true],
      ["data: 7\n\n", "text/event-stream", "model/bad-response", true],
      ['data: {"choices":[{"delta":{"content":7}}]}\n\n', "text/event-stream", "model/bad-response", true],
      ['data: {"choices":[null]}\n\n', "text/event-stream", "model/bad-response", true],
      [
        'data: {"choices":[{"delta":{"tool_calls":{}}}]}\n\n',
        "text/event-stream",
        "model/bad-response",
        true,
      ],
      ["<html></html>", "text/html", "model/bad-response", false],
      ['{"choices":', "application/json", "model/bad-response", true],
      [
        '{"error":{"message":"no","type":"invalid_request_error"}}',
        "application/json",
        "model/bad-request",
        false,
      ],
      [
        'event: error\ndata: {"code":"InvalidParameter","message":"no"}\n\n',
        "text/event-stream",
        "model/bad-request",
        false,
      ],
      [
        'data: {"choices":[{"delta":{"content":"x"},"finish_reason":"insufficient_system_resource"}]}\n\n',
        "text/event-stream",
        "model/unavailable",
        true,
      ],
      ['{"message":"no","code":"InvalidParameter"}', "application/json", "model/bad-request", false],
      ['{"detail":"busy"}', "application/json", "model/unavailable", true],
      ['{"error":"busy"}', "text/plain", "model/unavailable", true],
      [
        'data: {"x_groq":{"error":"over capacity"},"choices":[]}\n\n',
        "text/event-stream",
        "model/unavailable",
        true,
      ],
      [
        'data: {"choices":[{"delta":{"content":"x"},"finish_reason":"error","error":{"code":502}}]}\n\n',
        "text/event-stream",
        "model/unavailable",
        true,
      ],
    ])("the body %j as %s is %s", async (body, type, code, isRetryable) => {
      expect(await failureOf(replay(body, { type, transport }))).toMatchObject({ code, isRetryable });
    });

    test.each([
      ['{"message":"The engine sleeps"}', "application/json"],
      ['{"detail":"The engine sleeps"}', "text/event-stream"],
      [
        '{"base_resp":{"status_code":1004,"status_msg":"The engine sleeps"},"choices":null}',
        "application/json",
      ],
      ['data: {"code":"x","message":"The engine sleeps"}\n\n', "text/event-stream"],
      ["The engine sleeps", "text/plain"],
      ['data: {"choices":[],"x_groq":{"error":"The engine sleeps"}}\n\n', "text/event-stream"],
      [
        'data: {"choices":[{"delta":{},"finish_reason":"error","error":{"message":"The engine sleeps"}}]}\n\n',
        "text/event-stream",
      ],
    ])("the text of an error in an answer with status 200 is kept: %s", async (body, type) => {
      expect((await failureOf(replay(body, { type, transport }))).message).toContain("The engine sleeps");
    });

    test("a comment in a stream is a ping", async () => {
      const body = `: working\n\n${bodyOf("text-usage-last.chunks.txt")}`;
      const parts = await partsOf(
        modelOf(fetchOf(body), { transport }).stream(request(), { signal: never() }),
      );
      expect(parts[0]).toEqual({ type: "ping" });
    });

    test("an address without a server gives a retryable connection error that says so", async () => {
      const { server } = await serve(() => ({ content: "" }));
      const { port } = new URL(server.url);
      const baseURL = `http://127.9.8.7:${port}/v1`; // nobody else listens there, whose port it may be next
      const model = openaiModel({ model: "m-1", baseURL, apiKey: "key-of-mine", transport });
      const error = await failureOf(collect(model, request(), { signal: never() }));
      expect(error).toMatchObject({ code: "model/connection", isRetryable: true });
      expect(error.message).toContain(`No connection to model "m-1" at 127.9.8.7:${port}`);
    });

    test.each([
      [{ model: "" }, "name of a model"],
      [{ model: "m", baseURL: "localhost" }, '"localhost"'],
    ])("%j is refused when the model is made", (options, words) => {
      expect(() => openaiModel(options)).toThrow(words);
    });

    test.each([
      "localhost",
      "localhost:8080/v1",
      "ftp://models.test",
      "http://joe:topsecretpw@models.test/v1",
    ])("the base URL %s is refused by each of the makers, which quotes no password", (baseURL) => {
      const makers = [
        () => openaiModel({ model: "m", baseURL }),
        () => dashscopeModel({ model: "m", apiKey: "k", baseURL }),
        () => openaiEmbedder({ model: "m", dimensions: 3, baseURL }),
      ];
      for (const make of makers) {
        expect(make).toThrow(expect.objectContaining({ code: "config/invalid" }));
        expect(make).toThrow("expected an http or https URL without user and password");
        expect(make).not.toThrow("topsecretpw");
      }
    });
  });

  describe("abort", () => {
    const afterParts = async (count: number, fault: "hang" | undefined, respond = {}) => {
      const controller = new AbortController();
      let gone: AbortSignal | undefined;
      const { model } = await serve((_, context) => {
        gone = context.signal;
        return {
          content: "one two three four five six seven",
          ...(fault && { fault: { kind: fault, afterChunks: 3 } }),
          ...respond,
        };
      });
      const parts: StreamPart[] = [];
      const run = async () => {
        for await (const part of model.stream(request(), { signal: controller.signal })) {
          parts.push(part);
          if (parts.length === count) controller.abort();
        }
      };
      return { run: failureOf(run()), controller, parts, isGone: () => gone?.aborted };
    };

    test("a signal that aborted before the call prevents the request", async () => {
      const { server, model } = await serve(() => ({ content: "x" }));
      const error = await failureOf(collect(model, request(), { signal: AbortSignal.abort() }));
      expect(error).toMatchObject({ code: "run/aborted", isRetryable: false });
      expect(server.requests).toEqual([]);
    });

    test("between parts it throws with the next read, also for what has arrived already", async () => {
      const { run, parts } = await afterParts(2, undefined);
      expect((await run).code).toBe("run/aborted");
      expect(parts).toHaveLength(2);
    });

    test("while nothing comes it throws at once, and the server sees the client go", async () => {
      const { run, controller, isGone } = await afterParts(99, "hang");
      await expect.poll(isGone).toBe(false);
      controller.abort();
      expect((await run).code).toBe("run/aborted");
      await expect.poll(isGone).toBe(true);
    });

    test("while the server has not answered yet it throws at once", async () => {
      const { run, controller } = await afterParts(99, undefined, { delayMs: 60_000 });
      setTimeout(() => controller.abort(), 20);
      expect((await run).code).toBe("run/aborted");
    });

    test("a fetch that does not look at the signal cannot hold it up", async () => {
      const controller = new AbortController();
      const model = modelOf(() => new Promise(() => {}), { transport });
      setTimeout(() => controller.abort(), 5);
      expect((await failureOf(collect(model, request(), { signal: controller.signal }))).code).toBe(
        "run/aborted",
      );
    });

    test("a consumer that leaves the loop ends the request", async () => {
      let gone: AbortSignal | undefined;
      const { model } = await serve((_, context) => {
        gone = context.signal;
        return { content: "one two three four", fault: { kind: "hang", afterChunks: 3 } };
      });
      for await (const _ of model.stream(request(), { signal: never() })) break;
      await expect.poll(() => gone?.aborted).toBe(true);
    });
  });

  test("two calls of one model at the same time do not mix", async () => {
    const { model } = await serve(({ messages }) => ({
      content: `you said ${JSON.stringify(messages[0]?.content)}`,
      splitUtf8: true,
    }));
    const answers = await Promise.all(
      ["one", "two", "three"].map((text) =>
        collect(model, request({ messages: [userMsg(text)] }), { signal: never() }),
      ),
    );
    expect(answers.map(({ content }) => content)).toEqual(
      ["one", "two", "three"].map((text) => [{ type: "text", text: `you said "${text}"` }]),
    );
  });
});

test.each([
  [undefined, "openaiModel: The argument is missing; expected options, such as { model, apiKey }."],
  ["gpt", 'openaiModel: The argument is "gpt"; expected options, such as { model, apiKey }.'],
  [
    { model: "m", baseUrl: "http://localhost" },
    "openaiModel: `baseUrl` is not an option; did you mean `baseURL`?",
  ],
])("it says which option is wrong: %j", (options, message) => {
  expect(() => openaiModel(options as never)).toThrow(message);
});

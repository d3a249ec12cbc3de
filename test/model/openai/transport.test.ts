// Both transports send the same request to the same address.
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createAgent } from "agentchart";
import { AgentError } from "../../../src/core/base/error.ts";
import { collect } from "../../../src/core/model/fold.ts";
import { openaiModel, type OpenAIModelOptions } from "../../../src/core/model/openai/index.ts";
import { ROOT } from "../../project/source-files.ts";
import { freshModules } from "../../support/fresh-modules.ts";
import { bodyOf, fetchOf, modelOf, never, request, TRANSPORTS } from "./replay.ts";

type Transport = (typeof TRANSPORTS)[number];
type Sent = { readonly url: string; readonly headers: Headers; readonly init: RequestInit };

/** What a model sends. */
async function sentBy(
  transport: Transport,
  options: Partial<OpenAIModelOptions> = {},
  extraHeaders: { readonly [name: string]: string } = {},
): Promise<Sent> {
  const sent: Sent[] = [];
  const spy: typeof fetch = async (input, init = {}) => {
    sent.push({ url: String(input), headers: new Headers(init.headers), init });
    return fetchOf(bodyOf("text-usage-last.chunks.txt"))(input);
  };
  const generate = { maxTokens: 7, ...(Object.keys(extraHeaders).length > 0 && { extraHeaders }) };
  await collect(modelOf(spy, { transport, ...options }), request({ options: generate }), { signal: never() });
  expect(sent).toHaveLength(1);
  return sent[0]!;
}

/** The error of a model over this fetch, without the instant that depends on the clock. */
async function failureBy(transport: Transport, fetch: typeof globalThis.fetch) {
  const thrown = await collect(modelOf(fetch, { transport, apiKey: "key-of-mine" }), request(), {
    signal: never(),
  }).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!AgentError.is(thrown)) throw new Error(`no AgentError: ${String(thrown)}`);
  const { retryAt, ...rest } = thrown.toJSON();
  return { ...rest, waits: retryAt !== undefined };
}

describe.each(TRANSPORTS)("by %s:", (transport) => {
  test.each([
    ["https://models.test/v1", "https://models.test/v1/chat/completions"],
    ["https://models.test/v1/", "https://models.test/v1/chat/completions"],
    ["https://models.test", "https://models.test/chat/completions"],
    ["https://models.test:8443/a%20b", "https://models.test:8443/a%20b/chat/completions"],
    [
      "https://it.openai.azure.com/openai/deployments/d?api-version=2024-10-21",
      "https://it.openai.azure.com/openai/deployments/d/chat/completions?api-version=2024-10-21",
    ],
  ])("the base URL %s is asked at %s", async (baseURL, url) => {
    expect((await sentBy(transport, { baseURL })).url).toBe(url);
  });

  test("an extra header replaces that of the model whatever its case, but not the type of the body", async () => {
    const { headers } = await sentBy(
      transport,
      { apiKey: "key-of-mine" },
      {
        Authorization: "Bearer other",
        "api-key": "azure",
        "OpenAI-Organization": "org",
        "OpenAI-Project": "proj",
        "Content-Type": "text/plain",
      },
    );
    const names = ["authorization", "api-key", "openai-organization", "openai-project", "content-type"];
    expect(names.map((name) => headers.get(name))).toEqual([
      "Bearer other",
      "azure",
      "org",
      "proj",
      "application/json",
    ]);
  });

  test.each([
    ["a failure of its own", (): unknown => new Error("boom"), "model/connection", "boom"],
    ["something that is not an error", (): unknown => "boom", "model/connection", "boom"],
    [
      "words about time",
      (): unknown => new Error("Operation timed out"),
      "model/timeout",
      "Operation timed out",
    ],
    [
      "an abort that nobody asked for",
      (): unknown => new DOMException("stop", "AbortError"),
      "model/timeout",
      "stop",
    ],
    [
      "the time limit of a signal",
      (): unknown => new DOMException("over", { name: "TimeoutError", cause: new Error("timeout") } as never),
      "model/timeout",
      "timeout",
    ],
  ])("a fetch that throws %s gives a retryable error", async (_, thrown, code, words) => {
    const error = await failureBy(transport, () => Promise.reject(thrown() as Error));
    expect(error).toMatchObject({ code, isRetryable: true });
    expect(error.message).toContain(words);
  });

  test("a key with a line end is refused where it is given, without showing the key", () => {
    const make = () => modelOf(fetchOf("{}"), { transport, apiKey: "key-of-mine\n-x" });
    expect(make).toThrow(expect.objectContaining({ code: "config/invalid" }));
    expect(make).not.toThrow("key-of-mine");
  });
});

type Asked = { readonly method: string; readonly url: string; readonly body: string };

/** A server that answers each path in its own way, with a fact of each request to it. */
async function serverOf(answer: (path: string, response: ServerResponse) => void) {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const { method = "", url = "" } = request;
    void text(request).then((body) => {
      asked.push({ method, url, body });
      answer(url, response);
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.close();
  });
  return { asked, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe.each(TRANSPORTS)("a redirect, by %s:", (transport) => {
  const extraHeaders = { "x-api-key": "key-of-mine" };
  const ask = (origin: string) =>
    collect(modelOf(fetch, { transport, baseURL: `${origin}/v1` }), request({ options: { extraHeaders } }), {
      signal: never(),
    });

  test.each([301, 302, 303, 307, 308])(
    "%i to another origin is refused, which is not asked",
    async (status) => {
      const other = await serverOf((_, response) => response.end());
      const server = await serverOf((_, response) =>
        response.writeHead(status, { location: `${other.origin}/v1/chat/completions?sig=1234` }).end(),
      );
      await expect(ask(server.origin)).rejects.toMatchObject({
        code: "model/bad-request",
        isRetryable: false,
        message: expect.stringMatching(
          new RegExp(
            `check baseURL. Reason: .*The server redirects to ${other.origin}/v1/chat/completions\\.$`,
          ),
        ) as unknown,
        data: { status, refused: "model" },
      });
      expect(other.asked).toEqual([]);
      expect(server.asked).toHaveLength(1);
    },
  );

  test.each([301, 302, 303])(
    "%i is refused within the origin, where it asks without the prompt",
    async (status) => {
      const server = await serverOf((_, response) => response.writeHead(status, { location: "/v2" }).end());
      await expect(ask(server.origin)).rejects.toMatchObject({ code: "model/bad-request" });
      expect(server.asked).toHaveLength(1);
    },
  );

  test.each([307, 308])("%i is followed within the origin with the whole request", async (status) => {
    const server = await serverOf((path, response) =>
      path === "/v2"
        ? response
            .writeHead(200, { "content-type": "text/event-stream" })
            .end(bodyOf("text-usage-last.chunks.txt"))
        : response.writeHead(status, { location: "/v2" }).end(),
    );
    await expect(ask(server.origin)).resolves.toMatchObject({ finishReason: "stop" });
    const [first, second] = server.asked;
    expect(second).toEqual({ ...first, url: "/v2" });
    expect(second!.body).not.toBe("");
  });

  test("redirects in a circle end", async () => {
    const server = await serverOf((path, response) => response.writeHead(307, { location: path }).end());
    await expect(ask(server.origin)).rejects.toMatchObject({ code: "model/bad-request" });
    expect(server.asked).toHaveLength(6);
  });
});

test("both send the same request, but for the headers in which the package describes itself", async () => {
  const [own, packaged] = await Promise.all(TRANSPORTS.map((each) => sentBy(each, {}, { "x-tenant": "t1" })));
  const described = /^(user-agent|x-stainless-.*)$/;
  const headersOf = ({ headers }: Sent) => [...headers].filter(([name]) => !described.test(name));
  expect(headersOf(own!)).toEqual(headersOf(packaged!));
  expect([own!.url, own!.init.body]).toEqual([packaged!.url, packaged!.init.body]);
  expect([own!.init.method?.toUpperCase(), packaged!.init.method?.toUpperCase()]).toEqual(["POST", "POST"]);
});

const BODIES = [
  "",
  " ",
  "no such voice",
  "<h1>Bad gateway</h1>",
  '"no such voice"',
  "0",
  "7",
  "null",
  "[]",
  '["no"]',
  "{}",
  '{"error":null,"message":"no such voice"}',
  '{"error":"no such voice"}',
  '{"error":{"message":"no such voice","code":"bad_voice","type":"invalid_request_error"}}',
  '{"error":{"message":{"text":"no such voice"}}}',
  '{"error":{"message":"quota","type":"insufficient_quota"}}',
  '{"error":{"message":"the context_length is exceeded"}}',
  '{"error":{"message":"key-of-mine is wrong"}}',
  '{"object":"error","message":"no such voice","code":"bad_voice"}',
  '[{"error":{"message":"no such voice","code":404}}]',
  '[{"message":"no such voice"}]',
  '{"detail":"no such voice"}',
];

test.each([400, 401, 403, 404, 408, 409, 413, 418, 422, 429, 500, 503])(
  "both give the same error for status %i, whatever the body",
  async (status) => {
    for (const body of BODIES)
      for (const headers of [{}, { "retry-after": "7", "x-request-id": "r-1", "x-should-retry": "true" }]) {
        const answer = async () => new Response(body, { status, headers });
        const [own, packaged] = await Promise.all(TRANSPORTS.map((each) => failureBy(each, answer)));
        expect(own).toEqual(packaged);
      }
  },
);

test("only a model that asks for the package loads it, with its first call", () => {
  const script = `
    import { registerHooks } from "node:module";
    let loaded = 0;
    registerHooks({
      load(url, context, next) {
        if (url.includes("/node_modules/openai/")) loaded++;
        return next(url, context);
      },
    });
    const { openaiModel } = await import("agentchart/openai");
    const body = 'data: {"choices":[{"delta":{"content":"yes"},"finish_reason":"stop"}]}\\n\\n';
    const fetch = async () => new Response(body, { headers: { "content-type": "text/event-stream" } });
    const { signal } = new AbortController();
    for (const transport of ["fetch", "openai"]) {
      const model = openaiModel({ model: "m", fetch, transport });
      const isLoadedBefore = loaded > 0;
      for await (const _ of model.stream({ messages: [], tools: [], options: {}, execution: {} }, { signal }));
      console.log(transport, isLoadedBefore, loaded > 0);
    }`;
  const args = ["--conditions=agentchart-source", "--input-type=module", "--eval", script];
  const printed = execFileSync(process.execPath, args, { encoding: "utf8", cwd: ROOT });
  expect(printed).toBe("fetch false false\nopenai false true\n");
});

test.each([
  [{ transport: "http" }, '`transport` is "http"; expected "fetch" or "openai".'],
  [{ transport: "fetch", client: { chat: {} } }, "`transport` is given together with `client`"],
])("it refuses %j", (options, words) => {
  expect(() => openaiModel({ model: "m", ...options } as never)).toThrow(words);
});

test("without the package `openai` only its transport fails, once, and says what to install", async () => {
  freshModules();
  vi.doMock("openai", () => {
    throw new Error("Cannot find package");
  });
  onTestFinished(() => {
    vi.doUnmock("openai");
  });
  const { openaiModel } = await import("agentchart/openai");
  let asked = 0;
  const fetch = async (): Promise<Response> => {
    asked++;
    return Response.json({ choices: [{ message: { content: "ok" }, finish_reason: "stop" }] });
  };
  const ask = (transport: "fetch" | "openai") =>
    createAgent({
      name: "a",
      model: openaiModel({ model: "m", apiKey: "k", fetch, transport }),
    }).call("Hi");
  await expect(ask("openai")).rejects.toMatchObject({
    code: "config/invalid",
    message: 'openaiModel with transport: "openai" needs the package openai: npm install openai',
  });
  expect(asked).toBe(0);
  expect((await ask("fetch")).text).toBe("ok");
});

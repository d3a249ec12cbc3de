// Nothing of the environment goes to a server that was named.
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { userMsg, type ChatModel } from "agentchart";
import { dashscopeModel, openaiEmbedder, openaiModel } from "agentchart/openai";
import { collect } from "../../../src/core/model/fold.ts";

/** What the packages and the providers call their keys and their settings. */
const ENVIRONMENT: { readonly [name: string]: string } = {
  OPENAI_API_KEY: "sk-environment-openai",
  OPENAI_ADMIN_KEY: "sk-environment-admin",
  OPENAI_ORG_ID: "org-environment",
  OPENAI_PROJECT_ID: "proj-environment",
  OPENAI_WEBHOOK_SECRET: "wh-environment",
  OPENAI_BASE_URL: "http://127.0.0.1:9/environment",
  OPENAI_CUSTOM_HEADERS: "x-environment: yes",
  OPENAI_LOG: "debug",
  AZURE_OPENAI_API_KEY: "az-environment",
  OPENAI_API_VERSION: "2026-environment",
  DASHSCOPE_API_KEY: "sk-environment-dashscope",
};

const requests: { readonly request: IncomingMessage; readonly body: string }[] = [];
const server = createServer((request, response) => {
  let body = "";
  request.on("data", (chunk) => (body += chunk));
  request.on("end", () => {
    requests.push({ request, body });
    const isEmbedding = request.url?.endsWith("/embeddings") === true;
    const said = isEmbedding
      ? { data: [{ index: 0, embedding: [1, 2] }] }
      : request.url?.endsWith("/responses") === true
        ? {
            id: "r",
            object: "response",
            status: "completed",
            output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "ok" }] }],
          }
        : { choices: [{ message: { content: "ok" }, finish_reason: "stop" }] };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(said));
  });
});
let baseURL = "";
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
});
afterAll(() => server.close());
beforeEach(() => {
  requests.length = 0;
  for (const [name, value] of Object.entries(ENVIRONMENT)) vi.stubEnv(name, value);
});

const signal = new AbortController().signal;
const ask = (model: ChatModel): Promise<unknown> =>
  collect(model, { messages: [userMsg("Hi")], tools: [], options: {}, execution: {} }, { signal });

type Keyed = { readonly baseURL: string; readonly apiKey?: string };

/** Everything of this package that sends a key, with the request that it makes. */
const FACTORIES: { readonly [name: string]: (options: Keyed) => Promise<unknown> } = {
  openaiModel: (options) => ask(openaiModel({ model: "m", ...options })),
  "openaiModel with the openai package": (options) =>
    ask(openaiModel({ model: "m", transport: "openai", ...options })),
  "openaiModel with Responses": (options) => ask(openaiModel({ model: "m", api: "responses", ...options })),
  openaiEmbedder: (options) =>
    openaiEmbedder({ model: "e", dimensions: 2, ...options }).embed(["a"], { kind: "query", signal }),
  dashscopeModel: (options) => ask(dashscopeModel({ model: "m", ...options })),
};

describe.each(Object.entries(FACTORIES))("%s", (name, run) => {
  test("sends nothing of the environment to a server that was named", async () => {
    await run({ baseURL, apiKey: " own-key " });
    const [sent] = requests;
    expect(sent?.request.headers.authorization).toBe("Bearer own-key");
    expect(sent?.request.headers).not.toHaveProperty("openai-organization");
    expect(sent?.request.headers).not.toHaveProperty("openai-project");
    expect(JSON.stringify([sent?.request.rawHeaders, sent?.request.url, sent?.body])).not.toMatch(
      /environment/,
    );
  });

  test("sends no key of the environment in place of none", async () => {
    const outcome = await (async () => run({ baseURL }))().then(
      () => "asked",
      (error: { readonly code?: string }) => error.code,
    );
    expect(outcome).toBe(name.startsWith("dashscope") ? "config/invalid" : "asked");
    expect(JSON.stringify(requests.map(({ request }) => request.rawHeaders))).not.toMatch(/environment/);
  });

  test.each(["", " ", "\n\t"])("refuses the empty key %j and says that it is empty", async (apiKey) => {
    await expect((async () => run({ baseURL, apiKey }))()).rejects.toMatchObject({
      code: "config/invalid",
      message: expect.stringMatching(/`apiKey` is empty/) as unknown,
    });
    expect(requests).toEqual([]);
  });
});

describe("DASHSCOPE_API_KEY", () => {
  const keyTo = async (options: object): Promise<string | null> => {
    let key: string | null = null;
    const model = dashscopeModel({
      model: "m",
      ...options,
      fetch: async (_, init) => {
        key = new Headers(init?.headers).get("authorization");
        return Response.json({ choices: [{ message: { content: "ok" }, finish_reason: "stop" }] });
      },
    });
    await ask(model);
    return key;
  };

  test.each([
    {},
    { region: "intl" },
    { region: "us" },
    { baseURL: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1" },
    { baseURL: "https://vpc.dashscope.aliyuncs.com/v1" },
  ])("goes to a server of DashScope: %j", async (options) => {
    expect(await keyTo(options)).toBe("Bearer sk-environment-dashscope");
  });

  test.each([
    "http://dashscope.aliyuncs.com/v1",
    "https://dashscope.aliyuncs.com.example.org/v1",
    "https://evil-dashscope.aliyuncs.com.evil/v1",
    "https://notdashscope.aliyuncs.com/v1",
    "https://dashscope.aliyuncs.com@example.org/v1",
    "https://example.org/dashscope.aliyuncs.com",
    "https://example.org?dashscope.aliyuncs.com",
    "https://oss.aliyuncs.com/v1",
    "http://localhost:11434/v1",
  ])("does not go to %s", (url) => {
    expect(() => dashscopeModel({ model: "m", baseURL: url })).toThrow(
      expect.objectContaining({ code: "config/invalid" }),
    );
  });

  test("is refused if it is empty", () => {
    vi.stubEnv("DASHSCOPE_API_KEY", "  ");
    expect(() => dashscopeModel({ model: "m" })).toThrow("DASHSCOPE_API_KEY is empty");
  });
});

test.each([undefined, "fetch", "openai"] as const)(
  "OpenAI is not asked without a key, and the error says what to give (transport %s)",
  async (transport) => {
    const model = openaiModel({ model: "gpt-x", transport });
    const asked = ask(model);
    await expect(asked).rejects.toMatchObject({
      code: "model/auth",
      isRetryable: false,
      message: expect.stringContaining("give `apiKey`, such as that of the variable OPENAI_API_KEY"),
    });
  },
);

// Models of DashScope: addresses, thinking, and what the server refuses.
import { afterEach, describe, expect, test, vi } from "vitest";
import { createAgent, userMsg, type GenerateOptions, type ModelRequest } from "agentchart";
import { dashscopeModel, type DashScopeModelOptions } from "agentchart/openai";
import { modelContract, type ModelBehaviour } from "agentchart/testing";
import { collect } from "../../../src/core/model/fold.ts";
import { never, request } from "./replay.ts";
import { modelRecordings } from "../../fixtures/recordings/model-recordings.ts";

afterEach(() => vi.unstubAllEnvs());

const tool = { name: "f", description: "does f", inputSchema: { type: "object", properties: {} } };

async function sent(
  options: Partial<DashScopeModelOptions>,
  generate: GenerateOptions = {},
  fields: Partial<ModelRequest> = {},
) {
  const seen: { url: string; headers: Headers; body: { readonly [field: string]: unknown } }[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const url = typeof input === "string" ? input : "?";
    seen.push({ url, headers: new Headers(init?.headers), body: JSON.parse(init?.body as string) });
    return Response.json({ choices: [{ message: { content: "ok" }, finish_reason: "stop" }] });
  };
  const model = dashscopeModel({ model: "qwen-plus", apiKey: "k", fetch, ...options });
  await collect(model, request({ tools: [tool], options: generate, ...fields }), { signal: never() });
  return seen[0]!;
}

describe("where requests go", () => {
  test.each([
    [{}, "https://dashscope.aliyuncs.com/compatible-mode/v1/chat/completions"],
    [{ region: "cn" }, "https://dashscope.aliyuncs.com/compatible-mode/v1/chat/completions"],
    [{ region: "intl" }, "https://dashscope-intl.aliyuncs.com/compatible-mode/v1/chat/completions"],
    [{ region: "us" }, "https://dashscope-us.aliyuncs.com/compatible-mode/v1/chat/completions"],
    [{ region: "us", baseURL: "https://gateway.test/v1" }, "https://gateway.test/v1/chat/completions"],
  ] as const)("%j goes to %s", async (options, url) => {
    expect((await sent(options)).url).toBe(url);
  });

  test("the key is that of the options, else DASHSCOPE_API_KEY", async () => {
    vi.stubEnv("DASHSCOPE_API_KEY", "env-key");
    expect((await sent({ apiKey: "own" })).headers.get("authorization")).toBe("Bearer own");
    let key: string | null = null;
    const model = dashscopeModel({
      model: "qwen-plus",
      fetch: async (_, init) => {
        key = new Headers(init?.headers).get("authorization");
        return Response.json({ choices: [{ message: { content: "ok" }, finish_reason: "stop" }] });
      },
    });
    await createAgent({ name: "a", model }).call("q");
    expect(key).toBe("Bearer env-key");
  });

  test("no key is refused with the name of the variable", () => {
    vi.stubEnv("DASHSCOPE_API_KEY", "");
    expect(() => dashscopeModel({ model: "qwen-plus" })).toThrow("set DASHSCOPE_API_KEY");
  });
});

describe("thinking and search", () => {
  test.each([
    [{}, {}, {}],
    [{ thinking: true }, {}, { enable_thinking: true }],
    [{ thinking: false }, {}, { enable_thinking: false }],
    [{ thinking: { budget: 50 } }, {}, { enable_thinking: true, thinking_budget: 50 }],
    [{ thinking: true }, { thinkingBudget: 0 }, { enable_thinking: false }],
    [{ thinking: { budget: 50 } }, { thinkingBudget: 9 }, { enable_thinking: true, thinking_budget: 9 }],
    [{ search: true }, {}, { enable_search: true }],
    [
      { search: { forced_search: true } },
      {},
      { enable_search: true, search_options: { forced_search: true } },
    ],
    [{ search: true }, { extraBody: { enable_search: false } }, { enable_search: false }],
  ])("%j with %j sends %j", async (options, generate, expected) => {
    const { body } = await sent(options, generate);
    const names = ["enable_thinking", "thinking_budget", "enable_search", "search_options"];
    expect(Object.fromEntries(Object.entries(body).filter(([name]) => names.includes(name)))).toEqual(
      expected,
    );
  });
});

describe("tool choices that the server refuses", () => {
  const named = { type: "function", function: { name: "f" } };
  test.each([
    [{}, { toolChoice: "required" }, "auto"],
    [{}, { toolChoice: "none" }, "none"],
    [{}, { toolChoice: { name: "f" } }, named],
    [{ thinking: true }, { toolChoice: { name: "f" } }, "auto"],
    [{}, { toolChoice: { name: "f" }, thinkingBudget: 9 }, "auto"],
    [{ thinking: true }, { toolChoice: { name: "f" }, thinkingBudget: 0 }, named],
  ] as const)("%j with %j is %j", async (options, generate, wire) => {
    expect((await sent(options, generate)).body["tool_choice"]).toEqual(wire);
  });
});

test("sounds are data URLs, and media in results are text", async () => {
  const wav = { type: "audio", source: { type: "base64", mediaType: "audio/wav", data: "UklG" } } as const;
  const messages: ModelRequest["messages"] = [
    userMsg("", { content: [wav] }),
    { ...userMsg(""), role: "assistant", content: [{ type: "tool_use", id: "c", name: "f", input: {} }] },
    {
      ...userMsg(""),
      role: "tool",
      content: [{ type: "tool_result", id: "c", name: "f", output: [wav], state: "success" }],
    },
  ];
  const { body } = await sent({}, {}, { messages });
  expect(body["messages"]).toMatchObject([
    { content: [{ type: "input_audio", input_audio: { data: "data:;base64,UklG", format: "wav" } }] },
    {},
    { role: "tool", content: "[audio, audio/wav: not shown]" },
  ]);
});

test.each([
  [{ model: "" }, "the name of a model"],
  [{ model: "m", region: "eu" }, "region"],
  [{ model: "m", thinking: { budget: 0 } }, "thinking"],
  [{ model: "m", temperature: 1 }, "temperature"],
])("%j is refused when the model is made", (options, words) => {
  expect(() => dashscopeModel({ apiKey: "k", ...options } as never)).toThrow(words);
});

const answered = (message: object, finish_reason: string) =>
  Response.json({
    id: "r",
    choices: [{ index: 0, message, finish_reason }],
    usage: { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 },
  });
const call = (id: string, a: number, b: number) => ({
  id,
  type: "function",
  function: { name: "add", arguments: JSON.stringify({ a, b }) },
});
const behaviours: { readonly [B in ModelBehaviour]: () => Response } = {
  answers: () => answered({ content: "Hello world" }, "stop"),
  callsTools: () => answered({ content: "", tool_calls: [call("c1", 1, 2), call("c2", 3, 4)] }, "tool_calls"),
  failsRetryably: () => Response.json({ error: { message: "busy", code: "Throttling" } }, { status: 429 }),
  hangs: () => {
    const chunk = 'data: {"choices":[{"delta":{"content":"and"}}]}\n\n';
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode(chunk)),
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  },
};
modelContract(
  "dashscopeModel",
  (behaviour) => ({
    model: dashscopeModel({ model: "qwen-plus", apiKey: "k", fetch: async () => behaviours[behaviour]() }),
  }),
  {
    describe,
    test,
    recordings: modelRecordings.filter(({ provider }) => provider === "Alibaba"),
    over: (fetch) => dashscopeModel({ model: "qwen-plus", apiKey: "k", fetch }),
  },
);

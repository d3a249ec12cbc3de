// The emulated hosts refuse what real hosts refuse.
import { describe, expect, test } from "vitest";
import { createAgent, defineTool } from "agentchart";
import { openaiModel } from "agentchart/openai";
import { EMULATED_HOSTS, emulateHost, hostRefusal, type EmulatedHost } from "agentchart/testing";

const call = (id: string, name = "f") => ({ id, type: "function", function: { name, arguments: "{}" } });
const user = { role: "user", content: "go" };
const asked = (id: string, more: object = {}) => [
  user,
  { role: "assistant", content: "", reasoning_content: "hm", tool_calls: [call(id)], ...more },
  { role: "tool", tool_call_id: id, content: "ok" },
];
const chat = (messages: readonly object[], more: object = {}): object => ({
  model: "m",
  stream_options: {},
  messages,
  ...more,
});
const tool = (parameters: unknown, more: object = {}): object => ({
  type: "function",
  function: { name: "f", description: "d", parameters, ...more },
});
const offering = (parameters: unknown, more: object = {}): object =>
  chat([user], { tools: [tool(parameters, more)] });
const many = (count: number): object =>
  chat([user], {
    tools: Array.from({ length: count }, (_, index) =>
      tool({ type: "object", properties: {} }, { name: `t${index}` }),
    ),
  });
const property = (schema: unknown): object => offering({ type: "object", properties: { a: schema } });

const EVERY = EMULATED_HOSTS;

/** A body, who refuses it, and in about which words. All others take it. */
const REFUSED: readonly (readonly [
  what: string,
  body: object,
  by: readonly EmulatedHost[],
  words: RegExp,
])[] = [
  [
    "an id of 24 characters",
    chat(asked("call_PTLP8xhu3uwZk4l3nln")),
    ["mistral"],
    /must be a-z, A-Z, 0-9, with a length of 9/,
  ],
  [
    "an id of 41 characters",
    chat(asked("a".repeat(41))),
    ["mistral", "openai", "azure", "openrouter"],
    /length/,
  ],
  ["an id with a colon", chat(asked("fun.f:001")), ["mistral", "anthropic"], /match|must be/],
  ["one id twice", chat([...asked("abcDEF123"), ...asked("abcDEF123")]), EVERY, /unique/],
  [
    "a user after results",
    chat([...asked("abcDEF123"), user]),
    ["mistral"],
    /Unexpected role 'user' after role 'tool'/,
  ],
  [
    "an answer at the end",
    chat([user, { role: "assistant", content: "so" }]),
    ["mistral", "anthropic", "gemini"],
    /last role|end with a user/,
  ],
  [
    "an answer at the start",
    chat([{ role: "assistant", content: "Hi" }, user]),
    ["mistral"],
    /must start with a user/,
  ],
  [
    "an empty answer",
    chat([user, { role: "assistant", content: "" }, user]),
    ["mistral", "anthropic"],
    /either content|non-whitespace/,
  ],
  [
    "calls without thinking",
    chat(asked("abcDEF123", { reasoning_content: undefined })),
    ["deepseek", "moonshot"],
    /reasoning_content/,
  ],
  [
    "129 tools",
    many(129),
    ["openai", "azure", "mistral", "deepseek", "moonshot", "groq", "openrouter"],
    /maximum length 128/,
  ],
  ["no schema", offering(undefined), EVERY.filter((host) => host !== "gemini"), /expected an object/],
  ["a schema without a type", offering({ properties: {} }), EVERY, /type/],
  ["a schema without properties", offering({ type: "object" }), EVERY, /missing properties/],
  [
    "a union at the top",
    offering({ type: "object", properties: {}, anyOf: [] }),
    EVERY,
    /'anyOf' at the top/,
  ],
  ["a list without items", property({ type: "array" }), EVERY, /missing items/],
  ["a schema that is true", property(true), EVERY, /not of type 'object'/],
  ["a reference that leads nowhere", property({ $ref: "#/$defs/gone" }), EVERY, /cannot be resolved/],
  [
    "required without a list",
    property({ type: "object", properties: {}, required: true }),
    EVERY,
    /not an array of strings/,
  ],
  ["a schema without a type inside", property({ description: "any" }), ["moonshot"], /type is not defined/],
  [
    "a type beside a union",
    property({ type: "string", anyOf: [{ type: "string" }] }),
    ["moonshot"],
    /when using anyOf/,
  ],
  ["numbers as values", property({ type: "integer", enum: [1] }), ["gemini"], /TYPE_STRING/],
  ["a lookahead", property({ type: "string", pattern: "(?=x)" }), ["llama.cpp"], /grammar/],
  [
    "a name with a dot",
    offering({ type: "object", properties: {} }, { name: "a.b" }),
    EVERY.filter((host) => host !== "gemini"),
    /Invalid function name/,
  ],
  [
    "a name that begins with a digit",
    offering({ type: "object", properties: {} }, { name: "3d" }),
    ["gemini", "moonshot"],
    /Invalid function name/,
  ],
  [
    "a long description",
    offering({ type: "object", properties: {} }, { description: "a".repeat(1_025) }),
    ["openai", "azure", "groq", "openrouter"],
    /maximum length 1024/,
  ],
  [
    "an argument with a dollar",
    offering({ type: "object", properties: { $top: { type: "string" } } }),
    ["anthropic"],
    /Property keys/,
  ],
  [
    "a choice by name",
    chat([user], {
      tools: [tool({ type: "object", properties: {} })],
      tool_choice: { type: "function", function: { name: "f" } },
    }),
    ["lmstudio"],
    /Invalid tool_choice type/,
  ],
  [
    "a call without a result",
    chat([user, { role: "assistant", content: "", tool_calls: [call("abcDEF123")] }, user]),
    EVERY,
    /must be followed by tool messages/,
  ],
];

describe("the emulated hosts refuse what the hosts refuse, and nothing else:", () => {
  test.each(REFUSED)("%s", (_, body, by, words) => {
    const refusing = EMULATED_HOSTS.filter((host) => hostRefusal(host, body) !== undefined);
    expect(refusing.toSorted()).toEqual([...by].toSorted());
    for (const host of refusing) expect(hostRefusal(host, body)).toMatch(words);
  });

  test.each([
    [
      "an id of 65 characters",
      { input: [{ type: "function_call", call_id: "a".repeat(65), name: "f" }] },
      /maximum length 64/,
    ],
    [
      "a call without an output",
      { input: [{ type: "function_call", call_id: "a", name: "f" }] },
      /No tool output/,
    ],
    [
      "an output without a call",
      { input: [{ type: "function_call_output", call_id: "a" }] },
      /No tool call found/,
    ],
  ] as const)("OpenAI's Responses %s", (_, body, words) => {
    expect(hostRefusal("openai", body)).toMatch(words);
  });

  test.each([
    [
      "an answer at the end",
      [
        { role: "user", content: "a" },
        { role: "assistant", content: "b" },
      ],
      /prefill/,
    ],
    [
      "an answer at the start",
      [
        { role: "assistant", content: "b" },
        { role: "user", content: "a" },
      ],
      /first message/,
    ],
    ["an empty text", [{ role: "user", content: [{ type: "text", text: " " }] }], /non-whitespace/],
    [
      "an id with a dot",
      [
        { role: "user", content: "a" },
        { role: "assistant", content: [{ type: "tool_use", id: "a.b", name: "f" }] },
        { role: "user", content: "a" },
      ],
      /should match pattern/i,
    ],
  ] as const)("Anthropic's Messages %s", (_, messages, words) => {
    expect(hostRefusal("anthropic", { max_tokens: 1, messages })).toMatch(words);
  });

  test.each([
    [
      "an answer at the end",
      [
        { role: "user", parts: [{ text: "a" }] },
        { role: "model", parts: [{ text: "b" }] },
      ],
      /end with a user/,
    ],
    [
      "a call without its response",
      [
        { role: "user", parts: [{ text: "a" }] },
        { role: "model", parts: [{ functionCall: { name: "f" } }] },
        { role: "user", parts: [{ text: "b" }] },
      ],
      /number of function response parts/,
    ],
  ] as const)("Gemini's API %s", (_, contents, words) => {
    expect(hostRefusal("gemini", { contents })).toMatch(words);
  });
});

test("an emulated host answers, keeps the requests, and refuses with status 400 and a reason", async () => {
  const host = emulateHost("mistral");
  const model = openaiModel({ model: "m", baseURL: "https://api.mistral.ai/v1", fetch: host.fetch });
  expect((await createAgent({ name: "a", model }).call("Hello!")).text).toBe("Done.");
  expect(host.requests).toHaveLength(1);
  const wrong = openaiModel({
    model: "m",
    dialect: "plain",
    baseURL: "https://api.mistral.ai/v1",
    fetch: host.fetch,
  });
  const f = defineTool({ name: "f", description: "d", input: { type: "object" }, execute: () => "ok" });
  const agent = createAgent({ name: "a", model: wrong, tools: [f] });
  await agent.call("Hello!");
  await expect(agent.call()).rejects.toThrow(/Expected last role User or Tool/);
  expect(host.refusals).toEqual([expect.stringMatching(/^Expected last role/)]);
});

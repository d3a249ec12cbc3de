// The host of a model, its rules and its dialect.
import { describe, expect, test } from "vitest";
import fc from "../support/fast-check.ts";
import { openaiModel, toChatMessages, toChatRequest, type ChatMessage } from "agentchart/openai";
import { EMULATED_HOSTS, hostRefusal, type EmulatedHost } from "agentchart/testing";
import type { Msg } from "../../src/core/message/types.ts";
import type { DialectName } from "../../src/core/model/host-rules.ts";
import { DIALECT_NAMES, dialectOfProvider, HOSTS } from "../../src/core/model/hosts.ts";
import { dialectNameOf, dialectOf } from "../../src/core/model/openai/dialect.ts";
import { chatFormatOf } from "../../src/core/model/openai/to-chat-messages.ts";
import { chatRequestOf, chatRequestText } from "../../src/core/model/openai/to-chat-request.ts";
import { requestOfPieces } from "../../src/core/model/request.ts";
import { wireId } from "../../src/core/model/wire-ids.ts";
import { message, text, toolResult, toolUse } from "../../src/testing/explorer/messages.ts";

describe("the host of a model is recognised by the name of its server alone", () => {
  test.each<[string, string, DialectName]>([
    ["https://api.openai.com/v1", "gpt", "openai"],
    ["https://eu.api.openai.com/v1", "gpt", "openai"],
    ["https://me.openai.azure.com/openai/deployments/x?api-version=1", "gpt", "azure"],
    ["https://api.mistral.ai/v1", "mistral-large", "mistral"],
    ["https://codestral.mistral.ai/v1", "codestral", "mistral"],
    ["https://api.deepseek.com", "deepseek-chat", "deepseek"],
    ["https://api.moonshot.cn/v1", "kimi-k3", "moonshot"],
    ["https://api.kimi.com/coding/v1", "kimi-for-coding", "moonshot"],
    ["https://dashscope-us.aliyuncs.com/compatible-mode/v1", "qwen-plus", "dashscope"],
    ["https://api.groq.com/openai/v1", "llama", "groq"],
    ["https://api.x.ai/v1", "grok", "xai"],
    ["https://api.anthropic.com/v1", "claude", "anthropic"],
    ["https://generativelanguage.googleapis.com/v1beta/openai", "gemini", "gemini"],
    ["https://ollama.com/v1", "qwen3", "ollama"],
    ["https://openrouter.ai/api/v1", "openai/gpt", "openrouter"],
    ["https://openrouter.ai/api/v1", "mistralai/devstral", "openrouter/mistral"],
    ["https://api.cerebras.ai/v1", "llama", "cerebras"],
    ["https://api.perplexity.ai", "sonar", "perplexity"],
    ["http://127.0.0.1:11434/v1", "mistral", "plain"],
    ["https://gateway.example/api.mistral.ai/v1", "mistral", "plain"],
    ["https://api.mistral.ai.evil.test/v1", "mistral", "plain"],
    ["not a URL", "m", "plain"],
  ])("%s with the model %s is %s", (baseURL, model, name) => {
    expect(dialectNameOf({ baseURL, model })).toBe(name);
    expect(dialectNameOf({ baseURL, model, dialect: "vllm" })).toBe("vllm");
  });

  test.each<[string, DialectName]>([
    ["anthropic.messages", "anthropic"],
    ["vertex.anthropic.messages", "anthropic"],
    ["amazon-bedrock", "bedrock"],
    ["google.generative-ai", "gemini"],
    ["google.vertex.chat", "gemini"],
    ["openai.responses", "openai"],
    ["azure.chat", "azure"],
    ["mistral.chat", "mistral"],
    ["moonshotai.chat", "moonshot"],
    ["alibaba.chat", "dashscope"],
    ["xai.responses", "xai"],
    ["acme.chat", "plain"],
    ["mistralish.chat", "plain"],
  ])("the provider %s of the AI SDK is %s", (provider, name) => {
    expect(dialectOfProvider(provider, "m")).toBe(name);
  });

  test("a dialect that is not known is refused", () => {
    expect(() => openaiModel({ model: "m", dialect: "mistrall" as never })).toThrow(
      /`dialect` is "mistrall"/,
    );
  });
});

const IDS = fc.oneof(
  fc.uuid(),
  fc.stringMatching(/^call_[a-zA-Z0-9]{24}$/),
  fc.stringMatching(/^[a-zA-Z0-9]{9}$/),
  fc.stringMatching(/^functions\.[a-z_]{1,20}:\d{1,3}$/),
  fc.string({ minLength: 1, maxLength: 200 }),
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }),
  fc.uuid().map((id) => `${id}/call_1/${id}`),
);

test("whatever an id is, each host gets one that it takes: the same each time, another one for another id", () => {
  for (const name of DIALECT_NAMES) {
    const { ids } = HOSTS[name];
    fc.assert(
      fc.property(fc.uniqueArray(IDS, { minLength: 1, maxLength: 50 }), (all) => {
        const made = all.map((id) => wireId(id, ids));
        expect(new Set(made).size).toBe(all.length);
        expect(all.map((id) => wireId(id, ids))).toEqual(made);
        expect(made.map((id) => wireId(id, ids))).toEqual(made);
        for (const id of made) {
          if (ids.exactly !== undefined) expect(id).toHaveLength(ids.exactly);
          if (ids.most !== undefined) expect(id.length).toBeLessThanOrEqual(ids.most);
          if (ids.form === "alphanumeric") expect(id).toMatch(/^[a-zA-Z0-9]+$/);
          if (ids.form === "word") expect(id).toMatch(/^[a-zA-Z0-9_-]+$/);
        }
      }),
      { numRuns: 30 },
    );
  }
});

test("among 100,000 calls no two have the same id of nine characters", () => {
  const ids = Array.from({ length: 100_000 }, (_, index) => wireId(`call-${index}`, HOSTS.mistral.ids));
  expect(new Set(ids).size).toBe(100_000);
});

/** What a session may be made of: messages of users, of agents, and answers with calls and their results, in any order. */
const PARTS = fc.array(
  fc.constantFrom(
    "user",
    "empty user",
    "answer",
    "empty answer",
    "calls",
    "steered calls",
    "thought",
  ) as fc.Arbitrary<string>,
  { minLength: 1, maxLength: 14 },
);

function historyOf(parts: readonly string[]): readonly Msg[] {
  return parts.flatMap((part, index): Msg[] => {
    const id = `m${index}`;
    const call = {
      ...toolUse(`call_of_another_provider.${index}`),
      ...(index % 4 === 3 && { providerId: `p${index % 8}` }),
    };
    if (part === "user") return [message(id, "user", [text(`said ${index}`)])];
    if (part === "empty user") return [message(id, "user", [text("")])];
    if (part === "answer") return [message(id, "assistant", [text(`answer ${index}`)])];
    if (part === "empty answer") return [message(id, "assistant", [text("")])];
    if (part === "thought")
      return [message(id, "assistant", [{ type: "thinking", thinking: "hm" }, text("so")])];
    const calls = [
      message(id, "assistant", [call]),
      message(`${id}r`, "tool", [toolResult(call.id, "done")]),
    ];
    return part === "calls" ? calls : [...calls, message(`${id}u`, "user", [text("quickly")])];
  });
}

const HOST_OF: { readonly [name in DialectName]?: EmulatedHost } = {
  "openrouter/mistral": "mistral",
  plain: "openai",
};
const hostOf = (name: DialectName): EmulatedHost | undefined =>
  HOST_OF[name] ??
  (["cerebras", "perplexity", "bedrock"].includes(name) ? undefined : (name as EmulatedHost));

describe.each(DIALECT_NAMES)("%s", (dialect) => {
  const options = { model: "m", ...dialectOf("https://x.test", dialect), dialect };
  const wire = (messages: readonly Msg[]): ChatMessage[] => toChatMessages(messages, { dialect });

  test("takes any history that a session may have", () => {
    const host = hostOf(dialect);
    fc.assert(
      fc.property(PARTS, (parts) => {
        const request = { messages: historyOf(parts), tools: [], options: {}, execution: {} };
        const body = toChatRequest(request, { ...options, sendReasoning: options.sendReasoning });
        if (host && body.messages.length > 0) expect(hostRefusal(host, body)).toBeUndefined();
      }),
      { numRuns: 60 },
    );
  });

  test("gets requests of which each is the beginning of the next", () => {
    fc.assert(
      fc.property(PARTS, (parts) => {
        const all = historyOf(parts.filter((part) => part !== "empty answer"));
        // a request ends where the model is asked: not between a call and its result, nor after an answer unless it goes on
        const ends = all.flatMap(({ role }, index) =>
          role === "user" || role === "tool" ? [index + 1] : [],
        );
        const bodies = ends.map((end) => wire(all.slice(0, end)));
        for (const [index, body] of bodies.slice(0, -1).entries())
          expect(bodies[index + 1]!.slice(0, body.length)).toEqual(body);
      }),
      { numRuns: 40 },
    );
  });

  test("gets a request with an answer at its end as the beginning of the next", () => {
    const asked = [message("1", "user", [text("a")]), message("2", "assistant", [text("b")])];
    const [first, second] = [wire(asked), wire([...asked, message("3", "assistant", [text("c")])])];
    expect(second.slice(0, first.length)).toEqual(first);
  });

  test("gets the same request from pieces that were kept and from none", () => {
    const format = chatFormatOf(options, "x.test");
    fc.assert(
      fc.property(fc.array(PARTS, { minLength: 1, maxLength: 4 }), (pieces) => {
        const messages = pieces.map((parts, index) =>
          historyOf(parts).map((each) => ({ ...each, id: `${index}.${each.id}` })),
        );
        const rest = { tools: [], options: {}, execution: {} };
        const request = requestOfPieces(
          rest,
          messages.map((piece) => ({ messages: piece, known: {} })),
        );
        const expected = chatRequestOf({ ...rest, messages: messages.flat() }, options, format);
        for (const _ of [1, 2])
          expect(JSON.parse(chatRequestText(request, options, format))).toEqual(
            JSON.parse(JSON.stringify(expected)),
          );
      }),
      { numRuns: 20 },
    );
  });
});

/** The value with another one in the place of each of its parts, one after the other. */
function* mutants(value: unknown, other: unknown): Generator<unknown> {
  yield other;
  if (typeof value !== "object" || value === null) return;
  for (const [key, part] of Object.entries(value))
    for (const mutant of mutants(part, other))
      yield Array.isArray(value)
        ? value.map((each, index) => (String(index) === key ? mutant : each))
        : { ...value, [key]: mutant };
}

test("a request with anything in any place is refused or taken, and breaks no host", () => {
  const parameters = {
    type: "object",
    properties: { a: { anyOf: [{ type: "array", items: {} }] } },
    required: ["a"],
  };
  const call = { id: "a23456789", type: "function", function: { name: "f", arguments: "{}" } };
  const bodies: readonly object[] = [
    {
      model: "m",
      messages: [
        { role: "developer", content: "s" },
        { role: "user", content: [{ type: "text", text: "a" }] },
        { role: "assistant", content: null, tool_calls: [call] },
        { role: "tool", tool_call_id: call.id, content: "r" },
      ],
      tools: [{ type: "function", function: { name: "f", description: "d", parameters } }],
      tool_choice: { type: "function", function: { name: "f" } },
    },
    {
      messages: [
        { role: "user", content: "a" },
        { role: "assistant", content: [{ type: "tool_use", id: "t", name: "f", input: {} }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "t", is_error: true, content: "r" }] },
      ],
      tools: [{ name: "f", input_schema: parameters }],
    },
    {
      contents: [
        { role: "user", parts: [{ text: "a" }] },
        { role: "model", parts: [{ functionCall: { name: "f" } }] },
        { role: "user", parts: [{ functionResponse: { name: "f" } }] },
      ],
      tools: [{ functionDeclarations: [{ name: "f", parameters }] }],
    },
    {
      input: [
        { type: "function_call", call_id: "c", name: "f" },
        { type: "function_call_output", call_id: "c", output: "r" },
      ],
      tools: [{ type: "function", name: "f", parameters }],
    },
  ];
  const odd: unknown[] = [];
  for (const body of bodies)
    for (const other of [null, undefined, 1, "x", [], [null], {}])
      for (const mutant of mutants(body, other))
        if (typeof mutant === "object" && mutant !== null)
          for (const host of EMULATED_HOSTS)
            if (!["string", "undefined"].includes(typeof hostRefusal(host, mutant))) odd.push([host, mutant]);
  expect(odd).toEqual([]);
});

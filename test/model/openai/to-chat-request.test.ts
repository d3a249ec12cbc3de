// Requests of Chat Completions.
import { describe, expect, test } from "vitest";
import type { GenerateOptions } from "../../../src/core/model/port.ts";
import { toChatRequest } from "../../../src/core/model/openai/index.ts";
import { request } from "./replay.ts";

const tool = { name: "f", description: "does f", inputSchema: { type: "object", properties: {} } };
const withOptions = (options: GenerateOptions, baseURL = "http://127.0.0.1:1/v1") =>
  toChatRequest(request({ options, tools: [tool] }), { model: "m", baseURL });

test("the least there is to ask", () => {
  expect(toChatRequest(request(), { model: "m" })).toEqual({
    model: "m",
    messages: [{ role: "user", content: "Which ports?" }],
    stream: true,
    stream_options: { include_usage: true },
  });
});

describe("tools", () => {
  test("tools are functions", () => {
    expect(toChatRequest(request({ tools: [tool] }), { model: "m" }).tools).toEqual([
      { type: "function", function: { name: "f", description: "does f", parameters: tool.inputSchema } },
    ]);
  });

  test("without tools neither tools nor tool_choice is there", () => {
    const body = toChatRequest(request({ options: { toolChoice: "required" } }), { model: "m" });
    expect(Object.keys(body)).not.toContain("tools");
    expect(Object.keys(body)).not.toContain("tool_choice");
  });

  test.each([
    ["auto", "auto"],
    ["none", "none"],
    ["required", "required"],
    [{ name: "f" }, { type: "function", function: { name: "f" } }],
  ] as const)("tool choice %j", (toolChoice, wire) => {
    expect(withOptions({ toolChoice }).tool_choice).toEqual(wire);
  });
});

describe("options", () => {
  test("have their wire names", () => {
    const options = {
      temperature: 0,
      topP: 0.9,
      topK: 40,
      maxTokens: 99,
      frequencyPenalty: 1,
      presencePenalty: -1,
      seed: 7,
      stop: ["END"],
      reasoningEffort: "low",
    };
    expect(withOptions(options)).toMatchObject({
      temperature: 0,
      top_p: 0.9,
      top_k: 40,
      max_tokens: 99,
      frequency_penalty: 1,
      presence_penalty: -1,
      seed: 7,
      stop: ["END"],
      reasoning_effort: "low",
    });
  });

  test.each([
    ["https://api.openai.com/v1", undefined, "max_completion_tokens"],
    ["https://eu.api.openai.com/v1", undefined, "max_completion_tokens"],
    ["https://me.openai.azure.com/openai", undefined, "max_completion_tokens"],
    ["https://api.openai.com.evil.test/v1", undefined, "max_tokens"],
    ["http://localhost:11434/v1", undefined, "max_tokens"],
    ["http://localhost:11434/v1", "max_completion_tokens", "max_completion_tokens"],
  ] as const)("the token limit for %s with %s is %s, and only that", (baseURL, maxTokensField, field) => {
    const body = toChatRequest(request({ options: { maxTokens: 5 } }), {
      model: "m",
      baseURL,
      ...(maxTokensField && { maxTokensField }),
    });
    expect(Object.keys(body).filter((key) => key.startsWith("max_"))).toEqual([field]);
  });

  test.each([
    ["https://api.openai.com/v1", undefined, "s-1"],
    ["https://me.openai.azure.com/openai", undefined, "s-1"],
    ["https://api.moonshot.ai/v1", undefined, "s-1"],
    ["http://127.0.0.1:11434/v1", undefined, "s-1"],
    ["https://api.mistral.ai/v1", undefined, undefined],
    ["https://api.groq.com/openai/v1", undefined, undefined],
    ["https://api.groq.com/openai/v1", true, "s-1"],
    ["https://api.openai.com/v1", false, undefined],
  ])("the cache key for %s with sendCacheKey %s is %s", (baseURL, sendCacheKey, key) => {
    const options = { model: "m", baseURL, ...(sendCacheKey !== undefined && { sendCacheKey }) };
    expect(toChatRequest(request({ sessionId: "s-1" }), options)["prompt_cache_key"]).toBe(key);
    expect(toChatRequest(request(), options)["prompt_cache_key"]).toBeUndefined();
  });

  test("a thinking budget turns thinking on, 0 turns it off", () => {
    expect(withOptions({ thinkingBudget: 500 })).toMatchObject({
      enable_thinking: true,
      thinking_budget: 500,
    });
    expect(withOptions({ thinkingBudget: 0 })).toMatchObject({ enable_thinking: false });
    expect(withOptions({ thinkingBudget: 0 })).not.toHaveProperty("thinking_budget");
  });

  test("extraBody wins over everything but messages and stream", () => {
    const extraBody = { temperature: 1, top_logprobs: 2, stream: false, messages: [], stream_options: null };
    expect(withOptions({ temperature: 0, extraBody })).toMatchObject({
      temperature: 1,
      top_logprobs: 2,
      stream: true,
      stream_options: null,
      messages: [{ role: "user" }],
    });
  });

  test("headers are not part of the body", () => {
    expect(JSON.stringify(withOptions({ extraHeaders: { "x-a": "b" } }))).not.toContain("x-a");
  });
});

test("an output schema is the response format", () => {
  const output = { name: "answer", schema: { type: "object" } };
  expect(toChatRequest(request({ output }), { model: "m" })["response_format"]).toEqual({
    type: "json_schema",
    json_schema: output,
  });
});

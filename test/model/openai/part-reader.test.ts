// The deltas that servers send, and which call a fragment belongs to.
import { describe, expect, test } from "vitest";
import { createFold } from "../../../src/core/model/fold.ts";
import { createPartReader } from "../../../src/core/model/openai/part-reader.ts";
import type { WireChunk, WireDelta, WireToolDelta } from "../../../src/core/model/openai/wire.ts";

const chunkOf = (delta: WireDelta): WireChunk => ({ id: "r", choices: [{ index: 0, delta }] });

const read = (...chunks: readonly WireChunk[]) => readFrom(undefined, ...chunks);

function readFrom(host: string | undefined, ...chunks: readonly WireChunk[]) {
  const reader = createPartReader(host);
  const fold = createFold({ newCallId: () => "own" });
  for (const chunk of chunks) for (const part of reader.read(chunk)) fold.push(part);
  for (const part of reader.finish()) fold.push(part);
  return fold.finish();
}

function callsOf(...fragments: readonly WireToolDelta[]) {
  const { content } = read(...fragments.map((fragment) => chunkOf({ tool_calls: [fragment] })));
  return content.filter((block) => block.type === "tool_use");
}

const part = (index: number | undefined, id: string, name: string, args: string): WireToolDelta => ({
  ...(index !== undefined && { index }),
  id,
  function: { name, arguments: args },
});

describe("which call a fragment belongs to", () => {
  test.each<[string, WireToolDelta[], unknown[]]>([
    [
      "the index decides",
      [part(0, "a", "f", "{"), part(1, "b", "g", "{"), part(0, "", "", "}"), part(1, "", "", "}")],
      ["f", "g"],
    ],
    [
      "whole calls that all have index 0 are distinguished by their ids",
      [part(0, "a", "f", "{}"), part(0, "b", "f", "{}")],
      ["f", "f"],
    ],
    [
      "an id that changes without a name is not a new call",
      [part(0, "a", "f", "{"), part(0, "b", "", "}")],
      ["f"],
    ],
    [
      "id and name repeated in every delta are one call",
      [part(0, "a", "f", "{"), part(0, "a", "f", "}")],
      ["f"],
    ],
    [
      "without index the id decides",
      [part(undefined, "a", "f", "{"), part(undefined, "b", "g", "{}"), part(undefined, "a", "", "}")],
      ["f", "g"],
    ],
    [
      "without index and id a nameless fragment goes to the newest call",
      [part(undefined, "a", "f", "{"), part(undefined, "", "", "}")],
      ["f"],
    ],
    [
      "without index and id another name is a new call",
      [part(undefined, "", "f", "{}"), part(undefined, "", "g", "{}")],
      ["f", "g"],
    ],
    [
      "without index and id a repeated name goes on until the arguments are whole",
      [part(undefined, "", "f", '{"a":{}'), part(undefined, "", "f", "}"), part(undefined, "", "f", "{}")],
      ["f", "f"],
    ],
    [
      "without index an id that comes late belongs to the call without one",
      [part(undefined, "", "f", "{"), part(undefined, "a", "", "}")],
      ["f"],
    ],
  ])("%s", (_, fragments, names) => {
    const calls = callsOf(...fragments);
    expect(calls.map(({ name }) => name)).toEqual(names);
    expect(calls.filter(({ rawInput }) => rawInput !== undefined)).toEqual([]);
  });
});

describe("what servers put into deltas", () => {
  test("arguments may be an object", () => {
    expect(callsOf({ index: 0, id: "a", function: { name: "f", arguments: { a: [1] } } })).toMatchObject([
      { name: "f", input: { a: [1] } },
    ]);
  });

  test("arguments that are an array are kept as text, which the tool refuses", () => {
    expect(callsOf({ index: 0, id: "a", function: { name: "f", arguments: [1] } })).toMatchObject([
      { name: "f", input: {}, rawInput: "[1]" },
    ]);
  });

  test("null wherever it is allowed is nothing", () => {
    const delta = {
      content: null,
      reasoning_content: null,
      reasoning: null,
      refusal: null,
      tool_calls: null,
    };
    expect(
      read({ choices: null, usage: null }, { id: null, choices: [{ delta: null }] }, chunkOf(delta)).content,
    ).toEqual([]);
  });

  test("content in parts is text and thinking", () => {
    const { content } = read(
      chunkOf({ content: [{ type: "thinking", thinking: [{ text: "h" }, { text: "m" }] }] }),
      chunkOf({ content: [{ type: "text", text: "yes" }] }),
    );
    expect(content).toEqual([
      { type: "thinking", thinking: "hm", opaque: { openai: { field: "content" } } },
      { type: "text", text: "yes" },
    ]);
  });

  test("content in parts keeps its order, and parts of other kinds are data of the provider", () => {
    const thought = (text: string) => ({ type: "thinking", thinking: [{ type: "text", text }] });
    const reference = { type: "reference", reference_ids: [1] };
    const opaque = { openai: { host: "api.test", field: "content" } };
    const deltas = [
      { content: [thought("a")] },
      { content: [thought("b"), { type: "text", text: "c" }] },
      { content: "d" },
      { content: [reference, { type: "text", text: "e" }, thought("f")] },
      { content: "g" },
    ];
    expect(readFrom("api.test", ...deltas.map(chunkOf)).content).toEqual([
      { type: "thinking", thinking: "ab", opaque },
      { type: "text", text: "cd" },
      {
        type: "provider",
        kind: "openai.content.reference",
        opaque: { openai: { host: "api.test", part: reference } },
      },
      { type: "text", text: "e" },
      { type: "thinking", thinking: "f", opaque },
      { type: "text", text: "g" },
    ]);
  });

  test("text and thinking are one block each, in the order in which they began", () => {
    const deltas = [
      { content: "a" },
      { reasoning_content: "b" },
      { content: "c" },
      { reasoning_content: "d" },
    ];
    expect(read(...deltas.map(chunkOf)).content).toEqual([
      { type: "text", text: "ac" },
      { type: "thinking", thinking: "bd" },
    ]);
  });

  test("images that the model made are media", () => {
    const images = [
      { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
      { type: "image_url", image_url: { url: "https://x.test/a.png" } },
    ];
    expect(read(chunkOf({ images })).content).toEqual([
      { type: "image", source: { type: "base64", mediaType: "image/png", data: "AAAA" } },
      { type: "image", source: { type: "url", url: "https://x.test/a.png" } },
    ]);
  });

  test("null among calls and parts is nothing", () => {
    const { content } = read(
      chunkOf({ tool_calls: [null, { index: 0, id: "a", function: { name: "f" } }] }),
      chunkOf({ content: [null, { type: "text", text: "yes" }] }),
    );
    expect(content).toMatchObject([{ id: "a" }, { text: "yes" }]);
  });

  describe("reasoning_details", () => {
    const said = (text: string, more: object = {}) => ({ type: "reasoning.text", text, index: 0, ...more });

    test("are kept with the thinking, pieces of one put together, its signature with it", () => {
      const { content } = read(
        chunkOf({ reasoning: "h", reasoning_details: [said("h", { signature: null })] }),
        chunkOf({ reasoning: "m", reasoning_details: [said("m")] }),
        chunkOf({ reasoning_details: [{ type: "reasoning.text", index: 0, signature: "s" }] }),
        chunkOf({ reasoning_details: [said("more"), { type: "reasoning.encrypted", data: "x", index: 1 }] }),
        chunkOf({ reasoning_details: [{ type: "reasoning.encrypted", data: "y", index: 1 }] }),
      );
      const reasoning_details = [
        said("hm", { signature: "s" }),
        said("more"),
        { type: "reasoning.encrypted", data: "x", index: 1 },
        { type: "reasoning.encrypted", data: "y", index: 1 },
      ];
      expect(content).toEqual([
        { type: "thinking", thinking: "hm", opaque: { openai: { field: "reasoning", reasoning_details } } },
      ]);
    });

    test("without a text are thinking that cannot be read", () => {
      const reasoning_details = [{ type: "reasoning.encrypted", data: "x" }];
      const { content } = read(chunkOf({ reasoning_details }), chunkOf({ content: "yes" }));
      expect(content).toEqual([
        { type: "thinking", thinking: "", opaque: { openai: { reasoning_details } } },
        { type: "text", text: "yes" },
      ]);
    });
  });

  test("only the first choice is read", () => {
    const choices = [
      { index: 1, delta: { content: "other" } },
      { index: 0, delta: { content: "first" } },
    ];
    expect(read({ choices }).content).toEqual([{ type: "text", text: "first" }]);
  });

  test("a signature that comes with a call is kept with it", () => {
    const extra_content = { google: { thought_signature: "s" } };
    const { content } = read(
      chunkOf({ tool_calls: [{ index: 0, id: "a", function: { name: "f" }, extra_content }] }),
    );
    expect(content).toMatchObject([{ opaque: { openai: { extra_content } } }]);
  });

  test.each([
    ["stop", "stop"],
    ["length", "length"],
    ["tool_calls", "tool_calls"],
    ["function_call", "tool_calls"],
    ["content_filter", "content_filter"],
    ["model_length", "length"],
    ["max_tokens", "length"],
    ["eos", "unknown"],
  ])("finish_reason %s is %s", (raw, reason) => {
    expect(read({ choices: [{ delta: {}, finish_reason: raw }] })).toMatchObject({
      finishReason: reason,
      raw,
    });
  });

  test("usage of strange values is not usage", () => {
    const usage = { prompt_tokens: -1, completion_tokens: Number.NaN, total_tokens: null };
    expect(read({ usage })).toEqual({ content: [], finishReason: "unknown" });
  });
});

describe("what servers say beside their answer", () => {
  test("citations, cost, tier, log probabilities and ids are metadata of the answer", () => {
    const citations = ["https://x.test"];
    const annotations = [{ type: "url_citation", url_citation: { url: "https://x.test" } }];
    const logprobs = { content: [{ token: "A", logprob: -0.1 }] };
    const answer = {
      id: "r-1",
      model: "sonar-2",
      service_tier: "flex",
      created: 7,
      citations,
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: "A[1]", annotations },
          logprobs,
          finish_reason: "stop",
        },
      ],
      usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3, cost: { total_cost: 0.01 } },
    };
    expect(read(answer)).toMatchObject({
      responseId: "r-1",
      metadata: {
        model: "sonar-2",
        service_tier: "flex",
        citations,
        annotations,
        logprobs,
        usage: { cost: { total_cost: 0.01 } },
      },
    });
    expect(Object.keys(read(answer).metadata!)).not.toContain("created");
  });

  test("lists that are sent in pieces are joined, and lists that are repeated with each chunk are not", () => {
    const piece = (content: string, url: string) => ({
      citations: ["https://x.test", "https://y.test"],
      choices: [
        { index: 0, delta: { content, annotations: [{ url }] }, logprobs: { content: [{ token: content }] } },
      ],
    });
    expect(read(piece("a", "x"), piece("b", "y")).metadata).toEqual({
      citations: ["https://x.test", "https://y.test"],
      annotations: [{ url: "x" }, { url: "y" }],
      logprobs: { content: [{ token: "a" }, { token: "b" }] },
    });
  });

  test("a field of any name is metadata", () => {
    const chunk = JSON.parse(
      '{"__proto__":{"a":1},"choices":[{"index":0,"delta":{"content":"x"}}]}',
    ) as WireChunk;
    const { metadata } = read(chunk, chunk);
    expect(JSON.stringify(metadata)).toBe('{"__proto__":{"a":1}}');
    expect((metadata as { readonly a?: unknown }).a).toBeUndefined();
  });

  test("the usage that Groq repeats is not metadata, its id is", () => {
    const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
    expect(read({ usage, x_groq: { id: "req_1", usage } } as WireChunk).metadata).toEqual({
      x_groq: { id: "req_1" },
    });
  });

  test.each([
    ["prompt_tokens_details.cached_tokens", { prompt_tokens_details: { cached_tokens: 10 } }, 10],
    ["cached_tokens", { cached_tokens: 10 }, 10],
    ["prompt_cache_hit_tokens", { prompt_cache_hit_tokens: 10 }, 10],
    ["num_cached_tokens", { num_cached_tokens: 10 }, 10],
    ["cache_read_input_tokens", { cache_read_input_tokens: 10 }, 10],
    ["none of them", {}, undefined],
  ])("cached tokens are read from %s", (_, fields, cached) => {
    const usage = { prompt_tokens: 20, completion_tokens: 30, total_tokens: 50, ...fields };
    expect(read({ usage }).usage).toEqual({
      inputTokens: 20,
      outputTokens: 30,
      ...(cached !== undefined && { cachedInputTokens: cached }),
    });
    expect(read({ choices: [{ index: 0, delta: {}, usage }] }).usage?.cachedInputTokens).toBe(cached);
  });

  test.each([
    ["prompt_tokens_details.cache_write_tokens", { prompt_tokens_details: { cache_write_tokens: 8 } }],
    [
      "prompt_tokens_details.cache_creation_input_tokens",
      { prompt_tokens_details: { cache_creation_input_tokens: 8 } },
    ],
    ["cache_creation_input_tokens", { cache_creation_input_tokens: 8 }],
  ])("tokens written to the cache are read from %s", (_, fields) => {
    const usage = { prompt_tokens: 20, completion_tokens: 30, ...fields };
    expect(read({ usage }).usage).toEqual({ inputTokens: 20, outputTokens: 30, cacheWriteTokens: 8 });
  });
});

// The usage that providers report, whole or in parts.
import { describe, expect, test } from "vitest";
import type { Usage } from "../../src/core/message/types.ts";
import { createSdkPartReader } from "../../src/core/model/ai-sdk/part-reader.ts";
import type { SdkUsage } from "../../src/core/model/ai-sdk/sdk-types.ts";
import { createFold } from "../../src/core/model/fold.ts";
import { createPartReader } from "../../src/core/model/openai/part-reader.ts";
import { createResponsesReader } from "../../src/core/model/openai/responses-reader.ts";
import { countOf, usageFrom, UsageSum, wholeUsage } from "../../src/core/model/usage.ts";
import fc from "../support/fast-check.ts";

/** What a request took: of the prompt what was new, read from the cache and written into it, and the answer. */
type Truth = { fresh: number; read: number; written: number; said: number; thought: number };

const tokens = fc.integer({ min: 0, max: 200_000 });
const truth: fc.Arbitrary<Truth> = fc.record({
  fresh: tokens.map((count) => count + 1),
  read: tokens,
  written: tokens,
  said: tokens.map((count) => count + 1),
  thought: tokens,
});

const wholeOf = ({ fresh, read, written, said, thought }: Truth) => ({
  prompt: fresh + read + written,
  answer: said + thought,
});

function usageOfChat(...usages: readonly object[]): Usage | undefined {
  const reader = createPartReader();
  const fold = createFold({ newCallId: () => "own" });
  for (const usage of usages) for (const part of reader.read({ choices: [], usage })) fold.push(part);
  return fold.finish().usage;
}

function usageOfResponses(usage: object): Usage | undefined {
  const reader = createResponsesReader();
  const fold = createFold({ newCallId: () => "own" });
  const response = { status: "completed", output: [], usage };
  for (const part of reader.read({ type: "response.completed", response } as never)) fold.push(part);
  return fold.finish().usage;
}

function usageOfSdk(usage: SdkUsage, providerMetadata?: { readonly anthropic: {} }): Usage | undefined {
  const part = { type: "finish", finishReason: "stop", usage, ...(providerMetadata && { providerMetadata }) };
  const fold = createFold({ newCallId: () => "own" });
  for (const each of createSdkPartReader("p").read(part)) fold.push(each);
  return fold.finish().usage;
}

/** Each form says enough to know what the prompt and the answer were. */
const FORMS: { readonly [form: string]: (truth: Truth) => Usage | undefined } = {
  "Chat Completions, all within the prompt and the answer": (of) => {
    const { prompt, answer } = wholeOf(of);
    return usageOfChat({
      prompt_tokens: prompt,
      completion_tokens: answer,
      total_tokens: prompt + answer,
      prompt_tokens_details: { cached_tokens: of.read, cache_write_tokens: of.written },
      completion_tokens_details: { reasoning_tokens: of.thought },
    });
  },
  "a gateway with cached tokens beside the prompt, and the total": (of) =>
    usageOfChat({
      prompt_tokens: of.fresh,
      completion_tokens: of.said + of.thought,
      total_tokens: of.fresh + of.read + of.written + of.said + of.thought,
      cache_read_input_tokens: of.read,
      cache_creation_input_tokens: of.written,
      completion_tokens_details: { reasoning_tokens: of.thought },
    }),
  "a gateway with cached tokens that are more than the prompt, without the total": (of) =>
    usageOfChat({
      prompt_tokens: of.fresh,
      completion_tokens: of.said + of.thought,
      prompt_tokens_details: { cached_tokens: of.read + of.fresh, cache_creation_input_tokens: of.written },
    }),
  "a gateway that passes Anthropic's names on": (of) =>
    usageOfChat({
      input_tokens: of.fresh,
      output_tokens: of.said + of.thought,
      cache_read_input_tokens: of.read,
      cache_creation_input_tokens: of.written,
    }),
  "counts as strings of digits": (of) =>
    usageOfChat({
      prompt_tokens: String(of.fresh + of.read + of.written),
      completion_tokens: String(of.said + of.thought),
      prompt_tokens_details: { cached_tokens: String(of.read), cache_write_tokens: String(of.written) },
    }),
  "reasoning beside the answer, and the total": (of) =>
    usageOfChat({
      prompt_tokens: of.fresh + of.read,
      completion_tokens: of.said,
      total_tokens: of.fresh + of.read + of.said + of.thought,
      completion_tokens_details: { reasoning_tokens: of.thought },
    }),
  Responses: (of) => {
    const { prompt, answer } = wholeOf(of);
    return usageOfResponses({
      input_tokens: prompt,
      output_tokens: answer,
      total_tokens: prompt + answer,
      input_tokens_details: { cached_tokens: of.read, cache_write_tokens: of.written },
      output_tokens_details: { reasoning_tokens: of.thought },
    });
  },
  "Responses of a gateway with cached tokens beside the prompt": (of) =>
    usageOfResponses({
      input_tokens: of.fresh,
      output_tokens: of.said,
      input_tokens_details: { cached_tokens: of.fresh + of.read, cache_creation_input_tokens: of.written },
    }),
  "AI SDK v2 of Anthropic": (of) =>
    usageOfSdk(
      { inputTokens: of.fresh, outputTokens: of.said + of.thought, cachedInputTokens: of.read },
      { anthropic: { cacheCreationInputTokens: of.written } },
    ),
  "AI SDK v2 of others": (of) =>
    usageOfSdk({
      inputTokens: of.fresh + of.read,
      outputTokens: of.said + of.thought,
      totalTokens: of.fresh + of.read + of.said + of.thought,
      cachedInputTokens: of.read,
      reasoningTokens: of.thought,
    }),
  "AI SDK v3 and v4": (of) =>
    usageOfSdk({
      inputTokens: {
        total: of.fresh + of.read + of.written,
        noCache: of.fresh,
        cacheRead: of.read,
        cacheWrite: of.written,
      },
      outputTokens: { total: of.said + of.thought, text: of.said, reasoning: of.thought },
    }),
  "AI SDK v3 and v4 without a total": (of) =>
    usageOfSdk({
      inputTokens: { total: undefined, noCache: of.fresh, cacheRead: of.read, cacheWrite: of.written },
      outputTokens: { total: of.said + of.thought },
    }),
};
/** The forms in which more is cached than was said to be the prompt. */
const MORE_IS_CACHED = /more than the prompt|Responses of a gateway/;
const WITHOUT_WRITES = /reasoning beside|v2 of others/;
const WITHOUT_THOUGHT = /Responses of a gateway/;

describe("the usage of a provider", () => {
  test.each(Object.keys(FORMS))("the prompt and the answer are known whole from %s", (form) => {
    fc.assert(
      fc.property(truth, (given) => {
        const of = { ...given, ...(WITHOUT_WRITES.test(form) && { written: 0 }) };
        const { prompt, answer } = wholeOf({ ...of, ...(WITHOUT_THOUGHT.test(form) && { thought: 0 }) });
        const cached = MORE_IS_CACHED.test(form) ? of.fresh : 0;
        expect(FORMS[form]!(of)).toMatchObject({ inputTokens: prompt + cached, outputTokens: answer });
      }),
    );
  });

  const anything = fc.oneof(
    fc.constantFrom(undefined, null, Number.NaN, Infinity, -1, "", "many", "12", "1e9", {}, [], true, 1e300),
    fc.integer({ min: 0, max: 1_000_000 }),
  );
  const said = fc.record({
    prompt_tokens: anything,
    completion_tokens: anything,
    total_tokens: anything,
    input_tokens: anything,
    output_tokens: anything,
    cache_read_input_tokens: anything,
    cache_creation_input_tokens: anything,
    cached_tokens: anything,
    prompt_tokens_details: fc.oneof(fc.constant(null), fc.record({ cached_tokens: anything })),
    completion_tokens_details: fc.oneof(fc.constant(null), fc.record({ reasoning_tokens: anything })),
  });

  test("whatever chunks say, parts are never more than the whole, and no count is below 0", () => {
    fc.assert(
      fc.property(fc.array(said, { maxLength: 4 }), (chunks) => {
        const usage = usageOfChat(...chunks) ?? {};
        for (const count of Object.values(usage)) expect(count).toBeGreaterThanOrEqual(0);
        const { inputTokens, outputTokens, cachedInputTokens = 0, cacheWriteTokens = 0 } = usage;
        if (inputTokens !== undefined)
          expect(inputTokens).toBeGreaterThanOrEqual(cachedInputTokens + cacheWriteTokens);
        if (outputTokens !== undefined)
          expect(outputTokens).toBeGreaterThanOrEqual(usage.reasoningTokens ?? 0);
      }),
    );
  });

  test("a whole usage stays as it is when it is made whole again", () => {
    fc.assert(
      fc.property(truth, fc.boolean(), ({ fresh, read, written, said: output, thought }, isBeside) => {
        const counts = {
          inputTokens: fresh,
          cachedInputTokens: read,
          cacheWriteTokens: written,
          outputTokens: output,
          reasoningTokens: thought,
        };
        const once = usageFrom(counts, isBeside)!;
        expect(wholeUsage(once)).toEqual(once);
      }),
    );
  });

  test.each([
    [12, 12],
    ["12", 12],
    [0, 0],
    [12.5, 13],
    [-1, undefined],
    [Number.NaN, undefined],
    [Infinity, undefined],
    [1e300, undefined],
    ["-1", undefined],
    ["1e9", undefined],
    ["", undefined],
    [null, undefined],
    [true, undefined],
  ])("a count of %j is %s", (value, count) => {
    expect(countOf(value)).toBe(count);
  });
});

describe("usage in several parts", () => {
  const sumOf = (...parts: readonly Usage[]): Usage => {
    const sum = new UsageSum();
    for (const part of parts) sum.add(part);
    return sum.all;
  };

  test.each<[string, Usage[], Usage]>([
    [
      "counts that grow",
      [{ outputTokens: 1 }, { outputTokens: 5 }, { outputTokens: 9 }],
      { outputTokens: 9 },
    ],
    [
      "counts that fall",
      [{ outputTokens: 5 }, { outputTokens: 1 }, { outputTokens: 3 }],
      { outputTokens: 9 },
    ],
    ["a last count of 0", [{ outputTokens: 50 }, { outputTokens: 0 }], { outputTokens: 50 }],
    [
      "the prompt in the first part, the answer in the last",
      [{ inputTokens: 500, outputTokens: 1 }, { outputTokens: 50 }],
      { inputTokens: 500, outputTokens: 50 },
    ],
    [
      "the same prompt in each part",
      [
        { inputTokens: 10, outputTokens: 1 },
        { inputTokens: 10, outputTokens: 2 },
      ],
      { inputTokens: 10, outputTokens: 2 },
    ],
    [
      "a prompt that is said once and then as 0",
      [
        { inputTokens: 500, outputTokens: 1 },
        { inputTokens: 0, outputTokens: 2 },
      ],
      { inputTokens: 500, outputTokens: 2 },
    ],
    [
      "cached tokens beside a prompt that comes later",
      [{ cachedInputTokens: 90_000 }, { inputTokens: 10, outputTokens: 2 }],
      { inputTokens: 90_010, cachedInputTokens: 90_000, outputTokens: 2 },
    ],
  ])("%s make one usage", (_, parts, whole) => {
    expect(sumOf(...parts)).toEqual(whole);
  });

  test("counts up to the whole end with it, and what was added is added up, unless it never falls", () => {
    const pieces = fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(pieces, (added) => {
        const total = added.reduce((sum, each) => sum + each, 0);
        let soFar = 0;
        const growing = added.map((each): Usage => ({ outputTokens: (soFar += each) }));
        expect(sumOf(...growing).outputTokens).toBe(total);
        const falls = added.some((each, index) => index > 0 && each < added[index - 1]!);
        const parts = added.map((outputTokens): Usage => ({ outputTokens }));
        expect(sumOf(...parts).outputTokens).toBe(falls ? total : Math.max(...added));
      }),
    );
  });
});

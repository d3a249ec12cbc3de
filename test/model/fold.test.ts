// The message to which a stream of parts folds.
import fc from "../support/fast-check.ts";
import { describe, expect, test } from "vitest";
import { AgentError } from "../../src/core/base/error.ts";
import type { Json } from "../../src/core/base/json.ts";
import { collect, createFold, type Fold, type FoldChunk } from "../../src/core/model/fold.ts";
import type { ChatModel, StreamPart } from "../../src/core/model/port.ts";

function foldOf(taken: readonly string[] = []): Fold {
  let calls = 0;
  return createFold({ newCallId: () => `own-${++calls}`, isTaken: (id) => taken.includes(id) });
}

function pushAll(fold: Fold, parts: readonly StreamPart[]): FoldChunk[] {
  return parts.flatMap((part) => fold.push(part) ?? []);
}

function contentOf(parts: readonly StreamPart[], taken: readonly string[] = []) {
  const fold = foldOf(taken);
  pushAll(fold, parts);
  return fold.finish().content;
}

const text = (delta: string): StreamPart => ({ type: "text.delta", delta });
const thinking = (delta: string): StreamPart => ({ type: "thinking.delta", delta });
const keyed = (
  type: "text" | "thinking",
  block: number | string,
  delta: string,
  opaque?: Json,
): StreamPart => ({
  type: `${type}.delta`,
  block,
  delta,
  ...(opaque !== undefined && { opaque }),
});
const call = (key: number | string, fields: object): StreamPart => ({ type: "tool.delta", key, ...fields });

describe("what a stream folds to", () => {
  test("blocks come as thinking, text, media, then calls as first seen", () => {
    const image = { type: "image", source: { type: "url", url: "https://x.test/a.png" } } as const;
    const parts: StreamPart[] = [
      call("b", { id: "2", name: "second" }),
      text("an"),
      { type: "media", block: image },
      thinking("hm"),
      call("a", { id: "1", name: "first" }),
      text("swer"),
      thinking("m"),
    ];
    expect(contentOf(parts)).toEqual([
      { type: "thinking", thinking: "hmm" },
      { type: "text", text: "answer" },
      image,
      { type: "tool_use", id: "2", name: "second", input: {} },
      { type: "tool_use", id: "1", name: "first", input: {} },
    ]);
  });

  test("with block keys, blocks stand in the order in which they were first seen, calls and media included", () => {
    const image = { type: "image", source: { type: "url", url: "https://x.test/a.png" } } as const;
    const data = { type: "provider", kind: "x.compaction", opaque: { id: 1 } } as const;
    const parts: StreamPart[] = [
      keyed("text", 0, "one"),
      keyed("thinking", 0, "first", { x: { signature: "s0" } }),
      call("b", { id: "2", name: "f" }),
      { type: "provider", block: data },
      keyed("thinking", "1", ""),
      keyed("text", 1, "two"),
      keyed("thinking", "1", "second", { x: { id: "a", signature: "s1" } }),
      { type: "ping" },
      { type: "media", block: image },
      keyed("thinking", "1", "", { x: { signature: "s2" } }),
      keyed("text", 0, "!"),
    ];
    expect(contentOf(parts)).toEqual([
      { type: "text", text: "one!" },
      { type: "thinking", thinking: "first", opaque: { x: { signature: "s0" } } },
      { type: "tool_use", id: "2", name: "f", input: {} },
      data,
      { type: "thinking", thinking: "second", opaque: { x: { id: "a", signature: "s2" } } },
      { type: "text", text: "two" },
      image,
    ]);
  });

  test("a key that only began is not a block", () => {
    expect(contentOf([keyed("text", 0, ""), keyed("thinking", 0, "")])).toEqual([]);
  });

  test("what the provider says beside the answer is its metadata", () => {
    const fold = foldOf();
    pushAll(fold, [{ type: "finish", reason: "stop", metadata: { citations: ["x"] } }]);
    expect(fold.finish().metadata).toEqual({ citations: ["x"] });
  });

  test("any interleaving of keyed parts folds as the parts of each key one after the other", () => {
    const kind = fc.constantFrom("text" as const, "thinking" as const);
    const piece = fc.record({
      delta: fc.string({ maxLength: 3 }),
      opaque: fc.option(fc.dictionary(fc.constantFrom("a", "b"), fc.nat(3)), { nil: undefined }),
    });
    const one = fc.record({ kind, pieces: fc.array(piece, { minLength: 1, maxLength: 4 }) });
    fc.assert(
      fc.property(fc.array(one, { maxLength: 5 }), fc.infiniteStream(fc.nat()), (blocks, choice) => {
        const queues = blocks.map(({ kind: type, pieces }, block) =>
          pieces.map(({ delta, opaque }) => keyed(type, block, delta, opaque)),
        );
        const expected = contentOf(queues.flat());
        const [starts, rests] = [queues.map(([first]) => first!), queues.map(([, ...rest]) => rest)];
        const mixed = [...starts];
        while (rests.some((rest) => rest.length > 0)) {
          const open = rests.filter((rest) => rest.length > 0);
          mixed.push(open[choice.next().value % open.length]!.shift()!);
        }
        expect(contentOf(mixed)).toEqual(expected);
      }),
    );
  });

  test("nothing folds to no content and an unknown finish reason", () => {
    expect(foldOf().finish()).toEqual({ content: [], finishReason: "unknown" });
  });

  test("usages are put together, and the finish keeps the provider's word and id", () => {
    const fold = foldOf();
    pushAll(fold, [
      { type: "usage", usage: { inputTokens: 1 } },
      { type: "usage", usage: { outputTokens: 2 } },
      { type: "finish", reason: "length", raw: "max_tokens", responseId: "r" },
    ]);
    expect(fold.finish()).toEqual({
      content: [],
      finishReason: "length",
      raw: "max_tokens",
      usage: { inputTokens: 1, outputTokens: 2 },
      responseId: "r",
    });
  });

  test("the last said opaque data of a block is kept, also without text", () => {
    expect(
      contentOf([
        { type: "thinking.delta", delta: "", opaque: { signature: "a" } },
        { type: "text.delta", delta: "x", opaque: 1 },
        { type: "thinking.delta", delta: "", opaque: { signature: "b" } },
        text("y"),
        call(0, { id: "c", name: "f", opaque: null }),
      ]),
    ).toEqual([
      { type: "thinking", thinking: "", opaque: { signature: "b" } },
      { type: "text", text: "xy", opaque: 1 },
      { type: "tool_use", id: "c", name: "f", input: {}, opaque: null },
    ]);
  });

  test("lone surrogates become replacement characters in text, raw input and parsed input", () => {
    expect(
      contentOf([
        text("a\ud800"),
        call(0, { id: "c", name: "f", args: '{"k\\udc00":["\\ud83d\\ude00","\\ud800"]}' }),
        call(1, { id: "d", name: "f", args: "\udfff{" }),
        call(2, { id: "e", name: "f", input: { deep: { text: "\ud800!" } } }),
      ]),
    ).toEqual([
      { type: "text", text: "a\ufffd" },
      { type: "tool_use", id: "c", name: "f", input: { "k\ufffd": ["😀", "\ufffd"] } },
      { type: "tool_use", id: "d", name: "f", input: {}, rawInput: "\ufffd{" },
      { type: "tool_use", id: "e", name: "f", input: { deep: { text: "\ufffd!" } } },
    ]);
  });

  test("a surrogate pair cut between two deltas stays one character", () => {
    expect(contentOf([text("\ud83d"), text("\ude00")])).toEqual([{ type: "text", text: "😀" }]);
  });
});

describe("arguments of a call", () => {
  const inputOf = (parts: readonly object[]) => {
    const [block] = contentOf(parts.map((fields) => call(0, { name: "f", ...fields })));
    return block?.type === "tool_use" ? [block.input, block.rawInput] : undefined;
  };

  test.each([
    [
      "complete raw text wins over parsed fragments",
      [{ args: '{"a":1' }, { args: "}", input: { a: null } }],
      [{ a: 1 }, undefined],
    ],
    [
      "parsed fragments merge, the later wins",
      [{ input: { a: 1, b: 1 } }, { input: { b: 2 } }],
      [{ a: 1, b: 2 }, undefined],
    ],
    [
      "fragments stand in for raw text that is cut off",
      [{ args: '{"a":', input: { a: 1 } }],
      [{ a: 1 }, undefined],
    ],
    ["text that is cut off is kept raw", [{ args: '{"a":' }], [{}, '{"a":']],
    [
      "a null in a later fragment keeps the value",
      [{ input: { a: 1 } }, { input: { a: null, b: null } }, { input: { b: 2 } }],
      [{ a: 1, b: 2 }, undefined],
    ],
    ["an object encoded twice is read", [{ args: JSON.stringify('{"a":1}') }], [{ a: 1 }, undefined]],
    [
      "an object encoded three times is kept raw",
      [{ args: JSON.stringify(JSON.stringify('{"a":1}')) }],
      [{}, JSON.stringify(JSON.stringify('{"a":1}'))],
    ],
    ["a string is not a JSON object", [{ args: '"x"' }], [{}, '"x"']],
    ["an array is not a JSON object", [{ args: "[1]" }], [{}, "[1]"]],
    ["null is not a JSON object", [{ args: "null" }], [{}, "null"]],
    ["a doubled object is not a JSON object", [{ args: "{}" }, { args: "{}" }], [{}, "{}{}"]],
    ["no text at all is an empty input", [{}, { args: "" }], [{}, undefined]],
    ["blank text is an empty input", [{ args: " \n" }], [{}, undefined]],
  ])("%s", (_, parts, expected) => {
    expect(inputOf(parts)).toEqual(expected);
  });

  test("a key named __proto__ is a key like any other", () => {
    const [block] = contentOf([call(0, { name: "f", args: '{"__proto__":{"x":1}}' })]);
    expect(JSON.stringify(block)).toContain('{"__proto__":{"x":1}}');
  });
});

describe("ids of calls", () => {
  const idsOf = (parts: readonly StreamPart[], taken: readonly string[] = []) =>
    contentOf(parts, taken).map((block) => (block.type === "tool_use" ? [block.id, block.providerId] : []));

  test("a free id of the provider is kept", () => {
    expect(idsOf([call(0, { id: "p", name: "f" })])).toEqual([["p", undefined]]);
  });

  test("an id the session has is replaced and kept for the wire", () => {
    expect(idsOf([call(0, { id: "p", name: "f" }), call(0, { id: "p" })], ["p"])).toEqual([["own-1", "p"]]);
  });

  test("an id repeated within the answer is replaced and kept for the wire", () => {
    expect(idsOf([call(0, { id: "p" }), call(1, { id: "p" })])).toEqual([
      ["p", undefined],
      ["own-1", "p"],
    ]);
  });

  test("an absent or empty id is replaced, and no provider id is kept", () => {
    expect(idsOf([call(0, { name: "f" }), call(1, { id: "", name: "f" })])).toEqual([
      ["own-1", undefined],
      ["own-2", undefined],
    ]);
  });

  test("an id that comes after the first delta does not change the id under which the call is known", () => {
    const fold = foldOf();
    const chunks = pushAll(fold, [call(0, { name: "f", args: "{" }), call(0, { id: "late", args: "}" })]);
    expect(chunks.map(({ callId }) => callId)).toEqual(["own-1", "own-1"]);
    expect(fold.finish().content).toEqual([
      { type: "tool_use", id: "own-1", name: "f", input: {}, providerId: "late" },
    ]);
  });

  test("the first non-empty id and the last non-empty name count", () => {
    expect(
      contentOf([
        call(0, { id: "1", name: "a" }),
        call(0, { id: "2", name: "b" }),
        call(0, { id: "", name: "" }),
      ]),
    ).toEqual([{ type: "tool_use", id: "1", name: "b", input: {} }]);
  });
});

describe("what listeners of a folded response receive", () => {
  test("text, thinking and every call have their own index, by first appearance", () => {
    expect(
      pushAll(foldOf(), [
        thinking("a"),
        text("b"),
        call(1, { id: "x", name: "f", args: "{" }),
        thinking("c"),
        call(1, { args: "}" }),
        text(""),
        call(0, { id: "y", name: "g" }),
      ]),
    ).toEqual([
      { index: 0, kind: "thinking", delta: "a", soFar: "a", start: true },
      { index: 1, kind: "text", delta: "b", soFar: "b", start: true },
      { index: 2, kind: "tool_use", delta: "{", soFar: "{", callId: "x", name: "f", start: true },
      { index: 0, kind: "thinking", delta: "c", soFar: "ac", start: false },
      { index: 2, kind: "tool_use", delta: "}", soFar: "{}", callId: "x", name: "f", start: false },
      { index: 3, kind: "tool_use", delta: "", soFar: "", callId: "y", name: "g", start: true },
    ]);
  });
});

describe("collect", () => {
  const modelOf = (parts: readonly StreamPart[], onEnd?: () => void): ChatModel => ({
    name: "scripted",
    async *stream() {
      yield* parts;
      onEnd?.();
    },
  });
  const request = { messages: [], tools: [], options: {}, execution: {} };

  test("gives the whole answer", async () => {
    const { signal } = new AbortController();
    const answer = await collect(modelOf([text("hi"), call(0, { name: "f" })]), request, { signal });
    expect(answer.content).toEqual([
      { type: "text", text: "hi" },
      { type: "tool_use", id: "call_1", name: "f", input: {} },
    ]);
  });

  test("a stream that an abort ended is not an answer", async () => {
    const controller = new AbortController();
    const model = modelOf([text("hi")], () => controller.abort());
    const error = await collect(model, request, { signal: controller.signal }).catch(
      (thrown: unknown) => thrown,
    );
    expect(AgentError.is(error) && error.code).toBe("run/aborted");
  });
});

test("however an answer is cut into parts, it folds to the same message and the deltas add up to it", () => {
  const answer = fc.record({
    thinking: fc.string({ unit: "binary" }),
    text: fc.string({ unit: "binary" }),
    calls: fc.array(
      fc.record({
        name: fc.string({ minLength: 1 }),
        input: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })),
      }),
      { maxLength: 4 },
    ),
  });
  fc.assert(
    fc.property(answer, fc.infiniteStream(fc.nat({ max: 6 })), (whole, cuts) => {
      const pieces = (value: string): string[] => {
        const out: string[] = [];
        for (let from = 0; from < value.length;) {
          const size = cuts.next().value ?? 1;
          out.push(value.slice(from, from + size));
          from += size;
        }
        return out;
      };
      const lanes: StreamPart[][] = [
        pieces(whole.thinking).map(thinking),
        pieces(whole.text).map(text),
        ...whole.calls.map(({ name, input }, key) => [
          call(key, { id: `id-${key}`, name }),
          ...pieces(JSON.stringify(input)).map((args) => call(key, { args })),
        ]),
      ];
      const order = whole.calls.map((_, key) => call(key, { id: `id-${key}` }));
      const fold = foldOf();
      const chunks = pushAll(fold, order);
      while (lanes.some((lane) => lane.length > 0)) {
        const open = lanes.filter((lane) => lane.length > 0);
        const part = open[(cuts.next().value ?? 0) % open.length]?.shift();
        if (part) chunks.push(...pushAll(fold, [part]));
      }
      const { content } = fold.finish();
      expect(content).toEqual([
        ...(whole.thinking === "" ? [] : [{ type: "thinking", thinking: whole.thinking.toWellFormed() }]),
        ...(whole.text === "" ? [] : [{ type: "text", text: whole.text.toWellFormed() }]),
        ...whole.calls.map(({ name, input }, key) => ({
          type: "tool_use",
          id: `id-${key}`,
          name: name.toWellFormed(),
          input: JSON.parse(JSON.stringify(input).toWellFormed()) as unknown,
        })),
      ]);
      for (const [index, of] of Map.groupBy(chunks, (chunk) => chunk.index)) {
        expect(of.map(({ delta }) => delta).join(""), `block ${index}`).toBe(of.at(-1)?.soFar);
        expect(of.map(({ start }) => start)).toEqual(of.map((_, at) => at === 0));
      }
    }),
  );
});

// The encoding of values that JSON cannot represent.
import fc from "../../support/fast-check.ts";
import { describe, expect, test } from "vitest";
import {
  encode,
  encodeToString,
  EncodeCache,
  FULL,
  PREVIEW,
  type EncodeLimits,
} from "../../../src/inspect/protocol/encode.ts";
import { applyPatch } from "../../../src/inspect/protocol/patch.ts";
import type { PatchOp } from "../../../src/inspect/protocol/protocol.ts";
import type { Json, JsonObject } from "../../../src/core/base/json.ts";

describe("encode", () => {
  test("describes values that JSON cannot represent", () => {
    const value = {
      big: 12n,
      nan: Number.NaN,
      when: new Date(0),
      never: new Date(Number.NaN),
      map: new Map<unknown, unknown>([
        ["a", 1],
        [{}, 2],
      ]),
      set: new Set([1]),
      bytes: new Uint8Array(3),
      error: new TypeError("no"),
      run: () => 1,
      sign: Symbol("s"),
      absent: undefined,
      list: [undefined],
    };
    expect(encode(value)).toEqual({
      big: "12n",
      nan: "NaN",
      when: "1970-01-01T00:00:00.000Z",
      never: "[no date]",
      map: { a: 1, "[object]": 2 },
      set: [1],
      bytes: "[Uint8Array, 3 bytes]",
      error: { error: "TypeError", message: "no" },
      run: "[function]",
      sign: "[Symbol(s)]",
      list: [null],
    });
  });

  test("does not throw for cycles, deep nesting, throwing getters and throwing proxies", () => {
    const cycle: { self?: unknown; deep?: unknown } = {};
    cycle.self = cycle;
    let deep: unknown = 1;
    for (let depth = 0; depth < 10_000; depth++) deep = [deep];
    const hostile = Object.defineProperty({}, "x", {
      enumerable: true,
      get() {
        throw new Error("no");
      },
    });
    const proxy = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error("no");
        },
      },
    );
    const toJSON = {
      toJSON: () => {
        throw new Error("no");
      },
    };
    expect(encode({ cycle, hostile, proxy, toJSON })).toEqual({
      cycle: { self: "[cycle]" },
      hostile: "[unreadable]",
      proxy: "[unreadable]",
      toJSON: "[unreadable]",
    });
    expect(JSON.stringify(encode(deep))).toContain("[deeper]");
  });

  test("reads no more of a large collection than it shows", () => {
    let read = 0;
    const counted = function* <T>(make: (index: number) => T): Generator<T> {
      for (let index = 0; index < 1_000_000; index++) {
        read++;
        yield make(index);
      }
    };
    class Large extends Set<number> {
      override [Symbol.iterator] = () => counted((index) => index) as unknown as SetIterator<number>;
    }
    class Mapped extends Map<string, number> {
      override [Symbol.iterator] = () =>
        counted((index) => [`k${index}`, index] as [string, number]) as unknown as MapIterator<
          [string, number]
        >;
    }
    const text = encodeToString([new Large(), new Mapped()], { limits: { ...PREVIEW, nodes: 300 } });
    expect(text).toContain("[more]");
    expect(read).toBeLessThan(1_000);
    read = 0;
    expect(encodeToString(new Mapped(), { limits: PREVIEW })).toContain("[more]");
    expect(read).toBeLessThan(1_000);
  });

  test("encodes an object that appears twice without reporting a cycle", () => {
    const one = { a: 1 };
    expect(encode([one, one])).toEqual([{ a: 1 }, { a: 1 }]);
  });

  test("treats `__proto__` as an ordinary key, as applyPatch does", () => {
    const value = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"x":1}}') as Json;
    const encoded = encode(value) as JsonObject;
    expect(JSON.stringify(encoded)).toBe(JSON.stringify(value));
    const ops: PatchOp[] = [
      ["=", ["__proto__", "polluted"], true],
      ["=", ["__proto__"], { polluted: true }],
    ];
    expect(JSON.stringify(applyPatch({}, ops))).toBe('{"__proto__":{"polluted":true}}');
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test("replaces a long string by a blob and stores its text once", () => {
    const blobs = new Map<string, string>();
    const text = "ab".repeat(2_500_000);
    const encoded = encode([text, text], { keepBlob: (sha, whole) => void blobs.set(sha, whole) });
    const [sha] = [...blobs.keys()];
    const blob = { $blob: sha, length: 5_000_000, head: text.slice(0, 200) };
    expect(encoded).toEqual([blob, blob]);
    expect(blobs.get(sha!)).toBe(text);
  });

  test("returns the same JSON with and without a cache, for full values and previews", () => {
    const message = fc.record({
      id: fc.string(),
      content: fc.array(fc.record({ text: fc.string({ maxLength: 600 }), token: fc.string() }), {
        maxLength: 60,
      }),
      usage: fc.object({ withBigInt: true, withDate: true, withMap: true, withSet: true, maxDepth: 2 }),
    });
    fc.assert(
      fc.property(fc.array(message, { maxLength: 4 }), fc.boolean(), (messages, isPreviewFirst) => {
        const cache = new EncodeCache();
        const expectSame = (value: unknown, limits: EncodeLimits): void =>
          expect(encodeToString(value, { cache, limits })).toBe(encodeToString(value, { limits }));
        for (const each of [...messages, ...messages, { draft: messages, reply: messages[0] }])
          for (const limits of isPreviewFirst ? [PREVIEW, FULL] : [FULL, PREVIEW])
            expectSame(limits === PREVIEW ? { each } : each, limits);
      }),
      { numRuns: 200 },
    );
  });

  test("returns a value whole after a preview that has cut its texts, its depth or its cycle, with one cache", () => {
    const cache = new EncodeCache();
    const message = { id: "m", text: "x".repeat(500) };
    let deep: unknown = {
      text: "a text that is long enough to be worth caching, of more than 64 characters",
    };
    for (let level = 0; level < 12; level++) deep = { level, deep };
    const parent: { child?: unknown } = {};
    const child = {
      parent,
      text: "a text that is long enough to be worth caching, of more than 64 characters",
    };
    parent.child = child;
    for (const value of [message, deep, child]) {
      encode({ value }, { cache, limits: PREVIEW });
      expect(encode(value, { cache })).toEqual(encode(value));
    }
    encode(parent, { cache });
    expect(encode(child, { cache })).toEqual(encode(child));
  });

  test("limits a preview to 8 KB for any value", () => {
    const wide = Array.from({ length: 100_000 }, (_, index) => ({ index, text: "x".repeat(1_000) }));
    expect(
      JSON.stringify(encode({ wide, long: "y".repeat(1_000_000) }, { limits: PREVIEW })).length,
    ).toBeLessThan(8_192);
  });
});

test.each([
  ["a string by its toJSON", { toJSON: () => "sk-1" }],
  ["a long string by its toJSON", { toJSON: () => "sk-1".repeat(100_000) }],
  ["a string in an object", Object("sk-1") as object],
])("a token that is %s is not shown", (_, token) => {
  const shown = encodeToString({ token, text: "shown" }, { keepBlob: () => {} });
  expect(JSON.parse(shown)).toEqual({ token: "[redacted]", text: "shown" });
});

test("a number of tokens that has a toJSON is shown", () => {
  expect(encode({ tokens: { toJSON: () => 5 } })).toEqual({ tokens: 5 });
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { patchBetween } from "../../src/inspect/protocol/diff.ts";
import { encode, encodeText, KnownTexts, PREVIEW } from "../../src/inspect/protocol/encode.ts";
import { applyPatch } from "../../src/inspect/protocol/patch.ts";
import type { PatchOp } from "../../src/inspect/protocol/protocol.ts";
import { restoreHidden } from "../../src/inspect/client/restore-hidden.ts";
import { isSecret, namesSecret } from "../../src/inspect/protocol/secrets.ts";
import { Transcript } from "../../src/message/transcript.ts";
import type { Json, JsonObject } from "../../src/base/json.ts";
import type { Msg } from "../../src/message/types.ts";
import { userMsg } from "agentchart";

describe("any value becomes JSON", () => {
  test("what JSON cannot say is said in words", () => {
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

  test("a cycle, a depth without end, a getter and a proxy that throw do not", () => {
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

  test("the same object twice is no cycle", () => {
    const one = { a: 1 };
    expect(encode([one, one])).toEqual([{ a: 1 }, { a: 1 }]);
  });

  test("`__proto__` is a key like any other", () => {
    const value = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"x":1}}') as Json;
    const shown = encode(value) as JsonObject;
    expect(JSON.stringify(shown)).toBe(JSON.stringify(value));
    const ops: PatchOp[] = [
      ["=", ["__proto__", "polluted"], true],
      ["=", ["__proto__"], { polluted: true }],
    ];
    expect(JSON.stringify(applyPatch({}, ops))).toBe('{"__proto__":{"polluted":true}}');
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test("a long string leaves as a reference, and its text is kept once", () => {
    const kept = new Map<string, string>();
    const text = "ab".repeat(2_500_000);
    const shown = encode([text, text], { keep: (sha, whole) => void kept.set(sha, whole) });
    const [sha] = [...kept.keys()];
    const blob = { $blob: sha, length: 5_000_000, head: text.slice(0, 200) };
    expect(shown).toEqual([blob, blob]);
    expect(kept.get(sha!)).toBe(text);
  });

  test("what was shown a moment ago looks the same when it comes again, also in a preview", () => {
    const message = fc.record({
      id: fc.string(),
      content: fc.array(fc.record({ text: fc.string({ maxLength: 600 }), token: fc.string() }), {
        maxLength: 60,
      }),
      usage: fc.object({ withBigInt: true, withDate: true, withMap: true, withSet: true, maxDepth: 2 }),
    });
    fc.assert(
      fc.property(fc.array(message, { maxLength: 4 }), (messages) => {
        const known = new KnownTexts();
        for (const each of [...messages, ...messages, { draft: messages, reply: messages[0] }]) {
          expect(encodeText(each, { known })).toBe(encodeText(each));
          expect(encodeText({ each }, { known, limits: PREVIEW })).toBe(
            encodeText({ each }, { limits: PREVIEW }),
          );
        }
      }),
      { numRuns: 200 },
    );
  });

  test("a preview is small, whatever it is of", () => {
    const wide = Array.from({ length: 100_000 }, (_, index) => ({ index, text: "x".repeat(1_000) }));
    expect(
      JSON.stringify(encode({ wide, long: "y".repeat(1_000_000) }, { limits: PREVIEW })).length,
    ).toBeLessThan(8_192);
  });
});

describe("secrets", () => {
  test.each([
    "apiKey",
    "api_key",
    "OPENAI_API_KEY",
    "Authorization",
    "x-api-key",
    "password",
    "clientSecret",
    "accessToken",
    "set-cookie",
    "extraHeaders",
    "privateKey",
  ])("%s is one", (key) => expect(isSecret(key, "value")).toBe(true));

  test.each(["inputTokens", "outputTokens", "maxTokens", "key", "author", "text", "name"])(
    "%s is none",
    (key) => expect(isSecret(key, 12)).toBe(false),
  );

  test("is seen in arguments that are still coming", () => {
    expect(namesSecret('{"user":"a","passw')).toBe(false);
    expect(namesSecret('{"user":"a","password" : "h')).toBe(true);
  });

  test("stay hidden when they change, and come back when a person edits beside them", () => {
    const show = (value: unknown): string => encodeText(value);
    const before = { login: { user: "a", password: { old: "one" } } };
    const after = { login: { user: "b", password: { old: "two" } } };
    expect(patchBetween(before, after, { show })).toEqual([
      ["=", ["login", "user"], "b"],
      ["=", ["login", "password"], "[redacted]"],
    ]);
    const original = { user: "a", password: "p", long: "x".repeat(9_000), list: [{ token: "t" }] };
    const seen = encode(original, { keep: () => {} }) as JsonObject;
    expect(restoreHidden({ ...seen, user: "b" }, original)).toEqual({ ...original, user: "b" });
  });
});

describe("a patch", () => {
  const show = (value: unknown): string => encodeText(value);
  const through = (states: readonly JsonObject[]): void => {
    let context: JsonObject = {};
    let before: JsonObject | undefined;
    for (const state of states) {
      context = applyPatch(context, patchBetween(before, state, { show }));
      expect(context).toEqual(JSON.parse(JSON.stringify({ ...state, messages: [] })));
      before = state;
    }
  };

  test("leads from any state to the next", () => {
    const [a, b, c] = [{ id: "a" }, { id: "b" }, { id: "c" }];
    const long = "a text that is long enough to be appended to";
    through([
      { list: [], text: long, gone: 1, deep: { x: { y: 1 } } },
      { list: [a, b, c], text: `${long} more`, deep: { x: { y: 1, z: [1, 2] } } },
      { list: [b, c], text: "short", deep: { x: { z: [2] } } },
      { list: [c, a], text: null, deep: [] },
      { list: { now: "an object" }, deep: [{}] },
      { list: "", deep: {} },
    ]);
  });

  test("knows keys that every object has", () => {
    through([{ "": {} }, { valueOf: [] }, {}, { toString: "x", deep: { constructor: 1 } }, { deep: {} }]);
  });

  test("leads from any JSON to any other", () => {
    const key = fc.string().filter((name) => name !== "messages" && name !== "transcript");
    const states = fc.array(fc.dictionary(key, fc.jsonValue()), { minLength: 2, maxLength: 5 });
    fc.assert(
      fc.property(states, (all) => {
        fc.pre(!encodeText(all).includes("[redacted]"));
        through(all.map((each) => JSON.parse(JSON.stringify(each)) as JsonObject));
      }),
      { numRuns: 300 },
    );
  });

  test("costs what changed: append, drop from the start, append to a text", () => {
    const [a, b, c] = [{ id: "a" }, { id: "b" }, { id: "c" }];
    const text = "x".repeat(40);
    expect(patchBetween({ list: [a, b], text }, { list: [b, c], text: `${text}y` }, { show })).toEqual([
      ["-", ["list"], 1],
      ["+", ["list"], [c]],
      ["s", ["text"], "y"],
    ]);
    expect(patchBetween({ a, b }, { a, b }, { show })).toEqual([]);
  });

  test("shows the transcript as messages, also when one is put in between", () => {
    const [one, two, three] = ["1", "2", "3"].map((text) => userMsg(text)) as [Msg, Msg, Msg];
    const first = Transcript.of([one, three]);
    const second = first.insert(1, [two]);
    const third = second.replaceFrom(1, []);
    let context: JsonObject = {};
    for (const [before, after] of [
      [undefined, first],
      [first, second],
      [second, third],
    ] as const) {
      const from = before && { transcript: before };
      context = applyPatch(context, patchBetween(from, { transcript: after }, { show }));
      expect(context).toEqual({ messages: after.slice() });
    }
  });

  test("to a place that is not there changes nothing", () => {
    const context = { a: [1], b: "x" };
    const ops: PatchOp[] = [
      ["=", ["b", "c"], 1],
      ["+", ["b"], [1]],
      ["d", ["nothing"]],
      ["=", ["a", 9], 1],
      ["s", ["a"], "x"],
    ];
    expect(applyPatch(context, ops)).toEqual(context);
  });
});

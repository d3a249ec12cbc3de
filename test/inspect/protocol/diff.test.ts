// Patches between two contexts.
import fc from "../../support/fast-check.ts";
import { describe, expect, test } from "vitest";
import { patchBetween } from "../../../src/inspect/protocol/diff.ts";
import { encodeToString } from "../../../src/inspect/protocol/encode.ts";
import { applyPatch } from "../../../src/inspect/protocol/patch.ts";
import type { PatchOp } from "../../../src/inspect/protocol/protocol.ts";
import { Transcript } from "../../../src/core/message/transcript.ts";
import type { JsonObject } from "../../../src/core/base/json.ts";
import type { Msg } from "../../../src/core/message/types.ts";
import { userMsg } from "agentchart";

describe("patchBetween", () => {
  const serialize = (value: unknown): string => encodeToString(value);
  const checkPatches = (states: readonly JsonObject[]): void => {
    let context: JsonObject = {};
    let before: JsonObject | undefined;
    for (const state of states) {
      context = applyPatch(context, patchBetween(before, state, { serialize }));
      expect(context).toEqual(JSON.parse(JSON.stringify({ ...state, messages: [] })));
      before = state;
    }
  };

  test("gives patches that applyPatch turns into the next context", () => {
    const [a, b, c] = [{ id: "a" }, { id: "b" }, { id: "c" }];
    const long = "a text that is long enough to be appended to";
    checkPatches([
      { list: [], text: long, gone: 1, deep: { x: { y: 1 } } },
      { list: [a, b, c], text: `${long} more`, deep: { x: { y: 1, z: [1, 2] } } },
      { list: [b, c], text: "short", deep: { x: { z: [2] } } },
      { list: [c, a], text: null, deep: [] },
      { list: { now: "an object" }, deep: [{}] },
      { list: "", deep: {} },
    ]);
  });

  test("handles keys that Object.prototype has", () => {
    checkPatches([
      { "": {} },
      { valueOf: [] },
      {},
      { toString: "x", deep: { constructor: 1 } },
      { deep: {} },
    ]);
  });

  test("gives patches between any two JSON objects", () => {
    const key = fc.string().filter((name) => name !== "messages" && name !== "transcript");
    const states = fc.array(fc.dictionary(key, fc.jsonValue()), { minLength: 2, maxLength: 5 });
    fc.assert(
      fc.property(states, (all) => {
        fc.pre(!encodeToString(all).includes("[redacted]"));
        checkPatches(all.map((each) => JSON.parse(JSON.stringify(each)) as JsonObject));
      }),
      { numRuns: 300 },
    );
  });

  test("uses append and drop operations for arrays and strings that grew or shrank", () => {
    const [a, b, c] = [{ id: "a" }, { id: "b" }, { id: "c" }];
    const text = "x".repeat(40);
    expect(patchBetween({ list: [a, b], text }, { list: [b, c], text: `${text}y` }, { serialize })).toEqual([
      ["-", ["list"], 1],
      ["+", ["list"], [c]],
      ["s", ["text"], "y"],
    ]);
    expect(patchBetween({ a, b }, { a, b }, { serialize })).toEqual([]);
  });

  test("shows the transcript as `messages`, also after an insertion", () => {
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
      context = applyPatch(context, patchBetween(from, { transcript: after }, { serialize }));
      expect(context).toEqual({ messages: after.slice() });
    }
  });

  test("applyPatch ignores operations whose path does not exist", () => {
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

  test("redacts secrets that change", () => {
    const before = { login: { user: "a", password: { old: "one" } } };
    const after = { login: { user: "b", password: { old: "two" } } };
    expect(patchBetween(before, after, { serialize })).toEqual([
      ["=", ["login", "user"], "b"],
      ["=", ["login", "password"], "[redacted]"],
    ]);
  });
});

// The application of patches.
import { expect, test } from "vitest";
import { applyPatch } from "../../../src/inspect/protocol/patch.ts";
import type { JsonObject } from "../../../src/core/base/json.ts";
import type { PatchOp } from "../../../src/inspect/protocol/protocol.ts";

const before: JsonObject = {
  messages: [{ id: "a" }, { id: "b" }],
  progress: { turn: 1, stats: { calls: 2 } },
  text: "Hel",
  calls: [1, 2, 3],
};

test("applyPatch applies every kind of operation and copies nothing else", () => {
  const after = applyPatch(before, [
    ["=", ["progress", "turn"], 2],
    ["+", ["messages"], [{ id: "c" }]],
    ["s", ["text"], "lo"],
    ["-", ["calls"], 2],
    ["d", ["progress", "stats", "calls"]],
  ]);
  expect(after).toEqual({
    messages: [{ id: "a" }, { id: "b" }, { id: "c" }],
    progress: { turn: 2, stats: {} },
    text: "Hello",
    calls: [3],
  });
  expect((after["messages"] as unknown[])[0]).toBe((before["messages"] as unknown[])[0]);
  expect(before["text"]).toBe("Hel");
});

test("applyPatch replaces the context at an empty path, and sets and deletes elements of arrays", () => {
  expect(applyPatch({}, [["=", [], { a: [1, 2, 3] }]])).toEqual({ a: [1, 2, 3] });
  expect(applyPatch({ a: [1, 2, 3] }, [["=", ["a", 1], 9]])).toEqual({ a: [1, 9, 3] });
  expect(applyPatch({ a: [1, 2, 3] }, [["d", ["a", 1]]])).toEqual({ a: [1, 3] });
});

test("applyPatch treats __proto__ as an ordinary key", () => {
  const after = applyPatch({ a: {} }, [["=", ["a", "__proto__"], { isAdmin: true }]]);
  expect(Object.hasOwn(after["a"] as object, "__proto__")).toBe(true);
  expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  expect((after["a"] as { isAdmin?: boolean }).isAdmin).toBeUndefined();
});

test("applyPatch gives the same for operations at once and one after another, and changes neither the context nor values of operations", () => {
  const whole = Object.freeze({ progress: Object.freeze({ turn: 7 }) });
  const ops: readonly PatchOp[] = [
    ["=", ["text"], "H"],
    ["s", ["text"], "i"],
    ["d", ["calls"]],
    ["=", ["__proto__"], { isAdmin: true }],
    ["=", ["progress", "turn"], 2],
    ["d", ["missing"]],
    ["=", [], whole],
    ["=", ["progress", "turn"], 8],
    ["=", ["text"], "new"],
    ["=", ["length"], 0],
    ["d", ["text"]],
    ["=", [], [1, 2]],
    ["=", ["length"], -1],
    ["=", [1], 3],
    ["=", [2], 4],
    ["=", [], "text"],
    ["=", ["text"], "lost"],
  ];
  const frozen = Object.freeze(before);
  for (let count = 0; count <= ops.length; count++) {
    const some = ops.slice(0, count);
    const together = applyPatch(frozen, some);
    expect(together).toEqual(some.reduce((now, op) => applyPatch(now, [op]), frozen as JsonObject));
    expect(Object.getPrototypeOf({})).toBe(Object.prototype);
  }
  expect(whole).toEqual({ progress: { turn: 7 } });
  const same = applyPatch(frozen, [["d", ["missing"]]]);
  expect(same).toBe(frozen);
});

import { expect, test } from "vitest";
import { differences, pathText } from "../src/logic/diff.ts";
import { applyPatch } from "../../src/inspect/protocol/patch.ts";
import type { JsonObject } from "../src/wire/types.ts";

const before: JsonObject = {
  messages: [{ id: "a" }, { id: "b" }],
  progress: { turn: 1, stats: { calls: 2 } },
  text: "Hel",
  calls: [1, 2, 3],
};

test("each kind of change does what it says, and nothing else is copied", () => {
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

test("an empty path replaces the whole of context; a place in a list is set or taken out", () => {
  expect(applyPatch({}, [["=", [], { a: [1, 2, 3] }]])).toEqual({ a: [1, 2, 3] });
  expect(applyPatch({ a: [1, 2, 3] }, [["=", ["a", 1], 9]])).toEqual({ a: [1, 9, 3] });
  expect(applyPatch({ a: [1, 2, 3] }, [["d", ["a", 1]]])).toEqual({ a: [1, 3] });
});

test("a key named __proto__ is a key like any other", () => {
  const after = applyPatch({ a: {} }, [["=", ["a", "__proto__"], { isAdmin: true }]]);
  expect(Object.hasOwn(after["a"] as object, "__proto__")).toBe(true);
  expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  expect((after["a"] as { isAdmin?: boolean }).isAdmin).toBeUndefined();
});

test("differences name the deepest places that differ", () => {
  const after = applyPatch(before, [
    ["=", ["progress", "turn"], 2],
    ["+", ["messages"], [{ id: "c" }]],
    ["d", ["text"]],
  ]);
  const found = differences(before, after).map(({ path, kind }) => `${kind} ${pathText(path)}`);
  expect(found.toSorted()).toEqual(["added messages[2]", "changed progress.turn", "removed text"]);
  expect(differences(before, structuredClone(before))).toEqual([]);
});

test("a path is written as one would type it", () => {
  expect(pathText(["messages", 3, "content", 0, "text"])).toBe("messages[3].content[0].text");
  expect(pathText(["headers", "x y"])).toBe('headers["x y"]');
});

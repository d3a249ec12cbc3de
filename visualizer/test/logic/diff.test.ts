// Differences of two contexts.
import { expect, test } from "vitest";
import { applyPatch } from "../../../src/inspect/protocol/patch.ts";
import { differences, pathText } from "../../src/logic/diff.ts";
import type { JsonObject } from "../../src/wire/types.ts";

const before: JsonObject = {
  messages: [{ id: "a" }, { id: "b" }],
  progress: { turn: 1, stats: { calls: 2 } },
  text: "Hel",
  calls: [1, 2, 3],
};

test("differences returns the deepest paths that differ", () => {
  const after = applyPatch(before, [
    ["=", ["progress", "turn"], 2],
    ["+", ["messages"], [{ id: "c" }]],
    ["d", ["text"]],
  ]);
  const found = differences(before, after).map(({ path, kind }) => `${kind} ${pathText(path)}`);
  expect(found.toSorted()).toEqual(["added messages[2]", "changed progress.turn", "removed text"]);
  expect(differences(before, structuredClone(before))).toEqual([]);
});

test("pathText formats a path as JavaScript", () => {
  expect(pathText(["messages", 3, "content", 0, "text"])).toBe("messages[3].content[0].text");
  expect(pathText(["headers", "x y"])).toBe('headers["x y"]');
});

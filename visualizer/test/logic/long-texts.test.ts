// Long texts of which the page has only the beginnings: where they are, and which edits of them have no effect.
import { expect, test } from "vitest";
import { editedInPart, longTexts } from "../../src/logic/long-texts.ts";
import type { Json } from "../../src/wire/types.ts";

const LONG = { $blob: "a1", length: 1_000_000, head: "word" };
const INPUT = { to: "ann", text: LONG, list: [1, { note: LONG }] };

test("the long texts of arguments are found at any depth", () => {
  expect([...longTexts(INPUT)]).toEqual([
    ["text", LONG],
    ["list[1].note", LONG],
  ]);
  expect([...longTexts("short"), ...longTexts([null, {}])]).toEqual([]);
});

test.each<[string, Json, string | undefined]>([
  ["left alone", { ...INPUT, to: "ben" }, undefined],
  ["replaced by another text", { ...INPUT, text: "short" }, undefined],
  ["removed", { to: "ann", text: LONG }, undefined],
  ["changed in its beginning", { ...INPUT, text: { ...LONG, head: "words" } }, "text"],
  ["moved", { ...INPUT, list: [{ note: LONG }] }, "list[0].note"],
])("a long text that is %s", (_, edited, path) => {
  expect(editedInPart(edited, INPUT)).toBe(path);
});

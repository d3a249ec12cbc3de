// Words that differ in a comparison.
import { expect, test } from "vitest";
import { wordChanges } from "../../src/compare/word-changes.ts";

const written = (before: string, after: string): string =>
  wordChanges(before, after)
    .map(({ kind, text }) => ({ same: text, added: `[+${text}]`, removed: `[-${text}]` })[kind])
    .join("");

test.each([
  ["Pay 30 euros to Ada today.", "Pay 40 euros to Bob today.", "Pay [+40] euros to [+Bob] today."],
  ["the same", "the same", "the same"],
  ["", "new", "[+new]"],
  ["Be very brief.", "Be brief.", "Be [-very ]brief."],
])("of %j and %j each word that differs is told, also where several do", (before, after, expected) => {
  expect(written(before, after)).toBe(expected);
});

test("of texts that have hardly a word in common, the place is told in which they differ", () => {
  const text = (word: string): string =>
    `Begin. ${Array.from({ length: 1_000 }, (_, at) => `${word}${at}`).join(" ")} End.`;
  expect(wordChanges(text("a"), text("b")).map(({ kind }) => kind)).toEqual(["same", "added", "same"]);
});

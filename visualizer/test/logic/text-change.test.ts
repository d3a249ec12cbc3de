// The words that changed in a text.
import fc from "../../../test/support/fast-check.ts";
import { expect, test } from "vitest";
import { changedMiddle } from "../../src/logic/text-change.ts";

test.each([
  ["Prices are in euros.", "Prices are in dollars.", ["Prices are in ", "euros", "dollars", "."]],
  ["a b c", "a b c", ["a b c", "", "", ""]],
  ["", "new", ["", "", "new", ""]],
  ["Be brief.", "Be brief. Say hello.", ["Be brief.", "", " Say hello.", ""]],
  ["one two", "one one two", ["one ", "", "one ", "two"]],
  ["😀 yes", "😁 yes", ["", "😀", "😁", " yes"]],
])("of %j and %j only the changed words differ", (before, after, [begin, was, is, end]) => {
  expect(changedMiddle(before, after)).toEqual({ begin, before: was, after: is, end });
});

test("the parts are the two texts, and no character is cut in two", () => {
  const text = fc.array(fc.constantFrom("a", "b", " ", ".", "😀", "😁", "é")).map((parts) => parts.join(""));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const change = changedMiddle(before, after);
      expect(change.begin + change.before + change.end).toBe(before);
      expect(change.begin + change.after + change.end).toBe(after);
      for (const part of Object.values(change)) expect(part.isWellFormed()).toBe(true);
    }),
  );
});

// The text of arguments while it comes in pieces.
import fc from "../support/fast-check.ts";
import { describe, expect, test } from "vitest";
import { ArgumentText, isSameJson, type ArgumentState } from "../../src/core/model/argument-text.ts";

function stateOf(...pieces: readonly string[]): ArgumentState {
  const text = new ArgumentText();
  for (const piece of pieces) text.push(piece);
  return text.state;
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe("the text of arguments", () => {
  test("is whole as soon as it is JSON, and not before, wherever it is cut", () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.nat(), (json, one, other) => {
        const [from, to] = [one % (json.length + 1), other % (json.length + 1)].toSorted((a, b) => a - b);
        expect(stateOf(json.slice(0, from), json.slice(from, to), json.slice(to))).toBe("whole");
        const begun = json.slice(0, to);
        const expected = isJson(begun) ? "whole" : begun.trim() === "" ? "none" : "open";
        expect(stateOf(begun)).toBe(expected);
      }),
    );
  });

  test("is whole exactly where JSON.parse takes it, whatever characters are changed", () => {
    const character = fc.constantFrom(
      ...'{ } [ ] " , : \\ u 0 e + - . 1 t f n a'.split(" "),
      " ",
      "\n",
      "\u2028",
    );
    fc.assert(
      fc.property(
        fc.json(),
        fc.nat(),
        fc.nat(3),
        fc.array(character, { maxLength: 3 }),
        (json, place, drop, added) => {
          const at = place % (json.length + 1);
          const text = json.slice(0, at) + added.join("") + json.slice(at + drop);
          expect(stateOf(text) === "whole", text).toBe(isJson(text));
          expect(stateOf(...text.split(""))).toBe(stateOf(text));
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test.each<[string, ArgumentState]>([
    ["", "none"],
    [" \n", "none"],
    ['{"a":{}} ', "whole"],
    ["{}", "whole"],
    ["null", "whole"],
    ['"{\\"a\\":1}"', "whole"],
    ['{"a":"}{', "open"],
    ["{}{", "joined"],
    ['{"a":1}\n{"b":2}', "joined"],
    ["null{}", "joined"],
    ['{"a":1}}', "broken"],
    ['{"a"{', "broken"],
    ["{,", "broken"],
    ["path=/a", "open"],
    ["path=/a ", "broken"],
    ['{"a":"\n', "broken"],
  ])("%j is %s", (text, state) => {
    expect(stateOf(text)).toBe(state);
  });
});

test.each<[string, string, boolean]>([
  ['{"a":1,"b":[]}', '{ "b": [], "a": 1 }', true],
  ["null", "null", true],
  ["1", "2", false],
  ["", "", false],
  ["{", "{", false],
  ["1", "{", false],
  ["[".repeat(50_000) + "]".repeat(50_000), "[".repeat(50_000) + "]".repeat(50_000), false],
])("two texts are compared as JSON, whatever they are: %#", (one, other, isSame) => {
  expect(isSameJson(one, other)).toBe(isSame);
});

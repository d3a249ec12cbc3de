// The value of a JSON text that has come in part.
import { describe, expect, test } from "vitest";
import fc from "../support/fast-check.ts";
import { partialJson } from "../../src/core/base/partial-json.ts";

/** True if `part` is what has come of `whole`: members and items from the front, strings from their beginning. */
function isPartOf(part: unknown, whole: unknown): boolean {
  if (typeof part === "string" && typeof whole === "string") return whole.startsWith(part);
  if (Array.isArray(part))
    return Array.isArray(whole) && part.every((item, at) => at < whole.length && isPartOf(item, whole[at]));
  if (typeof part !== "object" || part === null) return Object.is(part, whole) || part === whole;
  return Object.entries(part).every(
    ([key, value]) => Object.hasOwn(whole as object, key) && isPartOf(value, (whole as never)[key]),
  );
}

describe("what has come of a JSON text", () => {
  test.each<readonly [string, readonly unknown[]]>([
    ["", []],
    ["  ", []],
    ["{", [{}]],
    ['{"a', [{}]],
    ['{"a"', [{}]],
    ['{"a":', [{}]],
    ['{"a":1', [{}]],
    ['{"a":1,', [{ a: 1 }]],
    ['{"a":12 ', [{ a: 12 }]],
    ['{"a":tru', [{}]],
    ['{"a":"', [{ a: "" }, {}]],
    ['{"a":"x', [{ a: "x" }, {}]],
    ['{"a":"x\\', [{ a: "x" }, {}]],
    ['{"a":"x\\u00e', [{ a: "x" }, {}]],
    ['{"a":"x\\\\', [{ a: "x\\" }, {}]],
    ['{"a":"x\\""', [{ a: 'x"' }]],
    ['{"a":[{"b":1},{"c":"y', [{ a: [{ b: 1 }, { c: "y" }] }, { a: [{ b: 1 }, {}] }]],
    ["[1,2,3", [[1, 2]]],
    ['"abc', ["abc"]],
    ["12", []],
    ["12 ", [12]],
    ['{"a":1}', [{ a: 1 }]],
    ['{"a":1} and more', []],
    ["Let me see", []],
    ["{]", []],
    ["{x:1,", []],
  ])("of %j is %j", (text, expected) => {
    expect(partialJson(text)).toEqual(expected);
  });

  test("is a part of the whole wherever the text is cut, grows, and is the whole in the end", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2), (given, space) => {
        const text = JSON.stringify(given, null, space);
        const whole: unknown = JSON.parse(text);
        let before: unknown;
        for (let end = 1; end <= text.length; end++) {
          const values = partialJson(text.slice(0, end));
          for (const value of values) expect(isPartOf(value, whole)).toBe(true);
          if (before !== undefined && values.length > 0) expect(isPartOf(before, values[0])).toBe(true);
          if (values.length > 0) before = values[0];
        }
        const isOpen = typeof whole === "number" || typeof whole === "boolean" || whole === null;
        if (!isOpen) expect(partialJson(text)).toEqual([whole]);
      }),
    );
  });

  test("of a text of a megabyte is found in time that grows with the text", () => {
    const long = `{"a":"${"x\\n".repeat(300_000)}`;
    expect((partialJson(long)[0] as { a: string }).a).toHaveLength(600_000);
    expect(partialJson(`[${"1,".repeat(500_000)}`)[0]).toHaveLength(500_000);
  });
});

// The comparison of contents of a session.
import { expect, test } from "vitest";
import { isSame } from "../../src/core/base/json.ts";
import { changed } from "../../src/session/entries.ts";

test.each([
  [1, 1, true],
  [1, 2, false],
  ["a", "a", true],
  [null, null, true],
  [null, {}, false],
  [{}, null, false],
  [[], {}, false],
  [{}, [], false],
  [[1, [2]], [1, [2]], true],
  [[1, 2], [1], false],
  [[1], [1, 2], false],
  [{ a: { b: [1] }, c: 2 }, { c: 2, a: { b: [1] } }, true],
  [{ a: { b: [1] } }, { a: { b: [2] } }, false],
  [{ a: 1 }, { a: 1, b: 1 }, false],
  [{ a: 1, b: 1 }, { a: 1 }, false],
  [{ a: 1 }, { b: 1 }, false],
  [{ toString: 1 }, {}, false],
])("%j and %j have the same content: %j", (one, other, expected) => {
  expect(isSame(one, other)).toBe(expected);
});

test("what changed has the fields that differ, all of them if there was nothing before, and is undefined if none does", () => {
  const after = { a: 1, b: { c: [1] }, d: null };
  expect(changed(undefined, after)).toEqual(after);
  expect(changed({ ...after, a: 2, b: { c: [2] } }, after)).toEqual({ a: 1, b: { c: [1] } });
  expect(changed(structuredClone(after), after)).toBeUndefined();
  const more: object = { ...after, e: 1 };
  expect(changed(more, after)).toBeUndefined();
});

// Patterns of names take bounded time.
import { expect, test } from "vitest";
import { matchesName } from "../../src/core/tool/name-pattern.ts";

test.each<readonly [string, string, boolean]>([
  ["refund", "refund", true],
  ["refund", "refund_all", false],
  ["refund*", "refund", true],
  ["refund*", "refund_all", true],
  ["*_all", "refund_all", true],
  ["*_all", "refund_all_", false],
  ["re*nd*l", "refund_all", true],
  ["re?und", "refund", true],
  ["re?und", "reund", false],
  ["?", "", false],
  ["*", "", true],
  ["a.c", "abc", false],
  ["[ab]", "a", false],
])("the pattern %s matches the name %s: %s", (pattern, name, expected) => {
  expect(matchesName(pattern, name)).toBe(expected);
});

test("a pattern of many stars ends on a long name that it does not match", () => {
  expect(matchesName("a*".repeat(500), "a".repeat(5_000))).toBe(true);
  expect(matchesName(`${"a*".repeat(500)}b`, "a".repeat(5_000))).toBe(false);
});

// All that a rule may read in the arguments of a call is tried.
import { expect, test } from "vitest";
import { anyOf, atMost, before, sum } from "agentchart/rules";
import type { JsonObject } from "agentchart";
import { lettersFor, otherLetters } from "../../../src/testing/check/letters.ts";

const one = atMost(1, "pay", { per: "id", when: ({ a }: JsonObject) => a === 1 });
const amounts = (rule: Parameters<typeof lettersFor>[0]): readonly unknown[] =>
  lettersFor(rule, "pay").map((letters) => Object.values(letters)[0]!.amount);

test("each reading of a part of anyOf is tried beside each of the others, or the rule is refused", () => {
  const count = lettersFor(one, "pay").length;
  const joined = lettersFor(anyOf([one, one]), "pay");
  expect(joined).toHaveLength(count ** 2);
  expect(new Set(joined.map((letters) => JSON.stringify(letters))).size).toBe(count ** 2);
  expect(() => lettersFor(anyOf([one, one, one, one, one]), "pay")).toThrow(
    /in \d+ ways; expected at most 1000/,
  );
});

test("amounts are tried of which two fit, one fits and none fits", () => {
  expect(amounts(sum("pay", ({ cents }) => Number(cents), { max: 100 }))).toEqual([50, 100, 101, undefined]);
});

test("another rule is tried as one that has nothing against a call, also if it joins several", () => {
  const other = anyOf([before("verify", "pay"), one]);
  const [first, second] = otherLetters([other], "pay").map((letters) => letters[other.data.name]!.of![1]);
  expect([first?.isOther, second?.isOther]).toEqual([undefined, true]);
});

// The names that a function of a rule reads besides its arguments.
import { expect, test } from "vitest";
import { freeNames } from "../../../src/testing/check/free-names.ts";

test.each<[text: string, names: readonly string[]]>([
  ["({ cents }) => cents > 1", []],
  ["({ cents }) => Math.max(cents, 1) > 1", []],
  ["({ cents: [first, { of }], ...rest }) => first + of + rest.id", []],
  ["(input, max = LIMIT) => input.cents < max", ["LIMIT"]],
  ["({ cents = LIMIT, other }) => cents < other", ["LIMIT"]],
  ["({ a: { b = f(X, Y) }, c }) => b + c", ["f", "X", "Y"]],
  ["(a = [1, LIMIT], c) => a + c", ["LIMIT"]],
  ["function (input, max = 2) { return input.cents < max; }", []],
  ["per(input, max = LIMIT) { return input.cents < max; }", ["LIMIT"]],
  ["(input) => { try { return input.x; } catch { LIMIT; } }", ["LIMIT"]],
  ["(input) => { try { return input.x; } catch (error) { return error; } }", []],
  ["() => Math.random() > 0.5", ["Math.random"]],
  ['() => Math["random"]() > 0.5', ["Math.random"]],
  ["() => { const { random } = Math; return random() > 0.5; }", ["Math.random"]],
])("%s reads %j", (text, names) => {
  expect(freeNames(text)).toEqual(names);
});

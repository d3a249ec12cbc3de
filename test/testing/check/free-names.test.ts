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
  // a name that is declared inside means something else outside
  ["(input) => list.some((list) => list > input.a)", ["list"]],
  ["(input) => input.all((limit) => limit > 1) && input.a < limit", ["limit"]],
  ["(input) => [input.map((x) => x, x), x]", ["x"]],
  ["(a) => { const f = b => b + 1\n return f(a) + b }", ["b"]],
  ["(a) => { if (a) { const c = 1; return c; } return c; }", ["c"]],
  ["(a) => { for (const c of a) { use(c); } return c; }", ["use", "c"]],
  ["(a) => { for (const c of a) if (c) return 1; return c; }", ["c"]],
  ["(a) => { try { a(); } catch (e) { a(e); } return e; }", ["e"]],
  ["(a) => { const g = function inner(b) { return inner(b); }; return g(a) + b; }", ["b"]],
  ["(a) => { let c\n if (LIMIT.on) c = 1; return c; }", ["LIMIT"]],
  ["(a) => { const { key: b, c = 1, d } = a; return b + c + d + key; }", ["key"]],
  ["(a) => { later(); function later() { return b; } const b = a; }", []],
  ["(a, f = () => c) => { const c = 1; return f() + c; }", ["c"]],
  ['(a) => `${a["}"]} ${LIMIT}` + "$" + `${[a].map((b) => `${b}`)}`', ["LIMIT"]],
])("%s reads %j", (text, names) => {
  expect(freeNames(text)).toEqual(names);
});

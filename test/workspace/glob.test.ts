// Patterns of file names.
import { matchesGlob as byNode } from "node:path/posix";
import fc from "fast-check";
import { expect, test } from "vitest";
import { matchesGlob } from "../../src/kit/workspace/glob.ts";

test.each([
  ["*.ts", "a.ts", true],
  ["*.ts", "src/a.ts", false],
  ["**/*.ts", "a.ts", true],
  ["**/*.ts", "a/b/c.ts", true],
  ["src/**", "src/a/b", true],
  ["src/**", "srcs/a", false],
  ["src/**/test/*.{ts,tsx}", "src/a/b/test/x.tsx", true],
  ["src/**/test/*.{ts,tsx}", "src/test/x.js", false],
  ["{a,b{c,d}}/e", "bd/e", true],
  ["[a-c]?[!x].txt", "bzz.txt", true],
  ["[a-c]?[!x].txt", "bzx.txt", false],
  ["\\*.txt", "*.txt", true],
  ["\\*.txt", "a.txt", false],
  [".*", ".env", true],
  ["*", ".env", true],
  ["a[", "a[", true],
  ["a{b", "a{b", true],
  ["$&{x,y}", "$&y", true],
  ["", "", true],
  ["{a,b}".repeat(10), "a".repeat(10), false], // more than 64 alternatives
])("%j and %j: %j", (pattern, path, expected) => {
  expect(matchesGlob(pattern, path)).toBe(expected);
});

test("it agrees with Node.js about stars, names and directories", () => {
  const name = fc
    .array(fc.constantFrom("a", "b", "."), { minLength: 1, maxLength: 4 })
    .map((all) => `x${all.join("")}`);
  const part = fc.oneof(
    fc.constant("**"),
    fc
      .array(fc.constantFrom("a", "b", ".", "*", "?"), { minLength: 1, maxLength: 4 })
      .map((all) => `x${all.join("").replaceAll(/\*+/gu, "*")}`),
  );
  const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((all) => all.join("/"));
  // Node.js wants at least one name where a pattern ends with `**`
  const pattern = fc
    .tuple(fc.array(part, { maxLength: 4 }), fc.constantFrom("x*", "x?", "xa"))
    .map(([all, last]) => [...all, last].join("/"));
  fc.assert(fc.property(pattern, path, (one, other) => matchesGlob(one, other) === byNode(other, one)));
});

test("no pattern takes long, whatever the names are", () => {
  for (const [pattern, path] of [
    [`${"*a".repeat(100)}b`, "a".repeat(255)],
    [`${"**/x/".repeat(100)}y`, "x/".repeat(2_000)],
    [`${"{*a,*}".repeat(6)}b`, "a".repeat(255)],
    ["{".repeat(999), "a"],
  ] as const)
    expect(matchesGlob(pattern, path)).toBe(false);
});

// SHA-256 without Node.js is that of Node.js.
import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { sha256, sha256WithoutNode } from "../../src/core/base/hash.ts";

test("a text has the same SHA-256 without Node.js, whatever its length and its letters", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
      const expected = createHash("sha256").update(text).digest("hex");
      expect([sha256(text), sha256WithoutNode(text)]).toEqual([expected, expected]);
    }),
    { seed: 7, numRuns: 500 },
  );
  const long = "𝄞".repeat(100_000);
  expect(sha256WithoutNode(long)).toBe(sha256(long));
});

import { expect, test } from "vitest";
import { prefixHits, prefixShares } from "../../bench/prefix-share.ts";

test("the share of a request is what it has in common with the beginning of the one before", () => {
  expect(prefixShares(["abcd", "abcdefgh", "abXdefgh", "ab"])).toEqual([0, 0.5, 0.25, 1]);
});

test("each request of a long turn begins with the whole one before", async () => {
  const { median, least, all } = await prefixHits("small");
  expect(median).toBeGreaterThan(0.99);
  expect(least).toBeGreaterThan(0.3); // the second request, of which most is new
  expect(all).toBeGreaterThan(0.98);
});

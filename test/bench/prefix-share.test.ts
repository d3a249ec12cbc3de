// The share of a request that providers can cache.
import { expect, test } from "vitest";
import { prefixHits, prefixShares, promptIn } from "../../bench/prefix-share.ts";

test("the share of a request is what it has in common with the beginning of the one before", () => {
  expect(prefixShares(["abcd", "abcdefgh", "abXdefgh", "ab"])).toEqual([0, 0.5, 0.25, 1]);
});

test("the prompt of a request is its tools and its messages, in this order", () => {
  const before = promptIn('{"tools":["t"],"messages":["m1"]}');
  expect(before).toBe('[["t"],["m1"]]');
  const [, after] = prefixShares([
    before,
    promptIn('{"tool_choice":"none","messages":["m1","m2"],"tools":["t"]}'),
  ]);
  expect(after).toBe((before.length - 2) / '[["t"],["m1","m2"]]'.length);
  expect(promptIn('{"messages":[]}')).toBe("[[],[]]");
});

test("each request of a long turn begins with the whole one before", async () => {
  const { median, least, all } = await prefixHits("small");
  expect(median).toBeGreaterThan(0.99);
  expect(least).toBeGreaterThan(0.3); // the second request, of which most is new
  expect(all).toBeGreaterThan(0.98);
});

import { expect, test } from "vitest";
import { readAddress, tokenIn, writeAddress } from "../src/logic/address.ts";
import { linkTarget } from "../src/logic/links.ts";

test("what is looked at stands in the address", () => {
  for (const selection of [
    { runId: "7f3a", q: 4321 },
    { runId: "a/b c#", q: null },
    { runId: null, q: null },
  ]) {
    expect(readAddress(writeAddress(selection))).toEqual(selection);
  }
  expect(writeAddress({ runId: "7f3a", q: 4321 })).toBe("#/run/7f3a/4321");
  expect(readAddress("#/run/%E0%A4%A")).toEqual({ runId: null, q: null });
});

test("a token is found in a link only", () => {
  expect(tokenIn("#t=abc-_9")).toBe("abc-_9");
  expect(tokenIn("#/run/t=abc")).toBeUndefined();
});

test("links lead to the web or nowhere", () => {
  expect(linkTarget("https://example.com/a")?.host).toBe("example.com");
  for (const bad of ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "/relative", "x"]) {
    expect(linkTarget(bad)).toBeUndefined();
  }
});

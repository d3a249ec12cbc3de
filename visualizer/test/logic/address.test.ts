import { expect, test } from "vitest";
import { readAddress, tokenIn, writeAddress } from "../../src/logic/address.ts";

test("readAddress parses what writeAddress formats", () => {
  for (const selection of [
    { runId: "7f3a", stepNumber: 4321 },
    { runId: "a/b c#", stepNumber: null },
    { runId: null, stepNumber: null },
  ]) {
    expect(readAddress(writeAddress(selection))).toEqual(selection);
  }
  expect(writeAddress({ runId: "7f3a", stepNumber: 4321 })).toBe("#/run/7f3a/4321");
  expect(readAddress("#/run/%E0%A4%A")).toEqual({ runId: null, stepNumber: null });
});

test("tokenIn finds the token of a link only", () => {
  expect(tokenIn("#t=abc-_9")).toBe("abc-_9");
  expect(tokenIn("#/run/t=abc")).toBeUndefined();
});

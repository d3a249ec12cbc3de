// The address of the page.
import { readComparison, writeComparison } from "../../src/logic/address.ts";
import { expect, test } from "vitest";
import { readAddress, readLink, writeAddress } from "../../src/logic/address.ts";

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

test("readLink finds the token of a link only, and what the link leads to", () => {
  expect(readLink("#t=abc-_9")).toEqual({ token: "abc-_9", address: "#/" });
  expect(readLink("#t=abc-_9/run/local%2Fone")).toEqual({ token: "abc-_9", address: "#/run/local%2Fone" });
  expect(readLink("#/run/t=abc")).toBeUndefined();
});

test("an address names the runs that are compared", () => {
  const ids = ["a,b", "c/d", "e"];
  expect(readComparison(writeComparison(ids))).toEqual(ids);
  expect(readComparison("#/compare/a,b,a")).toEqual(["a", "b"]);
  for (const other of ["#/compare/a", "#/compare/a,a", "#/compare/%", "#/run/a,b", ""])
    expect(readComparison(other)).toBeUndefined();
});

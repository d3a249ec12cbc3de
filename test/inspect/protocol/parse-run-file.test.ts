// The row of a run in a file, with all that it may not have.
import { expect, test } from "vitest";
import { parseRow } from "../../../src/inspect/protocol/parse-run-file.ts";

const identity = { runId: "r", agent: "a", chart: "h" };

test("parseRow keeps the title, the error and what the run waits for", () => {
  const known = {
    title: "Refund A-1042",
    error: { code: "model/bad-request", message: "It was refused." },
    waitsFor: ["approval", "budget"],
  };
  expect(parseRow({ ...identity, ...known })).toMatchObject(known);
});

test("parseRow cuts long texts and drops what a row may not have", () => {
  const { title, error, waitsFor } = parseRow({
    ...identity,
    title: "t".repeat(1_000),
    error: { code: 7, message: "m".repeat(1_000), stack: "s" },
    waitsFor: ["approval", "anything", 7, null],
  });
  expect(title).toHaveLength(200);
  expect(error).toEqual({ code: "", message: `${"m".repeat(499)}…` });
  expect(waitsFor).toEqual(["approval"]);
  expect(parseRow({ ...identity, title: 1, error: "e", waitsFor: "approval" })).toMatchObject({
    waitsFor: [],
  });
});

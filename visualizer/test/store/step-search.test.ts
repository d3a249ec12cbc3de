// The search of steps.
import { expect, test } from "vitest";
import { RunData } from "../../src/store/run-data.ts";
import { foundSteps, type StepQuery } from "../../src/store/step-search.ts";
import type { WireStep } from "../../src/wire/types.ts";

const step = (q: number, e: string, more: Partial<WireStep> = {}): WireStep => ({
  q,
  t: q,
  m: q,
  e,
  x: [],
  s: 0,
  ...more,
});
const page = (items: readonly WireStep[], total = items.length) => ({
  runId: "r",
  states: [["agent", "agent.acting"]],
  items,
  total,
  first: 1,
});
const query = (text: string, sort: StepQuery["sort"] = ""): StepQuery => ({ kind: "search", text, sort });

const run = new RunData();
run.add(
  page([
    step(1, "xstate.init"),
    step(2, "call", { v: { messages: [{ role: "user", content: "Where is INVOICE 77?" }] } }),
    step(3, "tool.decide", { by: "inspector", v: { callId: "c1", approve: true } }),
    step(4, "messages", { p: [["=", ["messages", 1], { text: "invoice paid" }]] }),
  ]),
);

test("a step is found by all words of the query, in any case, in what it brought or changed", () => {
  expect(foundSteps(run, undefined, query("invoice"))).toEqual([2, 4]);
  expect(foundSteps(run, undefined, query("  PAID invoice "))).toEqual([4]);
  expect(foundSteps(run, undefined, query("invoice refund"))).toEqual([]);
  expect(foundSteps(run, undefined, query("acting"))).toEqual([1, 2, 3, 4]);
});

test("steps are found by what they are about, alone or with words", () => {
  expect(foundSteps(run, undefined, query("", "person"))).toEqual([2, 3]);
  expect(foundSteps(run, undefined, query("invoice", "person"))).toEqual([2]);
  expect(foundSteps(run, undefined, query("", "failed"))).toEqual([]);
});

test("new steps of a run are found without reading the others again", () => {
  const growing = new RunData();
  growing.add(page([step(1, "call", { v: "one" })]));
  expect(foundSteps(growing, undefined, query("one"))).toEqual([1]);
  const read = growing.at.bind(growing);
  const numbers: number[] = [];
  growing.at = (stepNumber) => {
    numbers.push(stepNumber);
    return read(stepNumber);
  };
  growing.add(page([step(2, "call", { v: "two" }), step(3, "call", { v: "one" })]));
  numbers.length = 0;
  expect(foundSteps(growing, undefined, query("one"))).toEqual([1, 3]);
  expect(numbers.filter((stepNumber) => stepNumber === 1)).toEqual([]);
});

test("steps before a gap are found once the gap is loaded", () => {
  const partial = new RunData();
  partial.add(page([step(3, "call", { v: "one" })], 3));
  expect(foundSteps(partial, undefined, query("one"))).toEqual([3]);
  partial.add(page([step(1, "call", { v: "one" }), step(2, "call", { v: "two" })], 3));
  expect(foundSteps(partial, undefined, query("one"))).toEqual([1, 3]);
});

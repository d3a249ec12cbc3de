// The order of differences.
import { expect, test } from "vitest";
import { differences } from "../../src/logic/diff.ts";
import { orderDifferences } from "../../src/logic/diff-order.ts";

test("orderDifferences puts messages and failures first, and counters, times and requests to the model apart", () => {
  const before = {
    at: 1,
    progress: { turn: 1 },
    calls: [{ status: "running", since: 1 }],
    failure: null,
    messages: [],
    modelCall: { id: "a" },
  };
  const after = {
    at: 2,
    progress: { turn: 2 },
    calls: [{ status: "done", since: 2 }],
    failure: { code: "model/failed" },
    messages: [{ id: "m", timestamp: 1 }],
    modelCall: { id: "b" },
  };
  const { telling, bookkeeping } = orderDifferences(differences(before, after));
  expect(telling.map(({ path }) => path)).toEqual([["messages", 0], ["failure"], ["calls", 0, "status"]]);
  expect(bookkeeping.map(({ path }) => path)).toEqual([
    ["at"],
    ["progress", "turn"],
    ["calls", 0, "since"],
    ["modelCall", "id"],
  ]);
});

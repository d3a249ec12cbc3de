// The open calls of a batch stand in the order in which the model asked for them, whatever order the journal has.
import { expect, test } from "vitest";
import type { CallRecord } from "../../machines/agent/call-record.ts";
import { recordsAfter } from "../../src/session/entries.ts";

const asked = ["a", "b", "c"].map((id) => ({ type: "tool_use" as const, id, name: "look", input: {} }));

test.each(["abc", "acb", "bac", "bca", "cab", "cba"])("of calls that are written as %s", (order) => {
  let calls: readonly CallRecord[] = [];
  for (const id of order) {
    const set = { status: "approved", attempt: 0, since: 1 } as never;
    calls = recordsAfter(calls, { id, set }, asked)!;
  }
  expect(calls.map(({ call }) => call.id)).toEqual(["a", "b", "c"]);
});

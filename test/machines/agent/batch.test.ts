// The places of calls in their batch.
import { expect, test } from "vitest";
import { agentResolver } from "../../../machines/agent/agent-chart.ts";
import type { AgentContext } from "../../../machines/agent/context.ts";
import type { CallRecord } from "../../../machines/agent/call-record.ts";
import { placeOf } from "../../../machines/agent/updates/calls.ts";
import { toolResult, toolUse } from "../../../src/testing/explorer/messages.ts";
import { contextOf } from "./at.ts";

function running(index: number): CallRecord {
  const call = toolUse(`c${index}`);
  return { call, status: "running", hooked: true, stored: false, attempt: 1, spawned: 1, since: 1 };
}

const batchOf = (count: number): readonly CallRecord[] =>
  Array.from({ length: count }, (_, index) => running(index));

/** Counts how often the id of a call is read while all calls of a batch end, in the given order. */
function readsOf(count: number, order: (index: number) => number): number {
  let reads = 0;
  const calls = batchOf(count).map((record) => {
    const { id } = record.call;
    const counting = Object.defineProperty({ ...record.call }, "id", { get: () => (reads++, id) });
    return { ...record, call: counting };
  });
  let context: AgentContext = contextOf({ calls, progress: { batchAt: 1 } });
  for (let ended = 0; ended < count - 1; ended++) {
    const callId = `c${order(ended)}`;
    const output = { at: 2, callId, attempt: 1, result: toolResult(callId, "done") };
    const event = { type: `xstate.done.actor.tool.${ended}`, output };
    ({ context } = agentResolver.next("acting.executing.running", context, event)!);
  }
  expect(context.calls.filter(({ status }) => status === "done")).toHaveLength(count - 1);
  return reads;
}

test.each([
  ["in call order", () => (index: number) => index],
  ["the last one first", (count: number) => (index: number) => count - 1 - index],
])(
  "the steps of a batch look up four times as many calls if it has four times as many, which end %s",
  (_, order) => {
    const [few, many] = [readsOf(50, order(50)), readsOf(200, order(200))];
    expect(many).toBeLessThanOrEqual(4.2 * few);
  },
);

test("the place of a call is that of the batch that is asked for, also if another one begins with the same call", () => {
  const calls = batchOf(40);
  const other = [calls[0]!, ...calls.slice(1).toReversed()];
  for (const batch of [calls, other, calls]) {
    expect(batch.map(({ call }) => placeOf(batch, call.id))).toEqual(batch.map((__, place) => place));
    expect(placeOf(batch, "unknown")).toBe(-1);
  }
});

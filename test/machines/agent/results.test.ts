// Results that are stored together.
import fc from "../../support/fast-check.ts";
import { expect, test } from "vitest";
import { Transcript } from "../../../src/core/message/transcript.ts";
import { toolResultsOf } from "../../../src/core/message/msg.ts";
import type { AgentContext } from "../../../machines/agent/context.ts";
import type { CallRecord } from "../../../machines/agent/call-record.ts";
import { storeResults, wantsPostActing, nextResult } from "../../../machines/agent/updates/acting.ts";
import { storeResult } from "../../../machines/agent/updates/calls.ts";
import { message, text, toolResult, toolUse } from "../../../src/testing/explorer/messages.ts";
import { contextOf } from "./at.ts";

type Call = { readonly state: "stored" | "done" | "running"; readonly isSeen: boolean };
const calls: fc.Arbitrary<readonly Call[]> = fc.array(
  fc.record({
    state: fc.constantFrom("stored", "done", "running"),
    isSeen: fc.boolean(),
  }),
  { minLength: 1, maxLength: 12 },
);

function recordOf({ state, isSeen }: Call, index: number): CallRecord {
  const base = { call: toolUse(`c${index}`), hooked: true, attempt: 1, since: 1, skipHooks: !isSeen };
  if (state === "running") return { ...base, status: "running", stored: false };
  if (state === "stored") return { ...base, status: "done", stored: true };
  return { ...base, status: "done", stored: false, result: toolResult(`c${index}`, `result ${index}`) };
}

/** Stores one result after the other. */
function oneByOne(context: AgentContext): AgentContext {
  let now = context;
  for (;;) {
    const record = nextResult(now);
    if (!record || wantsPostActing(now)) return now;
    const isLast = now.calls.filter(({ stored, result }) => !stored && result).length === 1;
    const reason = now.stop && isLast ? "ACTING_STOP_REQUESTED" : undefined;
    now = { ...now, ...storeResult(now, record.call.id, record.result!, reason) };
  }
}

test("results that are stored together are stored as one after the other, in call order (S5)", () => {
  fc.assert(
    fc.property(calls, fc.boolean(), fc.boolean(), fc.boolean(), (given, listens, stop, isSteered) => {
      const records = given.map(recordOf);
      const stored = records.filter((record) => record.stored);
      const before = [
        message("u", "user", [text("go")]),
        message(
          "a",
          "assistant",
          records.map(({ call }) => toolUse(call.id)),
        ),
        ...stored.map(({ call }) => message(`r.${call.id}`, "tool", [toolResult(call.id, "before")])),
        ...(isSteered ? [message("s", "user", [text("and this")])] : []),
      ];
      const make = (): AgentContext =>
        contextOf({
          transcript: Transcript.of(before),
          calls: records,
          stop,
          listening: listens ? ["postActing"] : [],
          progress: { batchAt: 1 },
        });
      const [context, other] = [make(), make()];
      const together = { ...context, ...storeResults(context) };
      const expected = oneByOne(other);
      expect(together.transcript.slice()).toEqual(expected.transcript.slice());
      expect(together.calls).toEqual(expected.calls);
      expect(together.progress).toEqual(expected.progress);
      const order = together.transcript.slice().flatMap((each) => toolResultsOf(each).map(({ id }) => id));
      const places = order.map((id) => records.findIndex(({ call }) => call.id === id));
      expect(places).toEqual(places.toSorted((a, b) => a - b));
    }),
    { numRuns: 1_000 },
  );
});

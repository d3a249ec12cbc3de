// Open calls after a release in which their tool has changed or is gone.
import { describe, expect, test } from "vitest";
import { describeChange, changeBetween } from "../../../src/core/tool/fingerprint.ts";
import type { CallRecord } from "../../../machines/agent/call-record.ts";
import { adoptTurn } from "../../../machines/agent/updates/turn-agent.ts";
import { toolResult } from "../../../src/testing/explorer/messages.ts";
import { asking, contextOf } from "./at.ts";
import { AGENT, OTHER_AGENT } from "./events.ts";

const adopted = (record: Partial<CallRecord>, agent = OTHER_AGENT): Partial<CallRecord> => {
  const context = contextOf(asking([record], { progress: { agent: AGENT } }));
  const { calls = context.calls, progress } = adoptTurn(context, { type: "session.adopt", at: 200, agent });
  expect(progress?.agent).toBe(agent);
  const { call: _, hooked: __, stored: ___, attempt: ____, ...rest } = calls[0]!;
  return calls === context.calls ? record : rest;
};
const ASKED = {
  status: "pending",
  since: 200,
  asks: "Tool 'tool' has changed since its approval was asked for.",
  askedAgainAt: 200,
};

describe("a call of a tool that has changed", () => {
  test.each<[string, Partial<CallRecord>]>([
    ["waits for an approval", { asks: "it asks", argsHash: "h" }],
    [
      "was approved, and nobody has reviewed it since",
      { asks: "it asks", argsHash: "h", decided: "approve" },
    ],
    ["was approved with other arguments", { asks: "it asks", decided: { edit: { a: 1 } } }],
    ["was approved and has not begun", { status: "approved", argsHash: "h", notBeforeAt: 150 }],
    [
      "was approved, was cut off and may run again",
      { status: "running", argsHash: "h", spawned: 1, deadlineAt: 300, onRestart: "retry" },
    ],
  ])("that %s is asked about again", (_, { onRestart, ...record }) => {
    expect(adopted({ ...record, ...(onRestart && { onRestart }) })).toEqual({
      ...ASKED,
      ...(onRestart && { onRestart }),
    });
  });

  test("keeps the time at which its approval expires", () => {
    expect(adopted({ asks: "it asks", expiresAt: 500 })).toEqual({ ...ASKED, expiresAt: 500 });
  });

  test.each<[string, Partial<CallRecord>]>([
    ["was allowed by a rule and has not begun", { status: "approved" }],
    ["was allowed by a rule, was cut off and may run again", { status: "running", onRestart: "retry" }],
  ])("that %s is reviewed again", (_, record) => {
    expect(adopted(record)).toMatchObject({ status: "pending", since: 200 });
    expect(adopted(record)).not.toHaveProperty("asks");
  });

  test.each<[string, Partial<CallRecord>]>([
    ["has no review yet", { status: "pending" }],
    ["was denied by a person", { asks: "it asks", decided: "deny" }],
    ["was answered by a person", { asks: "it asks", decided: { answer: "yes" } }],
    ["has its result", { status: "done", result: toolResult("c1", "done") }],
    ["waits for a result from outside", { status: "suspended" }],
  ])("that %s stays as it is", (_, record) => expect(adopted(record)).toBe(record));

  test.each<[string, Partial<CallRecord>]>([
    ["has an unknown outcome", { status: "unknown", argsHash: "h" }],
    ["was cut off and will have one", { status: "running", onRestart: "ask", argsHash: "h" }],
  ])("that %s has lost its approval", (_, record) => {
    expect(adopted(record)).toMatchObject({ status: record.status });
    expect(adopted(record)).not.toHaveProperty("argsHash");
  });
});

describe("a call of a tool that is gone", () => {
  const gone = { ...AGENT, tools: {} };

  test.each<[string, Partial<CallRecord>]>([
    ["waits for an approval", { asks: "it asks", argsHash: "h" }],
    ["was approved", { status: "approved" }],
    ["may run again", { status: "running", onRestart: "retry" }],
  ])("that %s is answered with an error", (_, record) => {
    expect(adopted(record, gone)).toMatchObject({
      status: "done",
      result: { state: "error", code: "tool/unknown", id: "c1" },
    });
    expect(adopted(record, gone)).not.toHaveProperty("asks");
  });

  test("that has an unknown outcome still waits for a person", () => {
    const record = { status: "unknown" } as const;
    expect(adopted(record, gone)).toBe(record);
  });
});

test("a call that a rule allowed is reviewed again under other permissions, and one that a person approved is not", () => {
  const other = { ...AGENT, permissions: "other" };
  expect(adopted({ status: "approved" }, other)).toMatchObject({ status: "pending" });
  const approved = { status: "approved", argsHash: "h" } as const;
  expect(adopted(approved, other)).toBe(approved);
});

test("a change is named", () => {
  const old = { prompt: "1", permissions: "1", tools: { a: "1", b: "1", c: "1" } };
  const now = { prompt: "2", permissions: "2", tools: { a: "2", c: "1", d: "1" } };
  const change = changeBetween(old, now)!;
  expect(change).toEqual({ prompt: true, permissions: true, changed: ["a"], added: ["d"], gone: ["b"] });
  expect(describeChange(change)).toBe("its prompt, its permissions, tool 'a', new tool 'd', no tool 'b'");
  expect(changeBetween(old, { ...old, tools: { c: "1", b: "1", a: "1" } })).toBeUndefined();
});

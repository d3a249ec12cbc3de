import { describe, expect, it } from "vitest";
import type { CallRecord } from "../../../machines/agent/context.ts";
import { toolResult } from "../../laws/explorer/messages.ts";
import { doneEvent, errorEvent, type ChartEvent } from "../../laws/explorer/pure.ts";
import { asking, outcomeOf, titleOf, type Row } from "./at.ts";
import { failedHook, hooks, INTERRUPT, slept } from "./events.ts";

const review = (...actions: readonly string[]): ChartEvent =>
  doneEvent("reviewCalls", {
    at: 200,
    verdicts: actions.map((action, index) => ({ callId: `c${index + 1}`, action })),
  });
const ends = (number: number, output: object): ChartEvent =>
  doneEvent(`tool.c${number}`, { at: 200, callId: `c${number}`, attempt: 1, ...output });
const result = (number: number): ChartEvent => ends(number, { result: toolResult(`c${number}`, "ok") });

const pending = asking([{}]);
const two = asking([{}, {}]);
const RUNNING: Partial<CallRecord> = { status: "running", attempt: 1, spawned: 1 };
const running = asking([RUNNING]);
const runningTwo = asking([RUNNING, RUNNING]);
const interrupted = { interruption: { cause: "user" } } as const;
const done = asking([{ status: "done" }]);

const ROWS: readonly Row[] = [
  ["acting.preHooks", "the hooks are done", asking([{ hooked: false }]), hooks(), "acting.reviewing"],
  ["acting.preHooks", "a failing hook", pending, failedHook, "stopped.idle", "ERROR"],
  ["acting.preHooks", "an interrupt", pending, INTERRUPT, "stopped.idle", "INTERRUPTED"],
  ["acting.reviewing", "the call is allowed", pending, review("allow"), "acting.executing.running"],
  [
    "acting.reviewing",
    "the call is allowed and a store is configured",
    { ...pending, settings: { isDurable: true } },
    review("allow"),
    "acting.executing.committing",
  ],
  [
    "acting.reviewing",
    "one of two asks",
    two,
    review("allow", "ask"),
    "suspended.waiting",
    "APPROVAL_REQUIRED",
  ],
  ["acting.reviewing", "the call is denied", pending, review("deny"), "reasoning.calling.running"],
  [
    "acting.reviewing",
    "a call of unknown outcome is left",
    asking([{}, { status: "unknown" }]),
    review("allow"),
    "suspended.waiting",
    "OUTCOME_UNKNOWN",
  ],
  [
    "acting.executing.committing",
    "it is durable",
    { ...asking([{ status: "running", attempt: 1 }]), settings: { isDurable: true } },
    doneEvent("commit", { at: 200 }),
    "acting.executing.running",
  ],
  [
    "acting.executing.committing",
    "an interrupt before anything ran",
    asking([{ status: "running", attempt: 1 }]),
    INTERRUPT,
    "stopped.idle",
    "INTERRUPTED",
  ],
  ["acting.executing.running", "the only result", running, result(1), "reasoning.calling.running"],
  ["acting.executing.running", "one of two results", runningTwo, result(2), "acting.executing.running"],
  [
    "acting.executing.running",
    "a result that hooks want to see",
    { ...running, listening: ["postActing"] },
    result(1),
    "acting.postHooks.running",
  ],
  [
    "acting.executing.running",
    "a suspension",
    running,
    ends(1, { suspension: { suspended: true } }),
    "suspended.waiting",
    "TOOL_SUSPENDED",
  ],
  [
    "acting.executing.running",
    "a result of another attempt",
    running,
    ends(1, { attempt: 2 }),
    "acting.executing.running",
  ],
  [
    "acting.executing.running",
    "a call out of time",
    asking([{ ...RUNNING, deadlineAt: 150 }]),
    slept,
    "reasoning.calling.running",
  ],
  [
    "acting.executing.running",
    "a call out of time that may be repeated",
    asking([{ ...RUNNING, deadlineAt: 150, execution: { maxAttempts: 2 } }]),
    slept,
    "acting.executing.running",
  ],
  [
    "acting.executing.running",
    "a tool service that breaks",
    running,
    errorEvent("tool.c1", new Error("broken")),
    "stopped.idle",
    "ERROR",
  ],
  ["acting.executing.running", "an interrupt", running, INTERRUPT, "acting.executing.aborting"],
  [
    "acting.executing.aborting",
    "the last result",
    { ...running, ...interrupted },
    result(1),
    "stopped.idle",
    "INTERRUPTED",
  ],
  [
    "acting.executing.aborting",
    "one of two results",
    { ...runningTwo, ...interrupted },
    result(1),
    "acting.executing.aborting",
  ],
  [
    "acting.executing.aborting",
    "a deaf tool",
    { ...running, ...interrupted },
    slept,
    "stopped.idle",
    "INTERRUPTED",
  ],
  [
    "acting.postHooks.running",
    "nothing is changed",
    { ...done, listening: ["postActing"] },
    hooks(),
    "reasoning.calling.running",
  ],
  [
    "acting.postHooks.running",
    "a stop",
    done,
    hooks({ stop: true }),
    "stopped.idle",
    "ACTING_STOP_REQUESTED",
  ],
  [
    "acting.postHooks.running",
    "a stop while another call is suspended",
    asking([{ status: "done" }, { status: "suspended" }]),
    hooks({ stop: true }),
    "suspended.waiting",
    "ACTING_STOP_REQUESTED",
  ],
  [
    "acting.postHooks.running",
    "another result is to come",
    { ...asking([{ status: "done" }, { status: "done" }]), listening: ["postActing"] },
    hooks(),
    "acting.postHooks.running",
  ],
  ["acting.postHooks.running", "a failing hook", done, failedHook, "stopped.idle", "ERROR"],
  [
    "acting.postHooks.running",
    "the iterations are used up",
    { ...done, progress: { batchAt: 1, iteration: 2 } },
    hooks(),
    "summarizing.calling.running",
  ],
  ["acting.postHooks.running", "an interrupt", done, INTERRUPT, "acting.postHooks.aborting"],
  [
    "acting.postHooks.aborting",
    "the hooks are done",
    { ...done, ...interrupted },
    hooks(),
    "stopped.idle",
    "INTERRUPTED",
  ],
  [
    "acting.postHooks.aborting",
    "deaf hooks",
    { ...done, ...interrupted },
    slept,
    "stopped.idle",
    "INTERRUPTED",
  ],
];

describe("acting, one event at a time", () => {
  it.each(ROWS.map((row) => [titleOf(row), row] as const))("%s", (_title, row) => {
    expect(outcomeOf(row)).toEqual([row[4], row[5]]);
  });
});

import type { CallRecord } from "../../../../machines/agent/call-record.ts";
import { doneEvent, errorEvent } from "../../../../src/testing/explorer/pure.ts";
import { asking, type Row } from "../at.ts";
import { ends, INTERRUPT, result, slept } from "../events.ts";

const approved: Partial<CallRecord> = { status: "approved" };
const starting: Partial<CallRecord> = { status: "running", attempt: 1 };
const RUNNING: Partial<CallRecord> = { ...starting, spawned: 1 };
const late: Partial<CallRecord> = { ...RUNNING, deadlineAt: 150 };
const running = asking([RUNNING]);
const runningTwo = asking([RUNNING, RUNNING]);
const interrupted = { interruption: { cause: "user" } } as const;
const stored = { settings: { isDurable: true } };
const noCalls = { settings: { budget: { toolCalls: 0 } } };

/** The calls run. */
export const EXECUTING: readonly Row[] = [
  [
    "acting.executing.committing",
    "it is durable",
    asking([starting], stored),
    doneEvent("commit", { at: 200 }),
    "acting.executing.running",
  ],
  [
    "acting.executing.committing",
    "an interrupt before anything ran",
    asking([starting]),
    INTERRUPT,
    "stopped.idle",
    "INTERRUPTED",
  ],
  [
    "acting.executing.committing",
    "an interrupt while another call runs",
    asking([RUNNING, starting], stored),
    INTERRUPT,
    "acting.executing.aborting",
  ],
  [
    "acting.executing.committing",
    "the result of another call",
    asking([RUNNING, starting], stored),
    result(1),
    "acting.executing.committing",
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
    "a result, and another call may start",
    asking([RUNNING, approved]),
    result(1),
    "acting.executing.running",
  ],
  [
    "acting.executing.running",
    "a result, and another call may start and a store is configured",
    asking([RUNNING, approved], stored),
    result(1),
    "acting.executing.committing",
  ],
  [
    "acting.executing.running",
    "a result, and the budget does not suffice for another call",
    asking([RUNNING, approved], noCalls),
    result(1),
    "suspended.waiting",
    "BUDGET_EXCEEDED",
  ],
  [
    "acting.executing.running",
    "a suspension",
    running,
    ends(1, { suspension: { suspended: true } }),
    "suspended.waiting",
    "TOOL_SUSPENDED",
  ],
  ["acting.executing.running", "a call out of time", asking([late]), slept, "reasoning.calling.running"],
  [
    "acting.executing.running",
    "a call out of time that may be repeated",
    asking([{ ...late, execution: { maxAttempts: 2 } }]),
    slept,
    "acting.executing.running",
  ],
  [
    "acting.executing.running",
    "a call out of time, and another may start and a store is configured",
    asking([late, approved], stored),
    slept,
    "acting.executing.committing",
  ],
  [
    "acting.executing.running",
    "a call out of time, and the budget does not suffice for another",
    asking([late, approved], noCalls),
    slept,
    "suspended.waiting",
    "BUDGET_EXCEEDED",
  ],
  [
    "acting.executing.running",
    "an interrupt while a call waits to be repeated",
    asking([{ ...approved, attempt: 1, notBeforeAt: 300 }]),
    INTERRUPT,
    "stopped.idle",
    "INTERRUPTED",
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
    "another interrupt",
    { ...running, ...interrupted },
    INTERRUPT,
    "acting.executing.aborting",
  ],
  [
    "acting.executing.aborting",
    "a tool that ignores its signal",
    { ...running, ...interrupted },
    slept,
    "stopped.idle",
    "INTERRUPTED",
  ],
];

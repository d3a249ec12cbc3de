import { doneEvent, type ChartEvent } from "../../../../src/testing/explorer/pure.ts";
import { asking, type Row } from "../at.ts";
import { failedHook, hooks, INTERRUPT, slept } from "../events.ts";

const review = (...actions: readonly string[]): ChartEvent =>
  doneEvent("reviewCalls", {
    at: 200,
    verdicts: actions.map((action, index) => ({ callId: `c${index + 1}`, action })),
  });

const pending = asking([{}]);
const two = asking([{}, {}]);
const interrupted = { interruption: { cause: "user" } } as const;
const done = asking([{ status: "done" }]);

/** The calls of an answer are reviewed, and hooks see their results. */
export const ACTING: readonly Row[] = [
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
    "a failing hook",
    { ...done, ...interrupted },
    failedHook,
    "stopped.idle",
    "INTERRUPTED",
  ],
  [
    "acting.postHooks.aborting",
    "hooks that ignore their signal",
    { ...done, ...interrupted },
    slept,
    "stopped.idle",
    "INTERRUPTED",
  ],
];

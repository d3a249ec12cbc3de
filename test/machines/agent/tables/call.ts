import { user } from "../../../../src/testing/explorer/messages.ts";
import { asking, type Row } from "../at.ts";
import { callWith, failedHook, GO_ON, hooks, INTERRUPT, SAY } from "../events.ts";

const suspended = asking([{ status: "suspended" }]);
const asks = asking([{ asks: "it asks" }, { status: "approved" }]);
const unfinished = { progress: { resumeAt: "reasoning" } } as const;
const entering = { progress: { resumeAt: "doCall" } } as const;

/** A call arrives. */
export const CALL: readonly Row[] = [
  ["stopped.idle", "a call", {}, SAY, "reasoning.calling.running"],
  ["stopped.idle", "a call that a hook wants to see", { listening: ["preCall"] }, SAY, "doCall.preCall"],
  ["stopped.idle", "results of a call that is not open", {}, callWith("t1", ["c9"]), "stopped.idle"],
  [
    "stopped.unfinished",
    "a call goes on with the turn",
    { progress: { resumeAt: "reasoning" } },
    SAY,
    "reasoning.calling.running",
  ],
  [
    "stopped.unfinished",
    "a call goes on with a batch",
    asking([{ status: "approved" }], { progress: { batchAt: 1, resumeAt: "acting" } }),
    GO_ON,
    "acting.reviewing",
  ],
  [
    "stopped.unfinished",
    "a call goes on with the summary",
    { progress: { resumeAt: "summarizing" } },
    GO_ON,
    "summarizing.calling.running",
  ],
  [
    "stopped.unfinished",
    "a call ends a turn that was being interrupted",
    { progress: { resumeAt: "reasoning" }, interruption: { cause: "user" } },
    GO_ON,
    "stopped.idle",
    "INTERRUPTED",
  ],
  [
    "stopped.unfinished",
    "results of a call that is not open leave it unfinished",
    { progress: { resumeAt: "reasoning" } },
    callWith("t1", ["c9"]),
    "stopped.unfinished",
  ],
  [
    "stopped.unfinished",
    "a call that a hook wants to see",
    { ...entering, listening: ["preCall"] },
    SAY,
    "doCall.preCall",
  ],
  [
    "stopped.unfinished",
    "a call goes on with a batch that hooks want to see",
    asking([{ hooked: false }], { listening: ["preActing"], progress: { resumeAt: "acting" } }),
    GO_ON,
    "acting.preHooks",
  ],
  [
    "stopped.unfinished",
    "a call goes on with a summary that hooks want to see",
    { listening: ["preSummary"], progress: { resumeAt: "summarizing" } },
    GO_ON,
    "summarizing.preHooks",
  ],
  [
    "stopped.unfinished",
    "a call goes on with a summary that must wait",
    { progress: { resumeAt: "summarizing" }, request: { notBeforeAt: 300 } },
    GO_ON,
    "summarizing.backingOff",
  ],
  [
    "doCall.preCall",
    "the hooks are done",
    { listening: ["preCall"] },
    hooks({ input: [user("u2")] }),
    "reasoning.calling.running",
  ],
  ["doCall.preCall", "a hook fails", { listening: ["preCall"] }, failedHook, "stopped.idle"],
  [
    "doCall.preCall",
    "a hook fails and others want to hear of it",
    { listening: ["onError"] },
    failedHook,
    "doCall.onError",
  ],
  ["doCall.preCall", "a hook fails in an unfinished turn", unfinished, failedHook, "stopped.unfinished"],
  ["doCall.preCall", "a hook fails while calls are open", suspended, failedHook, "suspended.waiting"],
  ["doCall.preCall", "an interrupt", {}, INTERRUPT, "stopped.idle", "INTERRUPTED"],
  [
    "doCall.onError",
    "the hooks are done",
    { failure: { code: "run/pending", message: "" } },
    hooks(),
    "stopped.idle",
  ],
  ["doCall.onError", "the hooks are done in an unfinished turn", unfinished, hooks(), "stopped.unfinished"],
  ["doCall.onError", "the hooks are done while calls are open", suspended, hooks(), "suspended.waiting"],
  ["doCall.onError", "a hook fails", {}, failedHook, "stopped.idle"],
  ["doCall.onError", "a hook fails in an unfinished turn", unfinished, failedHook, "stopped.unfinished"],
  ["doCall.onError", "a hook fails while calls are open", suspended, failedHook, "suspended.waiting"],
  [
    "suspended.waiting",
    "a call that a hook wants to see",
    { ...suspended, listening: ["preCall"] },
    SAY,
    "doCall.preCall",
  ],
  ["suspended.waiting", "text", suspended, SAY, "suspended.waiting"],
  [
    "suspended.waiting",
    "text that cancels",
    { ...suspended, settings: { onTextWhilePending: "cancelPending" } },
    SAY,
    "reasoning.calling.running",
  ],
  [
    "suspended.waiting",
    "text that is queued",
    { ...suspended, settings: { onTextWhilePending: "queue" } },
    SAY,
    "suspended.waiting",
  ],
  ["suspended.waiting", "no input", suspended, GO_ON, "acting.reviewing"],
  ["suspended.waiting", "no input before the decision", asks, GO_ON, "suspended.waiting"],
  ["suspended.waiting", "all results", suspended, callWith("t1", ["c1"]), "reasoning.calling.running"],
  ["suspended.waiting", "wrong results", suspended, callWith("t1", ["c2"]), "suspended.waiting"],
  [
    "suspended.waiting",
    "some results",
    asking([{ status: "suspended" }, { status: "suspended" }]),
    callWith("t1", ["c2"]),
    "acting.reviewing",
  ],
  ["suspended.waiting", "an interrupt", suspended, INTERRUPT, "stopped.idle", "INTERRUPTED"],
];

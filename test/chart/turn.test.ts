import { describe, expect, it } from "vitest";
import { message, results, text, thinking, toolUse, user } from "../explorer/messages.ts";
import { doneEvent, errorEvent, type ChartEvent } from "../explorer/pure.ts";
import { asking, draft, outcomeOf, titleOf, type Row } from "./at.ts";

const call = (...input: Parameters<typeof results>): ChartEvent => ({
  type: "call",
  at: 200,
  input: [results(...input)],
});
const SAY: ChartEvent = { type: "call", at: 200, input: [user("u2")] };
const GO_ON: ChartEvent = { type: "call", at: 200, input: [] };
const INTERRUPT: ChartEvent = { type: "run.interrupt", at: 200, cause: "user" };
const hooks = (output: object = {}): ChartEvent => doneEvent("runHooks", { at: 200, ...output });
const failedHook = errorEvent("runHooks", { code: "hook/failed", message: "failed" });
const slept = doneEvent("sleepUntil", { at: 200 });
const answer = (output: object): ChartEvent =>
  doneEvent("callModel", { at: 200, finishReason: "stop", delivered: true, ...output });
const says = (...content: Parameters<typeof message>[2]): ChartEvent =>
  answer({ message: message("a1", "assistant", content) });
const fails = (retry: boolean): ChartEvent =>
  answer({ delivered: false, error: { code: "model/unavailable", message: "down", retry } });

const suspended = asking([{ status: "suspended" }]);
const asks = asking([{ asks: "it asks" }, { status: "approved" }]);

const DO_CALL: readonly Row[] = [
  ["stopped.idle", "a call", {}, SAY, "reasoning.calling.running"],
  ["stopped.idle", "a call that a hook wants to see", { listening: ["preCall"] }, SAY, "doCall.preCall"],
  ["stopped.idle", "results that nobody waits for", {}, call("t1", ["c9"]), "stopped.idle"],
  [
    "stopped.idle",
    "a call while the session is unfinished",
    { progress: { resumeAt: "reasoning" } },
    SAY,
    "stopped.idle",
  ],
  ["stopped.idle", "an interrupt", {}, INTERRUPT, "stopped.idle"],
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
  ["doCall.preCall", "an interrupt", {}, INTERRUPT, "stopped.idle", "INTERRUPTED"],
  [
    "doCall.onError",
    "the hooks are done",
    { failure: { code: "run/pending", message: "" } },
    hooks(),
    "stopped.idle",
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
  ["suspended.waiting", "all results", suspended, call("t1", ["c1"]), "reasoning.calling.running"],
  ["suspended.waiting", "wrong results", suspended, call("t1", ["c2"]), "suspended.waiting"],
  [
    "suspended.waiting",
    "some results",
    asking([{ status: "suspended" }, { status: "suspended" }]),
    call("t1", ["c2"]),
    "acting.reviewing",
  ],
  ["suspended.waiting", "an interrupt", suspended, INTERRUPT, "stopped.idle", "INTERRUPTED"],
];

const open = { draft: draft(), request: { attempt: 1 } };
const REASONING: readonly Row[] = [
  ["reasoning.calling.running", "an answer", {}, says(text("hello")), "stopped.idle", "MODEL_STOP"],
  [
    "reasoning.calling.running",
    "an answer that hooks want to see",
    { listening: ["postReasoning"] },
    says(text("hello")),
    "reasoning.postHooks",
  ],
  ["reasoning.calling.running", "calls", {}, says(toolUse("c1")), "acting.reviewing"],
  [
    "reasoning.calling.running",
    "calls that hooks want to see",
    { listening: ["preActing"] },
    says(toolUse("c1")),
    "acting.preHooks",
  ],
  ["reasoning.calling.running", "thinking only", {}, says(thinking("hm")), "reasoning.calling.running"],
  [
    "reasoning.calling.running",
    "nothing, once too often",
    { progress: { emptyRetries: 1 } },
    says(),
    "stopped.idle",
    "ERROR",
  ],
  [
    "reasoning.calling.running",
    "nothing, filtered",
    {},
    answer({ finishReason: "content_filter" }),
    "stopped.idle",
    "ERROR",
  ],
  [
    "reasoning.calling.running",
    "a failure that may be retried",
    { request: { attempt: 1 } },
    fails(true),
    "reasoning.backingOff",
  ],
  [
    "reasoning.calling.running",
    "the same, at the last attempt",
    { request: { attempt: 2 } },
    fails(true),
    "stopped.idle",
    "ERROR",
  ],
  [
    "reasoning.calling.running",
    "the same, with another model",
    { request: { attempt: 2 }, settings: { hasFallback: true } },
    fails(true),
    "reasoning.calling.running",
  ],
  [
    "reasoning.calling.running",
    "a final failure",
    { request: { attempt: 1 } },
    fails(false),
    "stopped.idle",
    "ERROR",
  ],
  ["reasoning.calling.running", "its time is over", {}, slept, "reasoning.calling.aborting"],
  ["reasoning.calling.running", "an interrupt", {}, INTERRUPT, "reasoning.calling.aborting"],
  [
    "reasoning.calling.aborting",
    "the partial answer of an interrupted one",
    { interruption: { cause: "user" } },
    says(text("he")),
    "stopped.idle",
    "INTERRUPTED",
  ],
  [
    "reasoning.calling.aborting",
    "a deaf model, interrupted",
    { interruption: { cause: "user" } },
    slept,
    "stopped.idle",
    "INTERRUPTED",
  ],
  [
    "reasoning.calling.aborting",
    "a deaf model, out of time",
    { request: { timedOut: true, attempt: 1 } },
    slept,
    "stopped.idle",
    "ERROR",
  ],
  [
    "reasoning.calling.aborting",
    "an interrupted one, interrupted again",
    { interruption: { cause: "user" } },
    INTERRUPT,
    "reasoning.calling.aborting",
  ],
  ["reasoning.backingOff", "the time has come", {}, slept, "reasoning.calling.running"],
  ["reasoning.backingOff", "an interrupt", {}, INTERRUPT, "stopped.idle", "INTERRUPTED"],
  ["reasoning.postHooks", "nothing is changed", open, hooks(), "stopped.idle", "MODEL_STOP"],
  ["reasoning.postHooks", "a stop", open, hooks({ stop: true }), "stopped.idle", "REASONING_STOP_REQUESTED"],
  [
    "reasoning.postHooks",
    "a stop with calls",
    { draft: draft("c1") },
    hooks({ stop: true }),
    "suspended.waiting",
    "REASONING_STOP_REQUESTED",
  ],
  ["reasoning.postHooks", "a goto", open, hooks({ goto: [] }), "reasoning.calling.running"],
  [
    "reasoning.postHooks",
    "a goto too many",
    { ...open, progress: { gotos: 1 } },
    hooks({ goto: [] }),
    "stopped.idle",
    "ERROR",
  ],
  ["reasoning.postHooks", "a failing hook", open, failedHook, "stopped.idle", "ERROR"],
  ["reasoning.preHooks", "the hooks are done", {}, hooks({ edit: {} }), "reasoning.calling.running"],
];

const last = { progress: { iteration: 3 }, draft: draft() };
const SUMMARIZING: readonly Row[] = [
  [
    "reasoning.postHooks",
    "a goto at the limit",
    { draft: draft(), progress: { iteration: 3 } },
    hooks({ goto: [] }),
    "reasoning.calling.running",
  ],
  [
    "stopped.idle",
    "a call at the limit of a stopped turn",
    { progress: { iteration: 2, continues: true } },
    GO_ON,
    "summarizing.calling.running",
  ],
  ["summarizing.preHooks", "the hooks are done", last, hooks({ edit: {} }), "summarizing.calling.running"],
  ["summarizing.preHooks", "a hook fails", last, failedHook, "stopped.idle", "MAX_ITERATIONS"],
  [
    "summarizing.calling.running",
    "the summary",
    last,
    says(text("in short")),
    "stopped.idle",
    "MAX_ITERATIONS",
  ],
  [
    "summarizing.calling.running",
    "a failure that may be retried",
    { ...last, request: { attempt: 1 } },
    fails(true),
    "summarizing.backingOff",
  ],
  ["summarizing.calling.running", "a final failure", last, fails(false), "stopped.idle", "MAX_ITERATIONS"],
  ["summarizing.calling.running", "an interrupt", last, INTERRUPT, "summarizing.calling.aborting"],
  [
    "summarizing.calling.aborting",
    "a deaf model",
    { ...last, interruption: { cause: "user" } },
    slept,
    "stopped.idle",
    "INTERRUPTED",
  ],
  ["summarizing.backingOff", "the time has come", last, slept, "summarizing.calling.running"],
  ["summarizing.postHooks", "the hooks are done", last, hooks(), "stopped.idle", "MAX_ITERATIONS"],
];

describe.each([
  ["doCall", DO_CALL],
  ["reasoning", REASONING],
  ["summarizing", SUMMARIZING],
])("%s, one event at a time", (_, rows) => {
  it.each(rows.map((row) => [titleOf(row), row] as const))("%s", (_title, row) => {
    expect(outcomeOf(row)).toEqual([row[4], row[5]]);
  });
});

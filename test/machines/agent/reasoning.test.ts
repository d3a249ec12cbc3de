import { describe, expect, it } from "vitest";
import { text, thinking, toolUse } from "../../laws/explorer/messages.ts";
import { draft, outcomeOf, titleOf, type Row } from "./at.ts";
import { answer, failedHook, fails, hooks, INTERRUPT, says, slept } from "./events.ts";

const open = { draft: draft(), request: { attempt: 1 } };
const REASONING: readonly Row[] = [
  ["reasoning.calling.running", "an answer", {}, says(text("hello")), "stopped.idle", "MODEL_STOP"],
  [
    "reasoning.calling.running",
    "an answer that hooks want to see",
    { listening: ["postReasoning"] },
    says(text("hello")),
    "reasoning.postHooks.running",
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
  ["reasoning.postHooks.running", "nothing is changed", open, hooks(), "stopped.idle", "MODEL_STOP"],
  [
    "reasoning.postHooks.running",
    "a stop",
    open,
    hooks({ stop: true }),
    "stopped.idle",
    "REASONING_STOP_REQUESTED",
  ],
  [
    "reasoning.postHooks.running",
    "a stop with calls",
    { draft: draft("c1") },
    hooks({ stop: true }),
    "suspended.waiting",
    "REASONING_STOP_REQUESTED",
  ],
  ["reasoning.postHooks.running", "a goto", open, hooks({ goto: [] }), "reasoning.calling.running"],
  [
    "reasoning.postHooks.running",
    "a goto too many",
    { ...open, progress: { gotos: 1 } },
    hooks({ goto: [] }),
    "stopped.idle",
    "ERROR",
  ],
  ["reasoning.postHooks.running", "a failing hook", open, failedHook, "stopped.idle", "ERROR"],
  ["reasoning.preHooks", "the hooks are done", {}, hooks({ edit: {} }), "reasoning.calling.running"],
  ["reasoning.postHooks.running", "an interrupt", open, INTERRUPT, "reasoning.postHooks.aborting"],
  [
    "reasoning.postHooks.aborting",
    "the hooks are done",
    { ...open, interruption: { cause: "user" } },
    hooks(),
    "stopped.idle",
    "INTERRUPTED",
  ],
  [
    "reasoning.postHooks.aborting",
    "deaf hooks",
    { ...open, interruption: { cause: "user" } },
    slept,
    "stopped.idle",
    "INTERRUPTED",
  ],
];

describe("reasoning, one event at a time", () => {
  it.each(REASONING.map((row) => [titleOf(row), row] as const))("%s", (_title, row) => {
    expect(outcomeOf(row)).toEqual([row[4], row[5]]);
  });
});

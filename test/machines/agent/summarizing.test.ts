import { describe, expect, it } from "vitest";
import { text } from "../../laws/explorer/messages.ts";
import { draft, outcomeOf, titleOf, type Row } from "./at.ts";
import { failedHook, fails, GO_ON, hooks, INTERRUPT, says, slept } from "./events.ts";

const last = { progress: { iteration: 3 }, draft: draft() };
const SUMMARIZING: readonly Row[] = [
  [
    "reasoning.postHooks.running",
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

describe("summarizing, one event at a time", () => {
  it.each(SUMMARIZING.map((row) => [titleOf(row), row] as const))("%s", (_title, row) => {
    expect(outcomeOf(row)).toEqual([row[4], row[5]]);
  });
});

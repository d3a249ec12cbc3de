import { Transcript } from "../../../../src/core/message/transcript.ts";
import { results, user } from "../../../../src/testing/explorer/messages.ts";
import { asking, inbox, type Given } from "../at.ts";
import type { Branch } from "./branch.ts";

const text = inbox({ input: [user("u2")] });
const brings = (...callIds: readonly string[]): Given => inbox({ input: [results("t1", callIds)] });
const suspended = { status: "suspended" } as const;
const asks = { asks: "it asks" };
const goesOn = (isAnswered: boolean) =>
  ({
    status: "suspended",
    resume: {
      round: 1,
      state: null,
      attempts: 1,
      asks: [
        { ask: { id: "q", kind: "form", message: "?" }, ...(isAnswered && { decided: { respond: 1 } }) },
      ],
    },
  }) as const;
const unfinished = { progress: { resumeAt: "reasoning" } } as const;

/** A call is accepted, or refused. */
export const CHECKING_PENDING: readonly Branch[] = [
  [
    "wrong results, and a hook wants to hear of it",
    { ...brings("c9"), listening: ["onError"] },
    "doCall.onError",
    "takeResults",
  ],
  [
    "wrong results for an unfinished turn",
    { ...brings("c9"), ...unfinished },
    "stopped.unfinished",
    "takeResults",
    "settle",
  ],
  [
    "wrong results while calls are open",
    asking([suspended], brings("c9")),
    "suspended.waiting",
    "takeResults",
  ],
  ["results of a call that is not open", brings("c9"), "stopped.idle", "takeResults"],
  [
    "results beside a call that asks",
    asking([suspended, asks], brings("c1")),
    "suspended",
    "takeResults",
    "suspendUndecided",
  ],
  [
    "some of the results, and a hook wants to see the other calls",
    { ...asking([suspended, suspended], brings("c1")), listening: ["preActing"] },
    "acting.preHooks",
    "takeResults",
    "rerunSuspended",
  ],
  [
    "some of the results",
    asking([suspended, suspended], brings("c1")),
    "acting.reviewing",
    "takeResults",
    "rerunSuspended",
  ],
  [
    "all results of a batch that has handed the session over",
    asking([suspended], { ...brings("c1"), progress: { handoff: "billing" } }),
    "reasoning",
    "takeResults",
    "applyHandoff",
    "countRound",
  ],
  ["all results", asking([suspended], brings("c1")), "reasoning", "takeResults", "countRound"],
  [
    "wrong results for a turn that rests over its budget",
    { ...brings("c9"), progress: { exceeded: "cost" } },
    "suspended.waiting",
    "takeResults",
  ],
  [
    "a turn that rests over its budget",
    { ...text, progress: { exceeded: "cost" } },
    "reasoning",
    "continueTurn",
  ],
  ["no open call", text, "reasoning", "acceptInput"],
  [
    "nothing to ask a model, and a hook wants to hear of it",
    { transcript: Transcript.of(), listening: ["onError"] },
    "doCall.onError",
    "refuseInput",
  ],
  ["nothing to ask a model", { transcript: Transcript.of() }, "stopped.idle", "refuseInput"],
  [
    "text before a decision, and a hook wants to hear of it",
    { ...asking([asks], text), listening: ["onError"] },
    "doCall.onError",
    "refuseInput",
  ],
  [
    "text before a decision, in an unfinished turn",
    asking([asks], { ...text, ...unfinished }),
    "stopped.unfinished",
    "refuseInput",
    "settle",
  ],
  ["text before a decision", asking([asks], text), "suspended.waiting", "refuseInput"],
  ["no input before a decision", asking([asks]), "suspended.waiting", "refuseInput"],
  ["no input before an answer", asking([goesOn(false)]), "suspended.waiting", "refuseInput"],
  [
    "no input once the questions are answered: no hook sees the call again",
    { ...asking([goesOn(true)]), listening: ["preActing"] },
    "acting.reviewing",
    "rerunSuspended",
  ],
  [
    "results beside a call whose question is open",
    asking([suspended, goesOn(false)], brings("c1")),
    "suspended",
    "takeResults",
    "suspendUndecided",
  ],
  [
    "no input, and a hook wants to see the open calls",
    { ...asking([suspended]), listening: ["preActing"] },
    "acting.preHooks",
    "rerunSuspended",
  ],
  ["no input while calls are open", asking([suspended]), "acting.reviewing", "rerunSuspended"],
  [
    "text that cancels open calls",
    asking([suspended], { ...text, settings: { onTextWhilePending: "cancelPending" } }),
    "reasoning",
    "cancelPending",
  ],
  [
    "no input while calls are open that text would cancel",
    asking([suspended], { settings: { onTextWhilePending: "cancelPending" } }),
    "acting.reviewing",
    "rerunSuspended",
  ],
  [
    "text that is queued behind open calls",
    asking([suspended], { ...text, settings: { onTextWhilePending: "queue" } }),
    "suspended.waiting",
    "queueInput",
  ],
  [
    "text while calls are open, and a hook wants to hear of it",
    { ...asking([suspended], text), listening: ["onError"] },
    "doCall.onError",
    "refuseInput",
  ],
  [
    "text while calls are open, in an unfinished turn",
    asking([suspended], { ...text, ...unfinished }),
    "stopped.unfinished",
    "refuseInput",
    "settle",
  ],
  ["text while calls are open", asking([suspended], text), "suspended.waiting", "refuseInput"],
];

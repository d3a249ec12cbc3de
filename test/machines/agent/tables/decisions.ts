import { results, user } from "../../../laws/explorer/messages.ts";
import { asking, draft, inbox, wanting, type Given } from "../at.ts";
import type { Branch } from "./branch.ts";

const text = inbox({ input: [user("u2")] });
const brings = (...callIds: readonly string[]): Given => inbox({ input: [results("t1", callIds)] });
const suspended = { status: "suspended" } as const;
const asks = { asks: "it asks" };
const approved = { status: "approved" } as const;
const done = { status: "done" } as const;
const interruption = { interruption: { cause: "user" } } as const;
const unfinished = { progress: { resumeAt: "reasoning" } } as const;

const CHECKING_PENDING: readonly Branch[] = [
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
  ["results that nobody waits for", brings("c9"), "stopped.idle", "takeResults"],
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
  ["all results", asking([suspended], brings("c1")), "reasoning", "takeResults", "countRound"],
  [
    "a turn that rests over its budget",
    { ...text, progress: { exceeded: "cost" } },
    "reasoning",
    "continueTurn",
  ],
  ["no open call", text, "reasoning", "acceptInput"],
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

const overBudget = { budget: { modelCalls: 0 } };
const CHECKING_LIMITS: readonly Branch[] = [
  ["the structured output is there", wanting({ value: 1 }), "stopped.settling", "storeOutput"],
  [
    "the process shuts down",
    { progress: { draining: true } },
    "stopped.unfinished",
    "park: reasoning",
    "deliverWaiting",
    "settle",
  ],
  [
    "the budget is used up and ends the turn",
    { settings: { ...overBudget, onBudget: "stop" } },
    "stopped.settling",
    "stopForBudget",
  ],
  ["the budget is used up", { settings: overBudget }, "suspended", "suspendForBudget"],
  [
    "the iterations are used up, and a hook wants to see the prompt",
    { progress: { iteration: 3 }, listening: ["preSummary"] },
    "summarizing.preHooks",
    "beginSummary",
    "closeForLimit",
  ],
  [
    "the iterations are used up",
    { progress: { iteration: 3 } },
    "summarizing.calling",
    "beginSummary",
    "closeForLimit",
  ],
  ["a hook wants to see the prompt", { listening: ["preReasoning"] }, "reasoning.preHooks"],
  ["the request must wait", { request: { notBeforeAt: 200 } }, "reasoning.backingOff"],
  ["nothing is in the way", {}, "reasoning.calling"],
];

const DECIDING_THE_ANSWER: readonly Branch[] = [
  [
    "a hook stops an answer with calls",
    { draft: draft("c1"), stop: true },
    "suspended",
    "suspendTurn: REASONING_STOP_REQUESTED",
  ],
  [
    "a hook stops an answer without calls",
    { draft: draft(), stop: true },
    "stopped.settling",
    "endTurn: REASONING_STOP_REQUESTED",
  ],
  ["a hook asks for another step", { draft: draft(), goto: [] }, "reasoning.checkingLimits", "acceptGoto"],
  [
    "the answer is the structured output",
    { ...wanting({ mode: "native" }), draft: { ...draft()!, value: 1 } },
    "stopped.settling",
    "keepOutput",
  ],
  [
    "a steering message waits",
    { draft: draft(), ...inbox({ steering: [user("u2")] }) },
    "reasoning.checkingLimits",
    "countRound",
  ],
  [
    "the structured output is missing",
    { draft: draft(), ...wanting({}) },
    "reasoning.checkingLimits",
    "remind",
  ],
  [
    "the structured output is missing after all reminders",
    { draft: draft(), ...wanting({ reminders: 3 }) },
    "stopped.failing",
    "failOutput",
  ],
  ["an answer without calls", { draft: draft() }, "stopped.settling", "endTurn: MODEL_STOP"],
  ["calls that a hook wants to see", { draft: draft("c1"), listening: ["preActing"] }, "acting.preHooks"],
  ["calls", { draft: draft("c1") }, "acting.reviewing"],
];

const noCalls = { budget: { toolCalls: 0 } };
const AUTHORIZING: readonly Branch[] = [
  ["a call asks", asking([approved, asks]), "suspended", "suspendTurn: APPROVAL_REQUIRED"],
  [
    "the outcome of a call is unknown",
    asking([approved, { status: "unknown" }]),
    "suspended",
    "suspendTurn: OUTCOME_UNKNOWN",
  ],
  ["every call has its result", asking([done]), "acting.deciding"],
  [
    "the budget does not suffice and ends the turn",
    asking([approved], { settings: { ...noCalls, onBudget: "stop" } }),
    "stopped.settling",
    "stopForBudget",
  ],
  ["the budget does not suffice", asking([approved], { settings: noCalls }), "suspended", "suspendForBudget"],
  [
    "the process shuts down",
    asking([approved], { progress: { draining: true } }),
    "stopped.unfinished",
    "park: acting",
    "deliverWaiting",
    "settle",
  ],
  [
    "a call may run and a store is configured",
    asking([approved], { settings: { isDurable: true } }),
    "acting.executing.committing",
    "startCalls",
  ],
  ["a call may run", asking([approved]), "acting.executing.running", "startCalls"],
];

const DECIDING_THE_RESULTS: readonly Branch[] = [
  [
    "a hook wants to see a result of an interrupted turn",
    asking([done], { ...interruption, listening: ["postActing"] }),
    "acting.postHooks.aborting",
  ],
  ["a hook wants to see a result", asking([done], { listening: ["postActing"] }), "acting.postHooks"],
  ["the turn was interrupted", asking([done], interruption), "stopped.interrupting"],
  [
    "a hook has stopped the turn while a call is suspended",
    asking([done, suspended], { stop: true }),
    "suspended",
    "suspendTurn: ACTING_STOP_REQUESTED",
  ],
  [
    "a hook has stopped the turn",
    asking([done], { stop: true }),
    "stopped.settling",
    "endTurn: ACTING_STOP_REQUESTED",
  ],
  ["a call is suspended", asking([done, suspended]), "suspended", "suspendTurn: TOOL_SUSPENDED"],
  ["every result is stored", asking([done]), "reasoning", "countRound"],
];

/** The decisions of the agent's chart, with one row for each branch. */
export const DECISIONS: { readonly [decision: string]: readonly Branch[] } = {
  "doCall.checkingPending": CHECKING_PENDING,
  "reasoning.checkingLimits": CHECKING_LIMITS,
  "reasoning.deciding": DECIDING_THE_ANSWER,
  "acting.authorizing": AUTHORIZING,
  "acting.deciding": DECIDING_THE_RESULTS,
  "suspended.settling": [
    ["a hook wants to see the reply", { listening: ["postCall"] }, "suspended.postCall"],
    ["no hook wants to see it", {}, "suspended.waiting"],
  ],
  "stopped.settling": [
    ["a hook wants to see the reply", { listening: ["postCall"] }, "stopped.postCall"],
    ["no hook wants to see it", {}, "stopped.idle"],
  ],
  "stopped.interrupting": [
    ["a hook wants to hear of it", { ...interruption, listening: ["onInterrupt"] }, "stopped.onInterrupt"],
    ["no hook wants to hear of it", interruption, "stopped.idle"],
  ],
  "stopped.failing": [
    ["a hook wants to hear of it", { listening: ["onError"] }, "stopped.onError"],
    ["no hook wants to hear of it", {}, "stopped.idle"],
  ],
};

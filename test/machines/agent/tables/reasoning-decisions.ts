import { user } from "../../../../src/testing/explorer/messages.ts";
import { draft, inbox, wanting, type Given } from "../at.ts";
import { full } from "../guards/compaction.ts";
import type { Branch } from "./branch.ts";

const overBudget = { budget: { modelCalls: 0 } };
const nearWindow: Given = { ...full({ progress: { iteration: 3 } }), listening: ["preReasoning"] };
/** Breakpoints of which one may hold a request. */
export const held: Given = {
  slots: {
    "tools.breakpoints": { value: [{ tool: "pay" }, { state: "reasoning" }], version: 1, revision: 1 },
  },
};
const everything: Given = {
  progress: { iteration: 3, draining: true },
  settings: { ...overBudget, onBudget: "stop" },
  listening: ["preReasoning", "preSummary"],
  request: { notBeforeAt: 200 },
};
/** The loop goes round. Of the reasons not to ask the model, the first one counts. */
export const CHECKING_LIMITS: readonly Branch[] = [
  [
    "the structured output is there, and all else is in the way",
    { ...everything, ...wanting({ value: 1 }) },
    "stopped.settling",
    "storeOutput",
  ],
  [
    "the process shuts down, the budget and the iterations are used up",
    everything,
    "stopped.unfinished",
    "park: reasoning",
    "deliverWaiting",
    "settle",
  ],
  [
    "the budget and the iterations are used up",
    { ...everything, progress: { iteration: 3 }, settings: overBudget },
    "suspended",
    "suspendForBudget",
  ],
  [
    "the iterations are used up and the request must wait",
    { progress: { iteration: 3 }, request: { notBeforeAt: 200 }, listening: ["preReasoning"] },
    "summarizing.calling",
    "beginSummary",
    "closeForLimit",
  ],
  [
    "a hook wants to see the prompt of a request that must wait",
    { listening: ["preReasoning"], request: { notBeforeAt: 200 } },
    "reasoning.preHooks",
  ],
  ["the prompt is near the window, also at the last iteration", nearWindow, "reasoning.compacting"],
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
  ["breakpoints may hold the request", held, "reasoning.checkingBreakpoints"],
  [
    "the budget is used up, and breakpoints may hold the request",
    { ...held, settings: overBudget },
    "suspended",
    "suspendForBudget",
  ],
  [
    "breakpoints may hold the request, and all behind them is in the way",
    { ...nearWindow, ...held },
    "reasoning.checkingBreakpoints",
  ],
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

/** The answer of the model is stored. */
export const DECIDING_THE_ANSWER: readonly Branch[] = [
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
  [
    "a hook stops and asks for another step",
    { draft: draft(), stop: true, goto: [] },
    "stopped.settling",
    "endTurn: REASONING_STOP_REQUESTED",
  ],
  [
    "a hook asks for another step after the structured output",
    { ...wanting({ mode: "native", value: 1 }), draft: draft(), goto: [] },
    "reasoning.checkingLimits",
    "acceptGoto",
  ],
  [
    "a steering message waits after the structured output",
    { ...wanting({ mode: "native", value: 1 }), draft: draft(), ...inbox({ steering: [user("u2")] }) },
    "stopped.settling",
    "keepOutput",
  ],
  [
    "a steering message waits and the structured output is missing",
    { ...wanting({}), draft: draft(), ...inbox({ steering: [user("u2")] }) },
    "reasoning.checkingLimits",
    "countRound",
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
  [
    "calls of a tool that may run whatever its arguments are",
    { draft: draft("c1"), allowed: { tool: {} } },
    "acting.authorizing",
    "allowCalls",
  ],
  ["calls", { draft: draft("c1") }, "acting.reviewing"],
];

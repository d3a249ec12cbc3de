import { asking } from "../at.ts";
import { refund, RULED } from "../ruled.ts";
import type { Branch } from "./branch.ts";

const suspended = { status: "suspended" } as const;
const asks = { asks: "it asks" };
const approved = { status: "approved" } as const;
const done = { status: "done" } as const;
const interruption = { interruption: { cause: "user" } } as const;
const noCalls = { budget: { toolCalls: 0 } };
/** Every call has a verdict. */
export const AUTHORIZING: readonly Branch[] = [
  ["a call asks", asking([approved, asks]), "suspended", "suspendTurn: APPROVAL_REQUIRED"],
  [
    "the outcome of a call is unknown",
    asking([approved, { status: "unknown" }]),
    "suspended",
    "suspendTurn: OUTCOME_UNKNOWN",
  ],
  [
    "a call asks and another has an unknown outcome",
    asking([{ status: "unknown" }, asks]),
    "suspended",
    "suspendTurn: APPROVAL_REQUIRED",
  ],
  [
    "the budget does not suffice and the process shuts down",
    asking([approved], { settings: noCalls, progress: { draining: true } }),
    "suspended",
    "suspendForBudget",
  ],
  [
    "the process shuts down and a store is configured",
    asking([approved], { settings: { isDurable: true }, progress: { draining: true } }),
    "stopped.unfinished",
    "park: acting",
    "deliverWaiting",
    "settle",
  ],
  [
    "a call breaks a rule",
    asking([{ ...refund, ...approved }], RULED),
    "acting.authorizing",
    "refuseByRules",
  ],
  [
    "a call breaks a rule and another asks",
    asking([{ ...refund, ...approved }, asks], RULED),
    "suspended",
    "suspendTurn: APPROVAL_REQUIRED",
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

/** The results are stored. */
export const DECIDING_THE_RESULTS: readonly Branch[] = [
  [
    "a hook wants to see a result of an interrupted turn",
    asking([done], { ...interruption, listening: ["postActing"] }),
    "acting.postHooks.aborting",
  ],
  ["a hook wants to see a result", asking([done], { listening: ["postActing"] }), "acting.postHooks"],
  ["the turn was interrupted", asking([done], interruption), "stopped.interrupting"],
  [
    "the turn was interrupted after a hook has stopped it",
    asking([done, suspended], { ...interruption, stop: true }),
    "stopped.interrupting",
  ],
  [
    "a hook has stopped the turn and wants to see another result",
    asking([done], { stop: true, listening: ["postActing"] }),
    "acting.postHooks",
  ],
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
  [
    "a call has handed the session over",
    asking([done], { progress: { handoff: "billing" } }),
    "reasoning",
    "applyHandoff",
    "countRound",
  ],
  [
    "a call has handed the session over and another is suspended",
    asking([done, suspended], { progress: { handoff: "billing" } }),
    "suspended",
    "suspendTurn: TOOL_SUSPENDED",
  ],
  ["every result is stored", asking([done]), "reasoning", "countRound"],
];

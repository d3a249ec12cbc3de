import { user } from "../../../../src/testing/explorer/messages.ts";
import type { JsonObject } from "../../../../src/core/base/json.ts";
import { asking, draft, inbox, wanting, type Given } from "../at.ts";
import {
  adopt,
  AGENT,
  checked,
  GO_ON,
  interrupt,
  INTERRUPT,
  load,
  OTHER_AGENT,
  SAY,
  turnOf,
} from "../events.ts";
import type { GuardTable } from "./guard.ts";

const open = [{}];
const stored = [{ status: "done", stored: true }] as const;
const approved = [{ status: "approved" }] as const;
const interruption = { interruption: { cause: "user" } } as const;
const outcome = { outcome: { reason: "INTERRUPTED", cause: "user" } } as const;
const ending = { progress: { ending: { at: "stopped.onError", outcome: { reason: "ERROR" } } } } as const;
const ENDS_THERE = { at: "stopped.onError", point: "onError" } as const;
const spent = {
  modelCalls: 2,
  toolCalls: 2,
  startedAt: 90,
  iterations: 1,
  usage: { inputTokens: 5, outputTokens: 5, cost: 1 },
};
const policy = (onChangedAgent: "adopt" | "pin" | "hold") => ({ settings: { onChangedAgent } });
const budget = (limits: object, onBudget: "suspend" | "stop" = "suspend") => ({
  settings: { budget: limits, onBudget },
  progress: { stats: spent },
});

const watched = (...value: readonly JsonObject[]): Given => ({
  slots: { "tools.breakpoints": { value, version: 1, revision: 1 } },
});

/** The guards that judge how far a turn may go, and how it ended. */
export const TURN_GUARDS: GuardTable = {
  listens: {
    holds: [
      [
        "a hook listens to the point",
        { listening: ["postCall", "preCall"] },
        undefined,
        { point: "preCall" },
      ],
    ],
    fails: [["hooks listen to others", { listening: ["postCall"] }, undefined, { point: "preCall" }]],
  },
  resumesIn: {
    holds: [["it was cut off there", { progress: { resumeAt: "acting" } }, undefined, { place: "acting" }]],
    fails: [
      ["it was cut off elsewhere", { progress: { resumeAt: "reasoning" } }, undefined, { place: "acting" }],
      ["it was not cut off", {}, undefined, { place: "acting" }],
    ],
  },
  isUnfinished: {
    holds: [["the turn was cut off", { progress: { resumeAt: "summarizing" } }]],
    fails: [["the turn has ended", {}]],
  },
  endsIn: {
    holds: [["hooks were cut off there", { ...ending, listening: ["onError"] }, undefined, ENDS_THERE]],
    fails: [
      ["no hook listens any more", ending, undefined, ENDS_THERE],
      [
        "hooks were cut off elsewhere",
        { ...ending, listening: ["onError"] },
        undefined,
        { ...ENDS_THERE, at: "doCall.onError" },
      ],
      ["no hooks were cut off", { listening: ["onError"] }, undefined, ENDS_THERE],
    ],
  },
  mustEndFirst: {
    holds: [["the call has a message", { progress: { resumeAt: "ending" } }, SAY]],
    fails: [
      ["the call has none", { progress: { resumeAt: "ending" } }, GO_ON],
      ["the turn was cut off before its end", { progress: { resumeAt: "reasoning" } }, SAY],
    ],
  },
  staysSuspended: {
    holds: [
      ["a call is open", asking(open)],
      ["the turn rests over its budget", { progress: { exceeded: "cost" } }],
    ],
    fails: [
      ["nothing is open", asking(stored)],
      ["a call is open in an unfinished turn", asking(open, { progress: { resumeAt: "acting" } })],
      ["it rests over its budget, unfinished", { progress: { exceeded: "cost", resumeAt: "reasoning" } }],
    ],
  },
  isOtherAgent: {
    holds: [
      ["a tool differs", turnOf(AGENT), adopt()],
      ["the prompt differs", turnOf(AGENT), adopt({ ...AGENT, prompt: "other" })],
      ["the permissions differ", turnOf(AGENT), adopt({ ...AGENT, permissions: "other" })],
      [
        "a tool is gone, in a suspended turn",
        asking(open, turnOf(AGENT, null)),
        adopt({ ...AGENT, tools: {} }),
      ],
      ["the turn rests over its budget", { progress: { agent: AGENT, exceeded: "cost" } }, adopt()],
    ],
    fails: [
      ["it is the same agent", turnOf(AGENT), adopt({ ...AGENT })],
      ["no turn is open", turnOf(AGENT, null), adopt()],
      ["the turn has its outcome", { progress: { agent: AGENT, resumeAt: "ending" } }, adopt()],
      ["the turn does not say which agent it has", { progress: { resumeAt: "reasoning" } }, adopt()],
    ],
  },
  isLeftToOthers: {
    holds: [
      ["another agent's turn is pinned", policy("pin"), load(turnOf(AGENT), { agent: OTHER_AGENT })],
      [
        "another agent's turn is pinned, whoever released it",
        policy("pin"),
        load(turnOf(AGENT), { agent: OTHER_AGENT, isReleased: true }),
      ],
      ["another agent's turn is held", policy("hold"), load(turnOf(AGENT), { agent: OTHER_AGENT })],
    ],
    fails: [
      ["the turn is adopted", policy("adopt"), load(turnOf(AGENT), { agent: OTHER_AGENT })],
      [
        "a person has released it",
        policy("hold"),
        load(turnOf(AGENT), { agent: OTHER_AGENT, isReleased: true }),
      ],
      ["it is the same agent", policy("pin"), load(turnOf(AGENT), { agent: AGENT })],
      ["no turn is open", policy("pin"), load(turnOf(AGENT, null), { agent: OTHER_AGENT })],
      ["nobody says who loads it", policy("pin"), load(turnOf(AGENT))],
    ],
  },
  isOverBudget: {
    holds: [["the turn rests over its budget", asking(stored, { progress: { exceeded: "cost" } })]],
    fails: [
      ["a call is open", asking(open, { progress: { exceeded: "cost" } })],
      ["the turn rests for another reason", {}],
    ],
  },
  wasInterrupted: {
    holds: [["the turn was interrupted", interruption]],
    fails: [["the turn was not interrupted", {}]],
  },
  isInterrupted: {
    holds: [["the turn is interrupted", interruption]],
    fails: [["the turn is not interrupted", {}]],
  },
  isByLimit: {
    holds: [
      ["the signal of the call has aborted", {}, interrupt({ cause: "signal" })],
      ["the time of the call is over", {}, interrupt({ cause: "timeout" })],
    ],
    fails: [["the user interrupts", {}, INTERRUPT]],
  },
  keepsAnswer: {
    holds: [
      ["the user interrupted a finished answer", { ...interruption, draft: draft() }],
      [
        "the answer is the structured output",
        { ...interruption, ...wanting({ mode: "native" }), draft: { ...draft()!, value: { answer: 1 } } },
      ],
    ],
    fails: [
      ["there is no answer", interruption],
      ["the turn is not interrupted", { draft: draft() }],
      ["the time of the call is over", { interruption: { cause: "timeout" }, draft: draft() }],
      ["the answer has a call", { ...interruption, draft: draft("c1") }],
      ["a hook has asked to stop", { ...interruption, draft: draft(), stop: true }],
      ["a hook has asked for another step", { ...interruption, draft: draft(), goto: [] }],
      ["the structured output is missing", { ...interruption, ...wanting({}), draft: draft() }],
    ],
  },
  saysMore: {
    holds: [
      ["the interrupt has a message", outcome, interrupt({ message: user("m1") })],
      ["the interrupt has another cause", outcome, interrupt({ cause: "timeout" })],
    ],
    fails: [
      ["the user interrupts again", outcome, INTERRUPT],
      [
        "the time runs out again",
        { outcome: { reason: "INTERRUPTED", cause: "timeout" } },
        interrupt({ cause: "timeout" }),
      ],
      [
        "the user interrupts after the time ran out",
        { outcome: { reason: "INTERRUPTED", cause: "timeout" } },
        INTERRUPT,
      ],
    ],
  },
  isDraining: {
    holds: [["the process shuts down", { progress: { draining: true } }]],
    fails: [["the process goes on", {}]],
  },
  hasBreakpoints: {
    holds: [
      ["one is about a state", watched({ tool: "pay" }, { state: "reasoning" })],
      ["one is about the cost", watched({ cost: 1 })],
    ],
    fails: [
      ["there are none", {}],
      ["the list is empty", watched()],
      ["all are about calls", watched({ tool: "*", state: "doCall" }, { same: 2 }, { where: [] })],
      [
        "what is stored is not a list",
        { slots: { "tools.breakpoints": { value: { tokens: 1 }, version: 1, revision: 1 } } },
      ],
    ],
  },
  meetsBreakpoint: {
    holds: [["one of them holds", {}, checked("Breakpoint: cost 1 or more")]],
    fails: [["none holds", {}, checked()]],
  },
  overBudget: {
    holds: [
      ["the model calls are used up", budget({ modelCalls: 2 })],
      ["the input tokens are used up", budget({ inputTokens: 5 })],
      ["the output tokens are used up", budget({ outputTokens: 5 })],
      ["the tokens are used up", budget({ totalTokens: 10 })],
      ["the cost is reached", budget({ cost: 1 })],
      ["the time is used up", budget({ wallMs: 10 })],
    ],
    fails: [
      ["there is no limit", budget({})],
      ["no limit is reached", budget({ modelCalls: 3, totalTokens: 11, cost: 2, wallMs: 11 })],
      ["the tool calls are used up", budget({ toolCalls: 0 })],
      [
        "the limit was raised",
        { settings: { budget: { modelCalls: 2 } }, progress: { stats: spent, extended: { modelCalls: 1 } } },
      ],
    ],
  },
  overToolBudget: {
    holds: [
      ["the tool calls do not suffice", asking([...approved, ...approved], budget({ toolCalls: 3 }))],
      ["the time is used up", asking(approved, budget({ wallMs: 10 }))],
      ["the cost is reached", asking(approved, budget({ cost: 1 }))],
    ],
    fails: [
      ["the tool calls suffice", asking(approved, budget({ toolCalls: 3 }))],
      ["the model calls are used up", asking(approved, budget({ modelCalls: 2 }))],
      ["no call is to start", asking(open, budget({ toolCalls: 0, wallMs: 0 }))],
      ["there is no limit", asking(approved, budget({}))],
    ],
  },
  stopsOverBudget: {
    holds: [["the budget is used up and ends the turn", budget({ modelCalls: 2 }, "stop")]],
    fails: [
      ["the budget is used up and suspends the turn", budget({ modelCalls: 2 }, "suspend")],
      ["the budget suffices", budget({ modelCalls: 3 }, "stop")],
    ],
  },
  stopsOverToolBudget: {
    holds: [
      ["the budget does not suffice and ends the turn", asking(approved, budget({ toolCalls: 2 }, "stop"))],
    ],
    fails: [
      [
        "the budget does not suffice and suspends the turn",
        asking(approved, budget({ toolCalls: 2 }, "suspend")),
      ],
      ["the budget suffices", asking(approved, budget({ toolCalls: 3 }, "stop"))],
    ],
  },
  maxIters: {
    holds: [["the iterations are used up", { progress: { iteration: 3 } }]],
    fails: [
      ["an iteration is left", { progress: { iteration: 2 } }],
      ["this step may pass the limit", { progress: { iteration: 3, exempt: true } }],
    ],
  },
  hasOutput: {
    holds: [
      ["the structured output is there", wanting({ value: { answer: 1 } })],
      ["the structured output is null", wanting({ value: null })],
    ],
    fails: [
      ["the structured output is missing", wanting({})],
      ["no structured output is wanted", {}],
    ],
  },
  lacksOutput: {
    holds: [["the structured output is missing", wanting({})]],
    fails: [
      ["the structured output is there", wanting({ value: 1 })],
      ["no structured output is wanted", {}],
    ],
  },
  lacksOutputForGood: {
    holds: [["the structured output is missing and no call is open", asking(stored, wanting({}))]],
    fails: [
      ["a call is open", asking(open, wanting({}))],
      ["the structured output is there", wanting({ value: 1 })],
      ["no structured output is wanted", {}],
    ],
  },
  mayRemind: {
    holds: [["a reminder is left", wanting({ reminders: 2 })]],
    fails: [
      ["no reminder is left", wanting({ reminders: 3 })],
      ["a call is open", asking(open, wanting({}))],
      ["the structured output is there", wanting({ value: 1 })],
      ["no structured output is wanted", {}],
    ],
  },
  stopRequested: {
    holds: [["a hook has asked to stop", { stop: true }]],
    fails: [["no hook has asked to stop", { draft: draft() }]],
  },
  stopsWithOpenCalls: {
    holds: [["a hook has asked to stop and a call is open", asking(open, { stop: true })]],
    fails: [
      ["no call is open", asking(stored, { stop: true })],
      ["no hook has asked to stop", asking(open)],
    ],
  },
  gotoRequested: {
    holds: [
      ["a hook has asked for another step", { goto: [] }],
      ["a hook has asked for another step with a message", { goto: [user("m1")] }],
    ],
    fails: [["no hook has asked", {}]],
  },
  isSteered: {
    holds: [["a message waits", inbox({ steering: [user("m1")] })]],
    fails: [
      ["no message waits", {}],
      ["a message waits behind an open call", asking(open, inbox({ steering: [user("m1")] }))],
      ["an observed message waits", inbox({ queued: [user("m1")] })],
    ],
  },
};

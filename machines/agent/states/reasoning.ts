import type { AgentBranch, AgentState } from "../vocabulary.ts";
import { compacting } from "./compacting.ts";
import { FINISH } from "./summarizing.ts";
import {
  asked,
  backingOff,
  calling,
  checkBreakpoints,
  endIf,
  ENTER_ACTING,
  hooksAborting,
  hooksRunning,
  listens,
  parkIn,
  runHooks,
  suspendIf,
} from "./shared.ts";

/** The transitions that follow from the outcome of a model call. */
const JUDGE: readonly AgentBranch[] = [
  { guard: "isInterrupted", target: "#agent.stopped.interrupting" },
  { guard: "hasNews", target: "#agent.reasoning.checkingLimits", actions: "takeBack" },
  { guard: "overflowed", target: "#agent.reasoning.compacting", actions: "noteOverflow" },
  { guard: "retryable", target: "#agent.reasoning.backingOff", actions: "planBackoff" },
  { guard: "canFallBack", target: "#agent.reasoning.calling", reenter: true, actions: "fallBack" },
  { guard: "refusedContent", target: "#agent.reasoning.checkingLimits", actions: "omitRefused" },
  { guard: "hasFailed", target: "#agent.stopped.failing" },
  { guard: "mayAskAgain", target: "#agent.reasoning.calling", reenter: true, actions: "askAgain" },
  { guard: "isEmptyAnswer", target: "#agent.stopped.failing", actions: "failEmpty" },
  { guard: listens("postReasoning"), target: "#agent.reasoning.postHooks" },
  { target: "#agent.reasoning.deciding" },
];

/** The transitions that follow if the model did not even end when it was aborted. */
const GIVE_UP: readonly AgentBranch[] = [
  { guard: "isInterrupted", target: "#agent.stopped.interrupting" },
  { guard: "canFallBack", target: "#agent.reasoning.calling", actions: "fallBack" },
  { target: "#agent.stopped.failing" },
];

/** Nothing holds the turn: the model is asked, behind what must be done before. */
const ASK: readonly AgentBranch[] = [
  { guard: "mustCompact", target: "#agent.reasoning.compacting" },
  {
    guard: "maxIters",
    actions: ["beginSummary", "closeForLimit"],
    choose: [
      { guard: listens("preSummary"), target: "#agent.summarizing.preHooks" },
      { target: "#agent.summarizing.calling" },
    ],
  },
  { guard: listens("preReasoning"), target: "#agent.reasoning.preHooks" },
  { guard: "mustWait", target: "#agent.reasoning.backingOff" },
  { target: "#agent.reasoning.calling" },
];

export const reasoning: AgentState = {
  description: "The model is asked what to do next.",
  initial: "checkingLimits",
  states: {
    checkingLimits: {
      description: "The one place where the loop goes round: may it?",
      entry: ["deliverWaiting", "boundView"],
      decide: [
        { guard: "hasOutput", target: "#agent.stopped.settling", actions: "storeOutput" },
        { guard: "isDraining", ...parkIn("reasoning") },
        { guard: "stopsOverBudget", target: "#agent.stopped.settling", actions: "stopForBudget" },
        { guard: "overBudget", target: "#agent.suspended", actions: "suspendForBudget" },
        { guard: "hasBreakpoints", target: "checkingBreakpoints" },
        ...ASK,
      ],
    },
    checkingBreakpoints: {
      description: "Does a breakpoint of the session hold before the model is asked?",
      invoke: checkBreakpoints({
        actions: ["noteOutcomeTime", "deliverWaiting", "boundView"],
        choose: [
          { guard: "meetsBreakpoint", target: "#agent.suspended", actions: "suspendAtBreakpoint" },
          ...ASK,
        ],
      }),
    },
    preHooks: {
      description: "Hooks may rewrite the prompt of this one request.",
      invoke: runHooks((context) => ({ point: "preReasoning", ...asked(context) }), {
        onDone: {
          actions: "applyPreReasoning",
          choose: [
            { guard: "mustWait", target: "#agent.reasoning.backingOff" },
            { target: "#agent.reasoning.calling" },
          ],
        },
      }),
    },
    calling: calling("The model answers.", "reasoning", JUDGE, GIVE_UP),
    backingOff: backingOff("calling"),
    postHooks: {
      description: "Hooks may rewrite the answer, stop the turn, or ask for another reasoning step.",
      invoke: runHooks((context) => ({ point: "postReasoning", draft: context.draft!, ...asked(context) }), {
        onDone: [
          {
            guard: "isInterrupted",
            actions: "applyPostReasoning",
            choose: [
              { guard: "keepsAnswer", target: "#agent.stopped.settling", actions: "keepAnswer" },
              { target: "#agent.stopped.interrupting" },
            ],
          },
          {
            guard: "exceedsGotos",
            target: "#agent.stopped.failing",
            actions: ["applyPostReasoning", "refuseGoto"],
          },
          { target: "deciding", actions: "applyPostReasoning" },
        ],
        onError: [
          { guard: "isInterrupted", target: "#agent.stopped.interrupting", actions: "recordFailure" },
        ],
      }),
      initial: "running",
      states: { running: hooksRunning, aborting: hooksAborting("answer") },
    },
    deciding: {
      description: "The answer is stored. What follows from it?",
      entry: "storeDraft",
      decide: [
        suspendIf("stopsWithOpenCalls", "REASONING_STOP_REQUESTED"),
        endIf("stopRequested", "REASONING_STOP_REQUESTED"),
        { guard: "gotoRequested", target: "checkingLimits", actions: "acceptGoto" },
        { guard: "hasOutput", target: "#agent.stopped.settling", actions: "keepOutput" },
        { guard: "isSteered", target: "checkingLimits", actions: "countRound" },
        { guard: "mayRemind", target: "checkingLimits", actions: "remind" },
        { guard: "lacksOutputForGood", target: "#agent.stopped.failing", actions: "failOutput" },
        endIf("isFinished", "MODEL_STOP"),
        { guard: "allowsAll", target: "#agent.acting.authorizing", actions: "allowCalls" },
        { choose: ENTER_ACTING },
      ],
    },
    compacting: compacting("reasoning.compacting", "#agent.reasoning.checkingLimits", {
      interrupt: { target: "#agent.stopped.interrupting", actions: ["noteInterruption", "dropCompaction"] },
      interrupted: { target: "#agent.stopped.interrupting", actions: "dropCompaction" },
      broken: { target: "#agent.stopped.failing", actions: ["dropCompaction", "recordFailure"] },
      leaving: [
        { guard: "canFallBack", target: "#agent.reasoning.checkingLimits", actions: "fallBack" },
        {
          guard: "hasFailed",
          choose: [{ guard: "maxIters", ...FINISH }, { target: "#agent.stopped.failing" }],
        },
        { target: "#agent.reasoning.checkingLimits" },
      ],
    }),
  },
};

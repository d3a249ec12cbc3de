import { agentSetup } from "../agent.setup.ts";
import { backingOff, calling, hooksAborting, hooksRunning, runHooks } from "./services.ts";
import { asked, error, listens, outcome, parkIn } from "./shared.ts";

export const reasoning = agentSetup.createStateConfig({
  description: "The model is asked what to do next.",
  initial: "checkingLimits",
  on: { "run.interrupt": { target: "#agent.stopped.interrupting", actions: "noteInterruption" } },
  states: {
    checkingLimits: {
      description: "The one place where the loop goes round: may it?",
      entry: "deliverWaiting",
      always: [
        { guard: "hasOutput", target: "#agent.stopped.settling", actions: "storeOutput" },
        { guard: "isDraining", target: "#agent.stopped.idle", actions: parkIn("reasoning") },
        { guard: "stopsOverBudget", target: "#agent.stopped.settling", actions: "stopForBudget" },
        { guard: "overBudget", target: "#agent.suspended", actions: "suspendForBudget" },
        { guard: "maxIters", target: "#agent.summarizing", actions: "beginSummary" },
        { guard: listens("preReasoning"), target: "preHooks" },
        { guard: "mustWait", target: "backingOff" },
        { target: "calling" },
      ],
    },
    preHooks: {
      description: "Hooks may rewrite the prompt of this one request.",
      invoke: {
        ...runHooks((context) => ({
          point: "preReasoning",
          ...asked(context),
        })),
        onDone: [
          {
            guard: "mustWait",
            target: "backingOff",
            actions: { type: "applyPreReasoning", params: outcome },
          },
          { target: "calling", actions: { type: "applyPreReasoning", params: outcome } },
        ],
      },
    },
    calling: calling("The model answers.", "reasoning"),
    judging: {
      description: "What is the answer worth?",
      always: [
        { guard: "isInterrupted", target: "#agent.stopped.interrupting" },
        { guard: "retryable", target: "backingOff", actions: "planBackoff" },
        { guard: "canFallBack", target: "calling", actions: "fallBack" },
        { guard: "hasFailed", target: "#agent.stopped.failing" },
        { guard: "mayAskAgain", target: "calling", actions: "askAgain" },
        { guard: "isEmptyAnswer", target: "#agent.stopped.failing", actions: "failEmpty" },
        { guard: listens("postReasoning"), target: "postHooks" },
        { target: "deciding" },
      ],
    },
    backingOff,
    postHooks: {
      description: "Hooks may rewrite the answer, stop the turn, or ask for another reasoning step.",
      invoke: {
        ...runHooks((context) => ({
          point: "postReasoning",
          draft: context.draft!,
          ...asked(context),
        })),
        onDone: [
          {
            guard: "isInterrupted",
            target: "#agent.stopped.interrupting",
            actions: { type: "applyPostReasoning", params: outcome },
          },
          {
            guard: { type: "exceedsGotos", params: outcome },
            target: "#agent.stopped.failing",
            actions: [{ type: "noteTime", params: outcome }, "refuseGoto"],
          },
          { target: "deciding", actions: { type: "applyPostReasoning", params: outcome } },
        ],
        onError: {
          guard: "isInterrupted",
          target: "#agent.stopped.interrupting",
          actions: { type: "recordFailure", params: error },
        },
      },
      initial: "running",
      states: { running: hooksRunning, aborting: hooksAborting("answer") },
    },
    deciding: {
      description: "The answer is stored. What follows from it?",
      entry: "storeDraft",
      always: [
        {
          guard: "stopsWithOpenCalls",
          target: "#agent.suspended",
          actions: { type: "suspendTurn", params: { reason: "REASONING_STOP_REQUESTED" } },
        },
        {
          guard: "stopRequested",
          target: "#agent.stopped.settling",
          actions: { type: "endTurn", params: { reason: "REASONING_STOP_REQUESTED" } },
        },
        { guard: "gotoRequested", target: "checkingLimits", actions: "acceptGoto" },
        { guard: "hasOutput", target: "#agent.stopped.settling", actions: "keepOutput" },
        { guard: "isSteered", target: "checkingLimits", actions: "countRound" },
        { guard: "mayRemind", target: "checkingLimits", actions: "remind" },
        { guard: "lacksOutputForGood", target: "#agent.stopped.failing", actions: "failOutput" },
        {
          guard: "isFinished",
          target: "#agent.stopped.settling",
          actions: { type: "endTurn", params: { reason: "MODEL_STOP" } },
        },
        { target: "#agent.acting" },
      ],
    },
  },
});

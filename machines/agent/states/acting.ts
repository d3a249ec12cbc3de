import { nextResult } from "../updates/acting.ts";
import { unhookedCalls, unreviewedCalls } from "../updates/reviewing.ts";
import type { AgentState } from "../vocabulary.ts";
import {
  commit,
  endIf,
  hooksAborting,
  hooksRunning,
  NEXT_ROUND,
  parkIn,
  reviewCalls,
  runHooks,
  START_CALLS,
  START_MORE_CALLS,
  suspendIf,
} from "./shared.ts";

export const acting: AgentState = {
  description: "The calls the model asked for.",
  initial: "reviewing",
  states: {
    preHooks: {
      description: "Hooks may rewrite or deny each call, before any of them runs.",
      invoke: runHooks(
        (context) => ({ point: "preActing", calls: unhookedCalls(context).map(({ call }) => call) }),
        { onDone: { target: "reviewing", actions: "applyPreActing" } },
      ),
    },
    reviewing: {
      description: "Is each call known and valid, and may it run?",
      invoke: reviewCalls(unreviewedCalls, { target: "authorizing", actions: "applyReview" }),
    },
    authorizing: {
      description: "Nothing of the batch runs before every call has its permission, and keeps the rules.",
      decide: [
        suspendIf("needsApproval", "APPROVAL_REQUIRED"),
        suspendIf("hasUnknownOutcome", "OUTCOME_UNKNOWN"),
        { guard: "breaksRules", target: "authorizing", actions: "refuseByRules" },
        { guard: "allSettled", target: "deciding" },
        { guard: "stopsOverToolBudget", target: "#agent.stopped.settling", actions: "stopForBudget" },
        { guard: "overToolBudget", target: "#agent.suspended", actions: "suspendForBudget" },
        { guard: "isDraining", ...parkIn("acting") },
        START_CALLS,
      ],
    },
    executing: {
      description: "One service per call, as many at once as allowed.",
      exit: "stopCalls",
      on: {
        "run.interrupt": {
          actions: ["noteInterruption", "holdCalls", "abortServices"],
          choose: [
            { guard: "noneRunning", target: "deciding", actions: "interruptCalls" },
            { target: "#agent.acting.executing.aborting" },
          ],
        },
      },
      initial: "running",
      states: {
        committing: {
          description: "What is about to run is made durable first.",
          on: {
            "xstate.done.actor.tool.*": [
              { guard: "isLate", refuse: "unexpected" },
              { actions: ["recordToolRun", "releaseCall"] },
            ],
          },
          invoke: commit({ target: "running", actions: "noteOutcomeTime" }),
        },
        running: {
          description: "Calls run, end, are tried again and run out of time.",
          entry: ["spawnCalls", "markSpawned", "armTimer"],
          exit: "disarmTimer",
          on: {
            "xstate.done.actor.tool.*": [
              { guard: "isLate", refuse: "unexpected" },
              {
                actions: ["recordToolRun", "releaseCall"],
                choose: [
                  { guard: "allSettled", target: "#agent.acting.deciding" },
                  { guard: "startsNothing", actions: "armTimer" },
                  START_MORE_CALLS,
                ],
              },
            ],
            "timer.due": {
              actions: ["stopExpired", "expireCalls"],
              choose: [{ guard: "allSettled", target: "#agent.acting.deciding" }, START_MORE_CALLS],
            },
          },
        },
        aborting: {
          description: "The calls were aborted; results that still come are kept.",
          entry: "armGrace",
          exit: "disarmTimer",
          on: {
            "xstate.done.actor.tool.*": [
              { guard: "isLate", refuse: "unexpected" },
              {
                actions: ["recordToolRun", "releaseCall"],
                choose: [
                  { guard: "noneRunning", target: "#agent.acting.deciding", actions: "interruptCalls" },
                  {},
                ],
              },
            ],
            "run.interrupt": { actions: "noteInterruption" },
            "timer.due": { target: "#agent.acting.deciding", actions: ["noteTime", "interruptCalls"] },
          },
        },
      },
    },
    postHooks: {
      description: "Hooks may rewrite this result or stop the turn.",
      invoke: runHooks(
        (context) => {
          const { call, result } = nextResult(context)!;
          return { point: "postActing", call, result: result! };
        },
        {
          onDone: { target: "deciding", actions: "applyPostActing" },
          onError: [
            { guard: "isInterrupted", target: "#agent.stopped.interrupting", actions: "recordFailure" },
          ],
        },
      ),
      initial: "running",
      states: { running: hooksRunning, aborting: hooksAborting("result") },
    },
    deciding: {
      description:
        "Results enter the transcript in call order, up to one that a hook is to see. What follows?",
      entry: "storeResults",
      decide: [
        {
          guard: "wantsPostActing",
          choose: [
            { guard: "isInterrupted", target: "#agent.acting.postHooks.aborting" },
            { target: "#agent.acting.postHooks" },
          ],
        },
        { guard: "isInterrupted", target: "#agent.stopped.interrupting" },
        suspendIf("stopsWithOpenCalls", "ACTING_STOP_REQUESTED"),
        endIf("stopRequested", "ACTING_STOP_REQUESTED"),
        suspendIf("hasPendingTools", "TOOL_SUSPENDED"),
        ...NEXT_ROUND,
      ],
    },
  },
};

import { nextResult, unhookedCalls, unreviewedCalls } from "../updates/acting.ts";
import { agentSetup } from "../agent.setup.ts";
import { hooksAborting, hooksRunning, runHooks, sleepUntil } from "./services.ts";
import { error, outcome, parkIn, position } from "./shared.ts";

export const acting = agentSetup.createStateConfig({
  description: "The calls the model asked for.",
  initial: "preparing",
  on: { "run.interrupt": { target: "#agent.stopped.interrupting", actions: "noteInterruption" } },
  states: {
    preparing: {
      description: "Is there a call that a hook still wants to see?",
      always: [{ guard: "wantsPreActing", target: "preHooks" }, { target: "reviewing" }],
    },
    preHooks: {
      description: "Hooks may rewrite or deny each call, before any of them runs.",
      invoke: {
        ...runHooks((context) => ({
          point: "preActing",
          calls: unhookedCalls(context).map(({ call }) => call),
        })),
        onDone: { target: "reviewing", actions: { type: "applyPreActing", params: outcome } },
      },
    },
    reviewing: {
      description: "Is each call known and valid, and may it run?",
      invoke: {
        src: "reviewCalls",
        id: "reviewCalls",
        input: ({ context }) => ({
          ...position(context),
          calls: unreviewedCalls(context),
          remembered: context.remembered,
        }),
        onDone: { target: "authorizing", actions: { type: "applyReview", params: outcome } },
      },
    },
    authorizing: {
      description: "Nothing of the batch runs before every call has its permission.",
      always: [
        {
          guard: "needsApproval",
          target: "#agent.suspended",
          actions: { type: "suspendTurn", params: { reason: "APPROVAL_REQUIRED" } },
        },
        {
          guard: "hasUnknownOutcome",
          target: "#agent.suspended",
          actions: { type: "suspendTurn", params: { reason: "OUTCOME_UNKNOWN" } },
        },
        { guard: "allSettled", target: "deciding" },
        { guard: "stopsOverToolBudget", target: "#agent.stopped.settling", actions: "stopForBudget" },
        { guard: "overToolBudget", target: "#agent.suspended", actions: "suspendForBudget" },
        { guard: "isDraining", target: "#agent.stopped.idle", actions: parkIn("acting") },
        { target: "executing" },
      ],
    },
    executing: {
      description: "One service per call, as many at once as allowed.",
      exit: "stopCalls",
      initial: "starting",
      states: {
        starting: {
          description: "The calls that may start now are noted as running; over budget none does.",
          entry: "startCalls",
          always: [
            { guard: "mustPause", target: "#agent.acting.authorizing" },
            { guard: "mustCommit", target: "committing" },
            { target: "running" },
          ],
        },
        committing: {
          description: "What is about to run is made durable first.",
          on: {
            "xstate.done.actor.tool.*": [
              { guard: { type: "isLate", params: outcome }, actions: "refuseEvent" },
              { actions: ["recordToolRun", "releaseCall"] },
            ],
            "run.interrupt": {
              target: "quieting",
              actions: ["noteInterruption", "holdCalls", "abortServices"],
            },
          },
          invoke: {
            src: "commit",
            id: "commit",
            input: ({ context }) => position(context),
            onDone: { target: "running", actions: { type: "noteTime", params: outcome } },
          },
        },
        running: {
          description: "Calls run, end, are tried again and run out of time.",
          entry: ["spawnCalls", "startTimer"],
          exit: "stopTimer",
          on: {
            "xstate.done.actor.sleepUntil": { target: "expiring", actions: "expireCalls" },
            "xstate.done.actor.tool.*": [
              { guard: { type: "isLate", params: outcome }, actions: "refuseEvent" },
              {
                guard: { type: "settlesBatch", params: outcome },
                target: "#agent.acting.deciding",
                actions: "recordToolRun",
              },
              { target: "starting", actions: ["recordToolRun", "releaseCall"] },
            ],
            "run.interrupt": { target: "quieting", actions: ["noteInterruption", "abortServices"] },
          },
        },
        expiring: {
          description: "A call ran out of time or may be tried again.",
          always: [{ guard: "allSettled", target: "#agent.acting.deciding" }, { target: "starting" }],
        },
        quieting: {
          description: "Is there anything to wait for?",
          always: [
            { guard: "noneRunning", target: "#agent.acting.deciding", actions: "interruptCalls" },
            { target: "aborting" },
          ],
        },
        aborting: {
          description: "The calls were told to end; results that still come are kept.",
          on: {
            "xstate.done.actor.tool.*": [
              { guard: { type: "isLate", params: outcome }, actions: "refuseEvent" },
              { target: "quieting", actions: ["recordToolRun", "releaseCall"] },
            ],
            "run.interrupt": { actions: "noteInterruption" },
          },
          invoke: {
            ...sleepUntil((context) => context.request.graceAt),
            onDone: {
              target: "#agent.acting.deciding",
              actions: [{ type: "noteTime", params: outcome }, "interruptCalls"],
            },
          },
        },
      },
    },
    postHooks: {
      description: "Hooks may rewrite this result or stop the turn.",
      invoke: {
        ...runHooks((context) => {
          const { call, result } = nextResult(context)!;
          return { point: "postActing", call, result: result! };
        }),
        onDone: { target: "deciding", actions: { type: "applyPostActing", params: outcome } },
        onError: {
          guard: "isInterrupted",
          target: "#agent.stopped.interrupting",
          actions: { type: "recordFailure", params: error },
        },
      },
      initial: "running",
      states: {
        running: { ...hooksRunning, always: { guard: "isInterrupted", target: "aborting" } },
        aborting: hooksAborting("result"),
      },
    },
    deciding: {
      description: "Results enter the transcript in call order, up to one a hook wants to see. What follows?",
      entry: "storeResults",
      always: [
        { guard: "wantsPostActing", target: "postHooks" },
        { guard: "isInterrupted", target: "#agent.stopped.interrupting" },
        {
          guard: "stopsWithOpenCalls",
          target: "#agent.suspended",
          actions: { type: "suspendTurn", params: { reason: "ACTING_STOP_REQUESTED" } },
        },
        {
          guard: "stopRequested",
          target: "#agent.stopped.settling",
          actions: { type: "endTurn", params: { reason: "ACTING_STOP_REQUESTED" } },
        },
        {
          guard: "hasPendingTools",
          target: "#agent.suspended",
          actions: { type: "suspendTurn", params: { reason: "TOOL_SUSPENDED" } },
        },
        { target: "#agent.reasoning", actions: "countRound" },
      ],
    },
  },
});

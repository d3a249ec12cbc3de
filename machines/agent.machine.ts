import type { HookPoint } from "../src/hook/types.ts";
import { nextResult, unhookedCalls, unreviewedCalls } from "../src/turn/acting.ts";
import type { AgentContext, Progress } from "../src/turn/context.ts";
import { positionEntered, undecidedReason } from "../src/turn/entry.ts";
import type { ModelInput } from "../src/turn/services.ts";
import { agentSetup } from "./agent.setup.ts";

const listens = (point: HookPoint) => ({ type: "listens", params: { point } }) as const;
const resumesIn = (place: NonNullable<Progress["resumeAt"]>) =>
  ({ type: "resumesIn", params: { place } }) as const;
const parkIn = (place: NonNullable<Progress["resumeAt"]>) => ({ type: "park", params: { place } }) as const;
const outcome = <Output>({ event }: { event: { output: Output } }) => ({ outcome: event.output });
const error = ({ event }: { event: { error: unknown } }) => ({ error: event.error });
const position = ({ progress, transcript }: AgentContext) => ({
  turn: progress.turn,
  iteration: progress.iteration,
  transcript,
});
const graceFrom = ({ at, settings }: AgentContext) => at + settings.interruptGraceMs;
const asked = ({ request, wanted }: AgentContext) => ({
  system: request.system,
  usesFallback: request.usesFallback,
  wanted,
});
const request = (context: AgentContext, phase: ModelInput["phase"]): ModelInput => ({
  ...position(context),
  phase,
  attempt: context.request.attempt,
  emptyRetries: context.progress.emptyRetries,
  ...asked(context),
  edit: context.request.edit,
});

/**
 * A ReAct agent. One life of this machine is one session: it rests in `stopped.idle` between turns and in
 * `suspended.waiting` while something outside must answer, and both are plain data.
 *
 * M1 The only edge into running a call starts in `acting.authorizing`, behind the permission of every call (I7).
 * M2 The loop goes round in one place, `reasoning.checkingLimits`, which holds the iteration limit (I8).
 * M3 Every call ends by entering `stopped.idle` or `suspended.waiting`; `settled` rises by one there.
 * M4 Every event and every service says when it happened; no action reads a clock.
 */
export const agentMachine = agentSetup.createMachine({
  id: "agent",
  context: ({ input }) => input,
  initial: "stopped",
  on: {
    "hooks.listen": { actions: "listen" },
    "run.steer": { actions: "steer" },
    "session.observe": { actions: "observe" },
    "budget.extend": { actions: "extendBudget" },
    "run.shutdown": { actions: "drain" },
    "xstate.error.actor.*": { target: ".stopped.failing", actions: { type: "recordFailure", params: error } },
    "*": { actions: "refuseEvent" },
  },
  states: {
    doCall: {
      description: "A call has arrived: may it be taken, and where does it go on?",
      initial: "preparing",
      on: { "run.interrupt": { target: "#agent.stopped.interrupting", actions: "noteInterruption" } },
      states: {
        preparing: {
          description: "Does a hook want to see the input?",
          always: [{ guard: listens("preCall"), target: "preCall" }, { target: "checkingPending" }],
        },
        preCall: {
          description: "Hooks may rewrite the input and the system text; nothing is stored yet.",
          invoke: {
            src: "runHooks",
            id: "runHooks",
            input: ({ context }) => ({
              ...positionEntered(context),
              transcript: context.transcript,
              point: "preCall",
              input: context.inbox.input,
              system: context.request.system,
            }),
            onDone: { target: "checkingPending", actions: { type: "applyPreCall", params: outcome } },
            onError: { target: "refusing", actions: { type: "recordFailure", params: error } },
          },
        },
        checkingPending: {
          description: "Are calls of the last turn still open, and does the input answer them?",
          always: [
            { guard: "carriesResults", target: "validating" },
            { guard: "isOverBudget", target: "#agent.reasoning", actions: "continueTurn" },
            { guard: "isFinished", target: "#agent.reasoning", actions: "acceptInput" },
            { guard: "needsDecision", target: "refusing", actions: "refuseInput" },
            { guard: "hasNoInput", target: "#agent.acting", actions: "rerunSuspended" },
            { guard: "cancelsPending", target: "#agent.reasoning", actions: "cancelPending" },
            { guard: "queuesText", target: "#agent.suspended.waiting", actions: "queueInput" },
            { target: "refusing", actions: "refuseInput" },
          ],
        },
        validating: {
          description: "Supplied results are checked and stored, all or nothing.",
          entry: "takeResults",
          always: [
            { guard: "hasFailed", target: "refusing" },
            {
              guard: "needsDecision",
              target: "#agent.suspended",
              actions: {
                type: "suspendTurn",
                params: ({ context }) => ({ reason: undecidedReason(context) }),
              },
            },
            { guard: "hasPendingTools", target: "#agent.acting", actions: "rerunSuspended" },
            { target: "#agent.reasoning", actions: "countRound" },
          ],
        },
        refusing: {
          description: "The call is refused: nothing has changed, and the session rests as before.",
          always: [
            { guard: listens("onError"), target: "onError" },
            { guard: "staysSuspended", target: "#agent.suspended.waiting" },
            { target: "#agent.stopped.idle" },
          ],
        },
        onError: {
          description: "Hooks hear of the refusal.",
          invoke: {
            src: "runHooks",
            id: "runHooks",
            input: ({ context }) => ({ ...position(context), point: "onError", error: context.failure! }),
            onDone: [
              { guard: "staysSuspended", target: "#agent.suspended.waiting" },
              { target: "#agent.stopped.idle" },
            ],
            onError: [
              { guard: "staysSuspended", target: "#agent.suspended.waiting" },
              { target: "#agent.stopped.idle" },
            ],
          },
        },
      },
    },
    reasoning: {
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
            src: "runHooks",
            id: "runHooks",
            input: ({ context }) => ({
              ...position(context),
              point: "preReasoning",
              ...asked(context),
            }),
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
        calling: {
          description: "The model answers.",
          entry: "beginAttempt",
          invoke: {
            src: "callModel",
            id: "callModel",
            input: ({ context }) => request(context, "reasoning"),
            onDone: { target: "judging", actions: { type: "recordOutcome", params: outcome } },
          },
          initial: "running",
          states: {
            running: {
              description: "It has until its deadline, if it has one.",
              entry: "startTimer",
              exit: "stopTimer",
              on: {
                "xstate.done.actor.sleepUntil": {
                  target: "aborting",
                  actions: [{ type: "noteTimeout", params: outcome }, "abortServices"],
                },
                "run.interrupt": { target: "aborting", actions: ["noteInterruption", "abortServices"] },
              },
            },
            aborting: {
              description: "It was told to end; what it has so far is kept.",
              on: { "run.interrupt": { actions: "noteInterruption" } },
              invoke: {
                src: "sleepUntil",
                id: "sleepUntil",
                input: ({ context }) => ({ until: context.request.graceAt }),
                onDone: {
                  target: "#agent.reasoning.judging",
                  actions: { type: "giveUpModel", params: outcome },
                },
              },
            },
          },
        },
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
        backingOff: {
          description: "The request failed and will be repeated.",
          invoke: {
            src: "sleepUntil",
            id: "sleepUntil",
            input: ({ context }) => ({ until: context.request.notBeforeAt }),
            onDone: { target: "calling", actions: { type: "noteTime", params: outcome } },
          },
        },
        postHooks: {
          description: "Hooks may rewrite the answer, stop the turn, or ask for another reasoning step.",
          invoke: {
            src: "runHooks",
            id: "runHooks",
            input: ({ context }) => ({
              ...position(context),
              point: "postReasoning",
              draft: context.draft!,
              ...asked(context),
            }),
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
          states: {
            running: {
              description: "They take their time.",
              on: { "run.interrupt": { target: "aborting", actions: "noteInterruption" } },
            },
            aborting: {
              description: "They may finish within the grace period, so that no answer is kept unseen.",
              invoke: {
                src: "sleepUntil",
                id: "sleepUntil",
                input: ({ context }) => ({ until: context.request.graceAt }),
                onDone: {
                  target: "#agent.stopped.interrupting",
                  actions: { type: "noteTime", params: outcome },
                },
              },
            },
          },
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
    },
    acting: {
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
            src: "runHooks",
            id: "runHooks",
            input: ({ context }) => ({
              ...position(context),
              point: "preActing",
              calls: unhookedCalls(context).map(({ call }) => call),
            }),
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
                src: "sleepUntil",
                id: "sleepUntil",
                input: ({ context }) => ({ until: context.request.graceAt }),
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
            src: "runHooks",
            id: "runHooks",
            input: ({ context }) => {
              const { call, result } = nextResult(context)!;
              return { ...position(context), point: "postActing", call, result: result! };
            },
            onDone: { target: "deciding", actions: { type: "applyPostActing", params: outcome } },
            onError: {
              guard: "isInterrupted",
              target: "#agent.stopped.interrupting",
              actions: { type: "recordFailure", params: error },
            },
          },
          initial: "running",
          states: {
            running: {
              description: "They take their time.",
              always: { guard: "isInterrupted", target: "aborting" },
              on: { "run.interrupt": { target: "aborting", actions: "noteInterruption" } },
            },
            aborting: {
              description: "They may finish within the grace period, so that no result is kept unseen.",
              invoke: {
                src: "sleepUntil",
                id: "sleepUntil",
                input: ({ context }) => ({ until: context.request.graceAt }),
                onDone: {
                  target: "#agent.stopped.interrupting",
                  actions: { type: "noteTime", params: outcome },
                },
              },
            },
          },
        },
        deciding: {
          description:
            "Results enter the transcript in call order, up to one a hook wants to see. What follows?",
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
    },
    summarizing: {
      description: "The iterations are used up: the model is asked for an answer from what there is.",
      initial: "closingPending",
      on: { "run.interrupt": { target: "#agent.stopped.interrupting", actions: "noteInterruption" } },
      states: {
        closingPending: {
          description: "No call may stay open.",
          entry: "closeForLimit",
          always: [
            { guard: listens("preSummary"), target: "preHooks" },
            { guard: "mustWait", target: "backingOff" },
            { target: "calling" },
          ],
        },
        preHooks: {
          description: "Hooks may rewrite the prompt of the summary.",
          invoke: {
            src: "runHooks",
            id: "runHooks",
            input: ({ context }) => ({
              ...position(context),
              point: "preSummary",
              ...asked(context),
            }),
            onDone: [
              {
                guard: "mustWait",
                target: "backingOff",
                actions: { type: "applyPreSummary", params: outcome },
              },
              { target: "calling", actions: { type: "applyPreSummary", params: outcome } },
            ],
            onError: { target: "deciding", actions: { type: "recordFailure", params: error } },
          },
        },
        calling: {
          description: "The model sums up, without tools.",
          entry: "beginAttempt",
          invoke: {
            src: "callModel",
            id: "callModel",
            input: ({ context }) => request(context, "summary"),
            onDone: { target: "judging", actions: { type: "recordSummary", params: outcome } },
          },
          initial: "running",
          states: {
            running: {
              description: "It has until its deadline, if it has one.",
              entry: "startTimer",
              exit: "stopTimer",
              on: {
                "xstate.done.actor.sleepUntil": {
                  target: "aborting",
                  actions: [{ type: "noteTimeout", params: outcome }, "abortServices"],
                },
                "run.interrupt": { target: "aborting", actions: ["noteInterruption", "abortServices"] },
              },
            },
            aborting: {
              description: "It was told to end; what it has so far is kept.",
              on: { "run.interrupt": { actions: "noteInterruption" } },
              invoke: {
                src: "sleepUntil",
                id: "sleepUntil",
                input: ({ context }) => ({ until: context.request.graceAt }),
                onDone: {
                  target: "#agent.summarizing.judging",
                  actions: { type: "giveUpModel", params: outcome },
                },
              },
            },
          },
        },
        judging: {
          description: "What is the summary worth?",
          always: [
            { guard: "isInterrupted", target: "#agent.stopped.interrupting" },
            { guard: "retryable", target: "backingOff", actions: "planBackoff" },
            { guard: "canFallBack", target: "calling", actions: "fallBack" },
            { guard: "hasNoSummary", target: "deciding" },
            { guard: listens("postSummary"), target: "postHooks" },
            { target: "deciding" },
          ],
        },
        backingOff: {
          description: "The request failed and will be repeated.",
          invoke: {
            src: "sleepUntil",
            id: "sleepUntil",
            input: ({ context }) => ({ until: context.request.notBeforeAt }),
            onDone: { target: "calling", actions: { type: "noteTime", params: outcome } },
          },
        },
        postHooks: {
          description: "Hooks may rewrite the summary.",
          invoke: {
            src: "runHooks",
            id: "runHooks",
            input: ({ context }) => ({ ...position(context), point: "postSummary", draft: context.draft! }),
            onDone: [
              {
                guard: "isInterrupted",
                target: "#agent.stopped.interrupting",
                actions: { type: "applyPostSummary", params: outcome },
              },
              { target: "deciding", actions: { type: "applyPostSummary", params: outcome } },
            ],
            onError: [
              {
                guard: "isInterrupted",
                target: "#agent.stopped.interrupting",
                actions: { type: "recordFailure", params: error },
              },
              { target: "deciding", actions: { type: "recordFailure", params: error } },
            ],
          },
          initial: "running",
          states: {
            running: {
              description: "They take their time.",
              on: { "run.interrupt": { target: "aborting", actions: "noteInterruption" } },
            },
            aborting: {
              description: "They may finish within the grace period, so that no summary is kept unseen.",
              invoke: {
                src: "sleepUntil",
                id: "sleepUntil",
                input: ({ context }) => ({ until: context.request.graceAt }),
                onDone: {
                  target: "#agent.stopped.interrupting",
                  actions: { type: "noteTime", params: outcome },
                },
              },
            },
          },
        },
        deciding: {
          description: "The summary is stored, or the sentence that says why there is none.",
          entry: "storeSummary",
          always: [
            { guard: "lacksOutput", target: "#agent.stopped.failing", actions: "failOutput" },
            { target: "#agent.stopped.settling" },
          ],
        },
      },
    },
    suspended: {
      description: "Something outside must answer before the turn can go on.",
      initial: "settling",
      on: { "run.interrupt": { target: "#agent.stopped.interrupting", actions: "noteInterruption" } },
      states: {
        settling: {
          description: "The turn has its reply.",
          always: [{ guard: listens("postCall"), target: "postCall" }, { target: "waiting" }],
        },
        postCall: {
          description: "Hooks may replace the reply.",
          invoke: {
            src: "runHooks",
            id: "runHooks",
            input: ({ context }) => ({
              ...position(context),
              point: "postCall",
              reply: context.outcome!.reply!,
            }),
            onDone: { target: "waiting", actions: { type: "applyPostCall", params: outcome } },
          },
        },
        waiting: {
          description: "At rest until results, decisions or a call arrive.",
          entry: "settle",
          on: {
            call: { target: "#agent.doCall", actions: "beginCall" },
            "tool.decide": { actions: "recordDecision" },
            "session.load": { target: "#agent.stopped.idle", actions: "load" },
            "xstate.error.actor.*": { actions: "refuseEvent" },
            "run.shutdown": { actions: "refuseEvent" },
            "run.steer": { actions: "refuseEvent" },
          },
        },
      },
    },
    stopped: {
      description: "No turn is running and every tool call has its result.",
      initial: "idle",
      states: {
        idle: {
          description: "At rest until somebody calls.",
          entry: ["deliverWaiting", "settle"],
          on: {
            call: [
              { guard: "isUnfinished", actions: "refuseEvent" },
              { target: "#agent.doCall", actions: "beginCall" },
            ],
            "session.observe": { actions: ["observe", "deliverWaiting"] },
            "session.load": { actions: "load" },
            "xstate.error.actor.*": { actions: "refuseEvent" },
            "run.shutdown": { actions: "refuseEvent" },
            "session.resume": [
              { guard: "wasInterrupted", target: "interrupting", actions: "beginResume" },
              { guard: "resumesWithResults", target: "#agent.doCall", actions: "beginResume" },
              { guard: resumesIn("doCall"), target: "#agent.doCall", actions: "beginResume" },
              { guard: resumesIn("reasoning"), target: "#agent.reasoning", actions: "beginResume" },
              { guard: resumesIn("acting"), target: "#agent.acting", actions: "beginResume" },
              { guard: resumesIn("summarizing"), target: "#agent.summarizing", actions: "beginResume" },
              { guard: "staysSuspended", target: "#agent.suspended.waiting" },
            ],
            "run.steer": { actions: "refuseEvent" },
          },
        },
        settling: {
          description: "The turn has its reply.",
          always: [{ guard: listens("postCall"), target: "postCall" }, { target: "idle" }],
        },
        postCall: {
          description: "Hooks may replace the reply.",
          on: { "run.interrupt": { target: "interrupting", actions: "noteInterruption" } },
          invoke: {
            src: "runHooks",
            id: "runHooks",
            input: ({ context }) => ({
              ...position(context),
              point: "postCall",
              reply: context.outcome!.reply!,
            }),
            onDone: { target: "idle", actions: { type: "applyPostCall", params: outcome } },
          },
        },
        interrupting: {
          description: "What was done is kept, every open call is answered, the user gets the recovery text.",
          entry: "settleInterruption",
          always: [{ guard: listens("onInterrupt"), target: "onInterrupt" }, { target: "idle" }],
        },
        onInterrupt: {
          description: "Hooks hear of the interrupt and of the calls it cut off, within the grace period.",
          on: { "run.interrupt": { guard: "saysMore", actions: "noteLateInterruption" } },
          invoke: [
            {
              src: "runHooks",
              id: "runHooks",
              input: ({ context }) => ({
                ...position(context),
                point: "onInterrupt",
                message: context.interruption?.message ?? null,
                pending: context.interruption?.pending ?? [],
              }),
              onDone: { target: "idle" },
              onError: { target: "idle" },
            },
            {
              src: "sleepUntil",
              id: "sleepUntil",
              input: ({ context }) => ({ until: graceFrom(context) }),
              onDone: { target: "idle", actions: { type: "noteTime", params: outcome } },
            },
          ],
        },
        failing: {
          description: "The turn failed: open calls are answered, the input stays.",
          entry: "settleFailure",
          always: [{ guard: listens("onError"), target: "onError" }, { target: "idle" }],
        },
        onError: {
          description: "Hooks hear of the error. Who interrupts them does not wait for them.",
          on: { "run.interrupt": { target: "idle", actions: "noteInterruption" } },
          invoke: {
            src: "runHooks",
            id: "runHooks",
            input: ({ context }) => ({
              ...position(context),
              point: "onError",
              error: context.outcome!.error!,
            }),
            onDone: { target: "idle" },
            onError: { target: "idle" },
          },
        },
      },
    },
  },
});

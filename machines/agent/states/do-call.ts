import { positionEntered, undecidedReason } from "../updates/entry.ts";
import { agentSetup } from "../agent.setup.ts";
import { runHooks } from "./services.ts";
import { error, listens, outcome } from "./shared.ts";

export const doCall = agentSetup.createStateConfig({
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
        ...runHooks((context) => ({ point: "onError", error: context.failure! })),
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
});

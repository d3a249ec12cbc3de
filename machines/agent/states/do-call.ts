import { positionEntered } from "../updates/entry.ts";
import type { AgentState } from "../vocabulary.ts";
import { ENTER_ACTING, NEXT_ROUND, noteEnding, REFUSE_CALL, REST_AS_BEFORE, runHooks } from "./shared.ts";

export const doCall: AgentState = {
  description: "A call has arrived: may it be accepted, and where does it go on?",
  initial: "checkingPending",
  states: {
    preCall: {
      description: "Hooks may rewrite the input and the system text; nothing is stored yet.",
      invoke: {
        ...runHooks(
          (context) => ({ point: "preCall", input: context.inbox.input, system: context.request.system }),
          {
            onDone: { target: "checkingPending", actions: "applyPreCall" },
            onError: { actions: "recordFailure", choose: REFUSE_CALL },
          },
        ),
        input: (context) => ({
          ...positionEntered(context),
          transcript: context.transcript,
          slots: context.slots,
          point: "preCall",
          input: context.inbox.input,
          system: context.request.system,
        }),
      },
    },
    checkingPending: {
      description: "Are calls of the last turn still open, and does the input answer them?",
      decide: [
        {
          guard: "carriesResults",
          actions: "takeResults",
          choose: [
            { guard: "hasFailed", choose: REFUSE_CALL },
            { guard: "needsDecision", target: "#agent.suspended", actions: "suspendUndecided" },
            { guard: "hasPendingTools", actions: "rerunSuspended", choose: ENTER_ACTING },
            ...NEXT_ROUND,
          ],
        },
        { guard: "isOverBudget", target: "#agent.reasoning", actions: "continueTurn" },
        { guard: "refusesInput", actions: "refuseInput", choose: REFUSE_CALL },
        { guard: "isFinished", target: "#agent.reasoning", actions: "acceptInput" },
        { guard: "hasNoInput", actions: "rerunSuspended", choose: ENTER_ACTING },
        { guard: "cancelsPending", target: "#agent.reasoning", actions: "cancelPending" },
        { target: "#agent.suspended.waiting", actions: "queueInput" },
      ],
    },
    onError: {
      description: "Hooks see the refusal.",
      entry: noteEnding("doCall.onError"),
      invoke: runHooks((context) => ({ point: "onError", error: context.failure! }), {
        onDone: REST_AS_BEFORE,
        onError: REST_AS_BEFORE,
      }),
    },
  },
};

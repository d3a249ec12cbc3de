import type { AgentBranch, AgentState } from "../vocabulary.ts";
import { asked, backingOff, calling, hooksAborting, hooksRunning, listens, runHooks } from "./shared.ts";

/** The summary is stored, or the sentence that says why there is none. */
export const FINISH: AgentBranch = {
  actions: "storeSummary",
  choose: [
    { guard: "lacksOutput", target: "#agent.stopped.failing", actions: "failOutput" },
    { target: "#agent.stopped.settling" },
  ],
};

/** The transitions that follow from the outcome of the summary's model call. */
const JUDGE: readonly AgentBranch[] = [
  { guard: "isInterrupted", target: "#agent.stopped.interrupting" },
  { guard: "overflowed", target: "#agent.reasoning", actions: "noteOverflow" },
  { guard: "retryable", target: "#agent.summarizing.backingOff", actions: "planBackoff" },
  { guard: "canFallBack", target: "#agent.summarizing.calling", reenter: true, actions: "fallBack" },
  { guard: "refusedContent", target: "#agent.reasoning", actions: "omitRefused" },
  { guard: "hasNoSummary", ...FINISH },
  { guard: listens("postSummary"), target: "#agent.summarizing.postHooks" },
  FINISH,
];

/** The transitions that follow if the model did not even end when it was aborted. */
const GIVE_UP: readonly AgentBranch[] = [
  { guard: "isInterrupted", target: "#agent.stopped.interrupting" },
  { guard: "canFallBack", target: "#agent.summarizing.calling", actions: "fallBack" },
  FINISH,
];

export const summarizing: AgentState = {
  description: "The iterations are used up: the model is asked for an answer from what there is.",
  initial: "calling",
  states: {
    calling: calling("The model sums up, without tools.", "summary", JUDGE, GIVE_UP),
    preHooks: {
      description: "Hooks may rewrite the prompt of the summary.",
      invoke: runHooks((context) => ({ point: "preSummary", ...asked(context) }), {
        onDone: {
          actions: "applyPreSummary",
          choose: [
            { guard: "mustWait", target: "#agent.summarizing.backingOff" },
            { target: "#agent.summarizing.calling" },
          ],
        },
        onError: { actions: "recordFailure", choose: [FINISH] },
      }),
    },
    postHooks: {
      description: "Hooks may rewrite the summary.",
      invoke: runHooks((context) => ({ point: "postSummary", draft: context.draft! }), {
        onDone: {
          actions: "applyPostSummary",
          choose: [{ guard: "isInterrupted", target: "#agent.stopped.interrupting" }, FINISH],
        },
        onError: {
          actions: "recordFailure",
          choose: [{ guard: "isInterrupted", target: "#agent.stopped.interrupting" }, FINISH],
        },
      }),
      initial: "running",
      states: { running: hooksRunning, aborting: hooksAborting("summary") },
    },
    backingOff: backingOff("calling"),
  },
};

import { agentSetup } from "../agent.setup.ts";
import { backingOff, calling, hooksAborting, hooksRunning, runHooks } from "./services.ts";
import { asked, error, listens, outcome } from "./shared.ts";

export const summarizing = agentSetup.createStateConfig({
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
        ...runHooks((context) => ({
          point: "preSummary",
          ...asked(context),
        })),
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
    calling: calling("The model sums up, without tools.", "summarizing"),
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
    backingOff,
    postHooks: {
      description: "Hooks may rewrite the summary.",
      invoke: {
        ...runHooks((context) => ({ point: "postSummary", draft: context.draft! })),
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
      states: { running: hooksRunning, aborting: hooksAborting("summary") },
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
});

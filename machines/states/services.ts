import { agentSetup } from "../agent.setup.ts";
import { outcome, request } from "./shared.ts";

/** A model call of `place`, which judges what comes of it. */
export const calling = (description: string, place: "reasoning" | "summarizing") =>
  agentSetup.createStateConfig({
    description,
    entry: "beginAttempt",
    invoke: {
      src: "callModel",
      id: "callModel",
      input: ({ context }) => request(context, place === "reasoning" ? "reasoning" : "summary"),
      onDone: {
        target: "judging",
        actions: { type: place === "reasoning" ? "recordOutcome" : "recordSummary", params: outcome },
      },
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
            target: `#agent.${place}.judging`,
            actions: { type: "giveUpModel", params: outcome },
          },
        },
      },
    },
  });

/** The wait before the model is asked again. */
export const backingOff = agentSetup.createStateConfig({
  description: "The request failed and will be repeated.",
  invoke: {
    src: "sleepUntil",
    id: "sleepUntil",
    input: ({ context }) => ({ until: context.request.notBeforeAt }),
    onDone: { target: "calling", actions: { type: "noteTime", params: outcome } },
  },
});

/** Hooks that see what has come, while nobody breaks the turn off. */
export const hooksRunning = agentSetup.createStateConfig({
  description: "They take their time.",
  on: { "run.interrupt": { target: "aborting", actions: "noteInterruption" } },
});

/** Hooks that see `what` while the turn is being broken off. */
export const hooksAborting = (what: "answer" | "result" | "summary") =>
  agentSetup.createStateConfig({
    description: `They may finish within the grace period, so that no ${what} is kept unseen.`,
    invoke: {
      src: "sleepUntil",
      id: "sleepUntil",
      input: ({ context }) => ({ until: context.request.graceAt }),
      onDone: {
        target: "#agent.stopped.interrupting",
        actions: { type: "noteTime", params: outcome },
      },
    },
  });

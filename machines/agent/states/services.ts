import type { AgentContext } from "../context.ts";
import type { HooksInput, Position, SleepInput } from "../services.ts";
import { agentSetup } from "../agent.setup.ts";
import { outcome, position, request } from "./shared.ts";

type Told<Input = HooksInput> = Input extends HooksInput ? Omit<Input, keyof Position | "transcript"> : never;

/** The hooks of a point, with what they are told besides where the session stands. */
export const runHooks = (told: (context: AgentContext) => Told) =>
  ({
    src: "runHooks",
    id: "runHooks",
    input: ({ context }: { context: AgentContext }) => ({ ...position(context), ...told(context) }),
  }) as const;

/** A wait until an instant of the context. */
export const sleepUntil = (until: (context: AgentContext) => SleepInput["until"]) =>
  ({
    src: "sleepUntil",
    id: "sleepUntil",
    input: ({ context }: { context: AgentContext }) => ({ until: until(context) }),
  }) as const;

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
          ...sleepUntil((context) => context.request.graceAt),
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
    ...sleepUntil((context) => context.request.notBeforeAt),
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
      ...sleepUntil((context) => context.request.graceAt),
      onDone: {
        target: "#agent.stopped.interrupting",
        actions: { type: "noteTime", params: outcome },
      },
    },
  });

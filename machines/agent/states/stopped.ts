import { agentSetup } from "../agent.setup.ts";
import { runHooks, sleepUntil } from "./services.ts";
import { graceFrom, listens, outcome, resumesIn } from "./shared.ts";

export const stopped = agentSetup.createStateConfig({
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
        ...runHooks((context) => ({
          point: "postCall",
          reply: context.outcome!.reply!,
        })),
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
          ...runHooks((context) => ({
            point: "onInterrupt",
            message: context.interruption?.message ?? null,
            pending: context.interruption?.pending ?? [],
          })),
          onDone: { target: "idle" },
          onError: { target: "idle" },
        },
        {
          ...sleepUntil(graceFrom),
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
        ...runHooks((context) => ({
          point: "onError",
          error: context.outcome!.error!,
        })),
        onDone: { target: "idle" },
        onError: { target: "idle" },
      },
    },
  },
});

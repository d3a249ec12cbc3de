import { agentSetup } from "../agent.setup.ts";
import { runHooks } from "./services.ts";
import { listens, outcome } from "./shared.ts";

export const suspended = agentSetup.createStateConfig({
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
        ...runHooks((context) => ({
          point: "postCall",
          reply: context.outcome!.reply!,
        })),
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
});

import type { AgentState } from "../vocabulary.ts";
import { ENTER_CALL, listens, NEEDS_SCHEMA, noteEnding, runHooks } from "./shared.ts";
import { ADOPT, LOAD } from "./stopped.ts";

export const suspended: AgentState = {
  description: "Something outside must answer before the turn can go on.",
  initial: "settling",
  states: {
    settling: {
      description: "The turn has its reply.",
      decide: [{ guard: listens("postCall"), target: "postCall" }, { target: "waiting" }],
    },
    postCall: {
      description: "Hooks may replace the reply.",
      entry: noteEnding("suspended.postCall"),
      invoke: runHooks((context) => ({ point: "postCall", reply: context.outcome!.reply! }), {
        onDone: { target: "waiting", actions: "applyPostCall" },
      }),
    },
    waiting: {
      description: "At rest until results, decisions or a call arrive.",
      entry: "settle",
      on: {
        call: [NEEDS_SCHEMA, { actions: "beginCall", choose: ENTER_CALL }],
        "run.interrupt": { guard: "isByLimit", refuse: "notRunning" },
        "tool.decide": [
          { guard: "isUnknownCall", refuse: "unknownCall" },
          { guard: "isStaleDecision", refuse: "staleDecision" },
          { guard: "isExpiredDecision", refuse: "expiredDecision" },
          { guard: "isWrongDecision", refuse: "wrongDecision" },
          { actions: "recordDecision" },
        ],
        "session.load": LOAD,
        "session.adopt": ADOPT,
        "session.compact": { refuse: "isOpen" },
        "session.edit": { refuse: "isOpen" },
        "xstate.error.actor.*": { refuse: "unexpected" },
        "run.shutdown": { refuse: "notRunning" },
        "run.steer": { refuse: "notRunning" },
      },
    },
  },
};

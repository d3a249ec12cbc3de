// machines/agent holds the agent's chart, its vocabulary, its context, its events, and what its services receive and
// return.
import { agentSetup } from "./agent.setup.ts";
import { acting } from "./states/acting.ts";
import { doCall } from "./states/do-call.ts";
import { reasoning } from "./states/reasoning.ts";
import { error } from "./states/shared.ts";
import { stopped } from "./states/stopped.ts";
import { summarizing } from "./states/summarizing.ts";
import { suspended } from "./states/suspended.ts";

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
  states: { doCall, reasoning, acting, summarizing, suspended, stopped },
});

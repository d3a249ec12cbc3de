// machines/agent holds the agent's chart, its vocabulary, its context, its events, and what its services receive and
// return.
import type { ChartDefinition } from "../chart/definition.ts";
import { Resolver } from "../chart/resolve.ts";
import { Transcript } from "../../src/core/message/transcript.ts";
import { freshContext, type AgentContext } from "./context.ts";
import { DEFAULT_SETTINGS } from "./settings.ts";
import { acting } from "./states/acting.ts";
import { doCall } from "./states/do-call.ts";
import { reasoning } from "./states/reasoning.ts";
import { stopped } from "./states/stopped.ts";
import { summarizing } from "./states/summarizing.ts";
import { suspended } from "./states/suspended.ts";
import { vocabulary, type AgentState } from "./vocabulary.ts";

const root: AgentState = {
  description: "A ReAct agent: one life of this chart is one session.",
  initial: "stopped",
  on: {
    call: { refuse: "busy" },
    "session.load": { refuse: "busy" },
    "session.compact": { refuse: "busy" },
    "session.edit": { refuse: "busy" },
    "tool.decide": { refuse: "unknownCall" },
    "hooks.listen": { actions: "listen" },
    "tools.allow": { actions: "allowTools" },
    "run.interrupt": { target: "#agent.stopped.interrupting", actions: "noteInterruption" },
    "run.steer": { actions: "steer" },
    "session.observe": { actions: "observe" },
    "budget.extend": { actions: "extendBudget" },
    "slot.write": [
      { guard: "isStaleWrite", refuse: "staleWrite" },
      { guard: "isBeingWritten", refuse: "slotInUse" },
      { actions: "writeSlot" },
    ],
    "run.shutdown": { actions: "drain" },
    "xstate.error.actor.*": { target: "#agent.stopped.failing", actions: "recordFailure" },
    "*": { refuse: "unexpected" },
  },
  states: { doCall, reasoning, acting, summarizing, suspended, stopped },
};

/**
 * The chart of a ReAct agent. One life of it is one session: it rests in `stopped.idle` between turns, in `stopped.unfinished`
 * in the middle of one that was cut off, and in `suspended.waiting` while something outside must answer. All three are plain
 * data.
 *
 * M1 The only way into running a call leads through `acting.authorizing`, behind the permission of every call (I7).
 * M2 The loop goes round in one place, `reasoning.checkingLimits`, which holds the iteration limit (I8).
 * M3 Every call ends by entering a state of rest; `settled` rises by one there.
 * M4 Every event and every service says when it happened; no update reads a clock.
 * M5 What an update does is a fact that it declares (`facts.ts`); nothing compares contexts to find out what has happened.
 */
export const agentChart: ChartDefinition<AgentContext> = {
  id: "agent",
  vocabulary,
  root,
  context: () => freshContext(DEFAULT_SETTINGS, Transcript.of()),
};

/** The agent's chart as a pure function. */
export const agentResolver = new Resolver(agentChart);

import type { AgentBranch, AgentState } from "../vocabulary.ts";
import { compacting } from "./compacting.ts";
import {
  END_STORED,
  ENTER_ACTING,
  ENTER_CALL,
  listens,
  NEEDS_SCHEMA,
  noteEnding,
  resumesIn,
  runHooks,
  SUMMARIZE,
} from "./shared.ts";

/** A stored session takes the place of this one and rests where it rested, unless it is left to another agent. */
export const LOAD: readonly AgentBranch[] = [
  { guard: "isLeftToOthers", refuse: "leftToOthers" },
  {
    actions: "load",
    choose: [
      { guard: "isUnfinished", target: "#agent.stopped.unfinished" },
      { guard: "staysSuspended", target: "#agent.suspended.waiting" },
      { target: "#agent.stopped.idle", actions: "deliverWaiting" },
    ],
  },
];

/** The turn of another agent goes on with this one. */
export const ADOPT: AgentBranch = { guard: "isOtherAgent", actions: "adoptTurn" };

/** The events that both states of rest refuse or take. */
const AT_REST = {
  "session.observe": { actions: ["observe", "deliverWaiting"] },
  "session.load": LOAD,
  "xstate.error.actor.*": { refuse: "unexpected" },
  "run.shutdown": { refuse: "notRunning" },
  "run.steer": { refuse: "notRunning" },
} as const satisfies AgentState["on"];

export const stopped: AgentState = {
  description: "No turn is running.",
  initial: "idle",
  on: { "run.interrupt": { refuse: "notRunning" } },
  states: {
    idle: {
      description: "At rest until a call arrives. Every tool call has its result.",
      entry: ["deliverWaiting", "settle"],
      on: {
        ...AT_REST,
        call: [NEEDS_SCHEMA, { actions: "beginCall", choose: ENTER_CALL }],
        "session.edit": { actions: "editMessages" },
        "session.compact": [
          { guard: "neverCompacts", refuse: "neverCompacts" },
          { target: "compacting", actions: "askCompaction" },
        ],
      },
    },
    unfinished: {
      description: "At rest in the middle of a turn, which the next call goes on with, in any process.",
      on: {
        ...AT_REST,
        "session.adopt": ADOPT,
        "session.compact": { refuse: "isOpen" },
        "session.edit": { refuse: "isOpen" },
        call: [
          { guard: "mustEndFirst", refuse: "mustEndFirst" },
          { guard: resumesIn("ending"), actions: "resumeEnding", choose: END_STORED },
          NEEDS_SCHEMA,
          { guard: "wasInterrupted", target: "interrupting", actions: "beginResume" },
          { guard: "resumesInCall", actions: "beginResume", choose: ENTER_CALL },
          { guard: resumesIn("reasoning"), target: "#agent.reasoning", actions: "beginResume" },
          { guard: resumesIn("acting"), actions: "beginResume", choose: ENTER_ACTING },
          { actions: ["beginResume", "closeForLimit"], choose: SUMMARIZE },
        ],
      },
    },
    compacting: compacting("stopped.compacting", "#agent.stopped.compacting.leaving", {
      interrupt: {
        target: "#agent.stopped.compacting.leaving",
        actions: ["noteTime", "cancelCompaction"],
      },
      interrupted: { target: "#agent.stopped.compacting.leaving", actions: "cancelCompaction" },
      broken: {
        target: "#agent.stopped.compacting.leaving",
        actions: ["recordFailure", "giveUpCompaction"],
      },
      leaving: [
        { guard: "summarisesMore", target: "#agent.stopped.compacting.planning" },
        { target: "#agent.stopped.idle" },
      ],
    }),
    settling: {
      description: "The turn has its reply.",
      decide: [{ guard: listens("postCall"), target: "postCall" }, { target: "idle" }],
    },
    postCall: {
      description: "Hooks may replace the reply; once the user interrupts, within the grace period.",
      entry: [noteEnding("stopped.postCall"), "armReplyGrace"],
      exit: "disarmTimer",
      on: {
        "run.interrupt": [
          { guard: "isByLimit", target: "interrupting", actions: "noteInterruption" },
          {
            actions: ["noteInterruption", "armReplyGrace", "markReply", noteEnding("stopped.postCall")],
          },
        ],
        "timer.due": { target: "idle", actions: "noteTime" },
      },
      invoke: runHooks((context) => ({ point: "postCall", reply: context.outcome!.reply! }), {
        onDone: { target: "idle", actions: "applyPostCall" },
      }),
    },
    interrupting: {
      description: "What was done is kept, every open call is answered, the user gets the recovery text.",
      entry: "settleInterruption",
      decide: [{ guard: listens("onInterrupt"), target: "onInterrupt" }, { target: "idle" }],
    },
    onInterrupt: {
      description: "Hooks see the interrupt and the calls it cut off, within the grace period.",
      entry: [noteEnding("stopped.onInterrupt"), "armHookGrace"],
      exit: "disarmTimer",
      on: {
        "run.interrupt": {
          guard: "saysMore",
          actions: ["noteLateInterruption", noteEnding("stopped.onInterrupt")],
        },
        "timer.due": { target: "idle", actions: "noteTime" },
      },
      invoke: runHooks(
        (context) => ({
          point: "onInterrupt",
          message: context.interruption?.message ?? null,
          pending: context.interruption?.pending ?? [],
        }),
        { onDone: { target: "idle" }, onError: { target: "idle" } },
      ),
    },
    failing: {
      description: "The turn failed: open calls are answered, the input stays.",
      entry: "settleFailure",
      decide: [{ guard: listens("onError"), target: "onError" }, { target: "idle" }],
    },
    onError: {
      description: "Hooks see the error. An interrupt does not wait for them.",
      entry: noteEnding("stopped.onError"),
      on: { "run.interrupt": { target: "idle", actions: "noteInterruption" } },
      invoke: runHooks((context) => ({ point: "onError", error: context.outcome!.error! }), {
        onDone: { target: "idle" },
        onError: { target: "idle" },
      }),
    },
  },
};

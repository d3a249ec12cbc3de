// machines/agent/states has a file for each top-level state of the agent's chart, and the parts that states share.
import type { HookPoint } from "../../../src/core/hook/types.ts";
import type { Reason } from "../../../src/core/message/types.ts";
import type { Service } from "../../chart/definition.ts";
import type { AgentContext, Ending, Progress } from "../context.ts";
import type { HooksInput, ModelInput, Position } from "../services.ts";
import type { AgentBranch, AgentState } from "../vocabulary.ts";

type Guard = NonNullable<AgentBranch["guard"]>;
type Place = NonNullable<Progress["resumeAt"]>;
type HooksData<Input = HooksInput> = Input extends HooksInput
  ? Omit<Input, keyof Position | "transcript" | "slots">
  : never;

/** A guard: a hook listens to this point. */
export const listens = (point: HookPoint) => ({ type: "listens", params: { point } }) as const;
/** A guard: the session was stored in this state. */
export const resumesIn = (place: Place) => ({ type: "resumesIn", params: { place } }) as const;
/** A branch: hooks of this state were cut off, and there are some that listen to its point. */
const endsIn = (at: Ending["at"], point: HookPoint): AgentBranch => ({
  guard: { type: "endsIn", params: { at, point } },
  target: `#agent.${at}`,
});

/** An action: the outcome is noted with which the hooks of this state run. */
export const noteEnding = (at: Ending["at"]) => ({ type: "noteEnding", params: { at } }) as const;

/** A branch that suspends the turn. */
export const suspendIf = (guard: Guard, reason: Reason): AgentBranch => ({
  guard,
  target: "#agent.suspended",
  actions: { type: "suspendTurn", params: { reason } },
});
/** A branch that ends the turn. */
export const endIf = (guard: Guard, reason: Reason): AgentBranch => ({
  guard,
  target: "#agent.stopped.settling",
  actions: { type: "endTurn", params: { reason } },
});

/** Returns the position in the turn at which a service runs: part of the input of every service. */
const position = ({ progress, transcript }: AgentContext) => ({
  turn: progress.turn,
  iteration: progress.iteration,
  transcript,
});

/** The part of a request that hooks may read. */
export const asked = ({ request, wanted, view, progress }: AgentContext) => ({
  system: request.system,
  persona: progress.persona ?? null,
  overrides: progress.overrides ?? null,
  view,
  usesFallback: request.usesFallback,
  wanted,
});

/** The model call of a phase. */
const request = (context: AgentContext, phase: ModelInput["phase"]): ModelInput => ({
  ...position(context),
  phase,
  attempt: context.request.attempt,
  emptyRetries: context.progress.emptyRetries,
  takesNews: phase === "reasoning" && !context.request.tookNews,
  ...asked(context),
  edits: context.request.edits ?? [],
  entered: context.request.entered ?? [],
  slots: context.slots,
  compaction: compactionOf(context, phase),
});

/** Returns the parameters of the request for a summary of the conversation. */
function compactionOf({ progress }: AgentContext, phase: ModelInput["phase"]): ModelInput["compaction"] {
  const { compacting } = progress;
  if (phase !== "compaction" || !compacting) return null;
  const { to, isSeparate, instructions } = compacting;
  return { to, isSeparate, ...(instructions !== undefined && { instructions }) };
}

/** The service that runs the hooks of a point, with the data they get besides the position. */
export const runHooks = (
  data: (context: AgentContext) => HooksData,
  outcomes: Pick<AgentService, "onDone" | "onError">,
): AgentService => ({
  src: "runHooks",
  input: (context) => ({ ...position(context), slots: context.slots, ...data(context) }),
  ...outcomes,
});
type AgentService = NonNullable<Exclude<AgentState["invoke"], readonly unknown[]>> & Service<AgentContext>;

/** The service that judges the permission of the calls. */
export const reviewCalls = (
  calls: (context: AgentContext) => AgentContext["calls"],
  onDone: AgentBranch,
): AgentService => ({
  src: "reviewCalls",
  input: (context) => ({
    ...position(context),
    calls: calls(context),
    remembered: context.remembered,
    allowed: context.allowed,
    slots: context.slots,
    turnAt: context.progress.turnAt,
  }),
  onDone,
});

/** The service that judges the breakpoints of the session before a request. */
export const checkBreakpoints = (onDone: AgentBranch): AgentService => ({
  src: "checkBreakpoints",
  input: (context) => ({ ...position(context), slots: context.slots, turnAt: context.progress.turnAt }),
  onDone,
});

/** The service that ends when all that happened is durable. */
export const commit = (onDone: AgentBranch): AgentService => ({ src: "commit", input: position, onDone });

/** No process goes on with a turn whose structured answer it cannot check. */
export const NEEDS_SCHEMA: AgentBranch = { guard: "lacksSchema", refuse: "schemaMissing" };

/** The call enters through the hooks of preCall, if there are any. */
export const ENTER_CALL: readonly AgentBranch[] = [
  { guard: listens("preCall"), target: "#agent.doCall.preCall" },
  { target: "#agent.doCall.checkingPending" },
];
/** The calls of a batch are shown to hooks, if any wants to see one, and reviewed. */
export const ENTER_ACTING: readonly AgentBranch[] = [
  { guard: "wantsPreActing", target: "#agent.acting.preHooks" },
  { target: "#agent.acting.reviewing" },
];
/** Every call of a batch has its result: the model is asked again, and if one of them has handed the session over, that of another
 *  persona. */
export const NEXT_ROUND: readonly AgentBranch[] = [
  { guard: "handoffRequested", target: "#agent.reasoning", actions: ["applyHandoff", "countRound"] },
  { target: "#agent.reasoning", actions: "countRound" },
];
/** The summary begins or goes on. */
export const SUMMARIZE: readonly AgentBranch[] = [
  { guard: listens("preSummary"), target: "#agent.summarizing.preHooks" },
  { guard: "mustWait", target: "#agent.summarizing.backingOff" },
  { target: "#agent.summarizing.calling" },
];
/** The calls that may start now begin to run; with a store they are written down before. */
const BEGIN_CALLS: readonly AgentBranch[] = [
  { guard: "mustCommit", target: "#agent.acting.executing.committing" },
  { target: "#agent.acting.executing.running", reenter: true },
];
/** The calls that may start now are noted as running. */
export const START_CALLS: AgentBranch = { actions: "startCalls", choose: BEGIN_CALLS };
/** The same where others of the batch ran before; over budget none starts. */
export const START_MORE_CALLS: AgentBranch = {
  actions: "startCalls",
  choose: [{ guard: "mustPause", target: "#agent.acting.authorizing" }, ...BEGIN_CALLS],
};
/** The session rests as it did before a call that is refused. */
export const REST_AS_BEFORE: readonly AgentBranch[] = [
  { guard: "isUnfinished", target: "#agent.stopped.unfinished", actions: "settle" },
  { guard: "staysSuspended", target: "#agent.suspended.waiting" },
  { target: "#agent.stopped.idle" },
];
/** The turn has its outcome, and hooks that ran with it were cut off: they run again, if there still are any. */
export const END_STORED: readonly AgentBranch[] = [
  endsIn("stopped.postCall", "postCall"),
  endsIn("suspended.postCall", "postCall"),
  endsIn("stopped.onInterrupt", "onInterrupt"),
  endsIn("stopped.onError", "onError"),
  endsIn("doCall.onError", "onError"),
  { guard: "staysSuspended", target: "#agent.suspended.waiting" },
  { target: "#agent.stopped.idle" },
];
/** The call is refused: nothing has changed. */
export const REFUSE_CALL: readonly AgentBranch[] = [
  { guard: listens("onError"), target: "#agent.doCall.onError" },
  ...REST_AS_BEFORE,
];
/** The turn rests where it is; a call goes on with it, in any process. */
export const parkIn = (place: Place): AgentBranch => ({
  target: "#agent.stopped.unfinished",
  actions: [{ type: "park", params: { place } }, "deliverWaiting", "settle"],
});

const RECORD = {
  reasoning: "recordOutcome",
  summary: "recordSummary",
  compaction: "recordCompaction",
} as const;

/** A model call of a phase. `judge` chooses what follows from its outcome, `giveUp` what follows if it has none. */
export const calling = (
  description: string,
  phase: ModelInput["phase"],
  judge: readonly AgentBranch[],
  giveUp: readonly AgentBranch[],
): AgentState => ({
  description,
  entry: phase === "compaction" ? "beginCompactionAttempt" : "beginAttempt",
  invoke: {
    src: "callModel",
    input: (context) => request(context, phase),
    onDone: { actions: RECORD[phase], choose: judge },
  },
  initial: "running",
  states: {
    running: {
      description: "The model answers until its deadline, if it has one.",
      entry: "armTimer",
      exit: "disarmTimer",
      on: {
        "timer.due": { target: "aborting", actions: ["noteTimeout", "abortServices"] },
        "run.interrupt": { target: "aborting", actions: ["noteInterruption", "abortServices"] },
      },
    },
    aborting: {
      description: "The request was aborted; what the model has said so far is kept.",
      entry: "armGrace",
      exit: "disarmTimer",
      on: {
        "run.interrupt": { actions: "noteInterruption" },
        "timer.due": { actions: "giveUpModel", choose: giveUp },
      },
    },
  },
});

/** The wait before the model is asked again. */
export const backingOff = (calling: string): AgentState => ({
  description: "The request failed and will be repeated.",
  entry: "armBackoff",
  exit: "disarmTimer",
  on: { "timer.due": { target: calling, actions: "noteTime" } },
});

/** Hooks that see a value: they run to their end, or to the end of the grace period of an interrupt. */
export const hooksRunning: AgentState = {
  description: "The hooks run.",
  on: { "run.interrupt": { target: "aborting", actions: "noteInterruption" } },
};
export const hooksAborting = (value: "answer" | "result" | "summary"): AgentState => ({
  description: `The turn was interrupted; the hooks may finish within the grace period, so that no ${value} is stored unseen.`,
  entry: "armGrace",
  exit: "disarmTimer",
  on: { "timer.due": { target: "#agent.stopped.interrupting", actions: "noteTime" } },
});

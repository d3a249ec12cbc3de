import type { HookPoint } from "../../src/core/hook/types.ts";
import type { Reason } from "../../src/core/message/types.ts";
import type { Effect, NamesOf, StateDefinition, Branch } from "../chart/definition.ts";
import { mayHoldRequests } from "../../src/core/tool/stored-slots.ts";
import type { AgentContext, Change, Ending, Progress } from "./context.ts";
import type { AgentCommand } from "./events.ts";
import { declaring } from "./facts.ts";
import { remembering, ruleEngine } from "./rule-engine.ts";
import * as refusals from "./updates/commands.ts";
import type { BreakOutcome, HooksOutcome, ModelOutcome, ToolRunOutcome } from "./services.ts";
import * as acting from "./updates/acting.ts";
import * as budget from "./updates/budget.ts";
import { allSettled, isUndecided, openCalls, toolActorOf } from "./updates/calls.ts";
import * as commands from "./updates/commands.ts";
import * as compaction from "./updates/compaction.ts";
import * as plan from "./updates/compaction-plan.ts";
import * as ending from "./updates/ending.ts";
import * as entry from "./updates/entry.ts";
import { editMessages, loadSession } from "./updates/history.ts";
import * as interruption from "./updates/interruption.ts";
import * as output from "./updates/output.ts";
import * as reasoning from "./updates/reasoning.ts";
import * as reviewing from "./updates/reviewing.ts";
import * as agents from "./updates/turn-agent.ts";
import * as view from "./updates/view.ts";

type Place = NonNullable<Progress["resumeAt"]>;
type Done<Output> = { readonly output: Output };
type Command<Type extends AgentCommand["type"]> = Extract<AgentCommand, { readonly type: Type }>;

/** An update that reads the outcome of a service. */
const fromOutcome =
  <Output>(update: (context: AgentContext, outcome: Output) => Change) =>
  (context: AgentContext, { output: outcome }: Done<Output>): Change =>
    update(context, outcome);

/** An update that reads what hooks came to, and takes what they have written into slots. */
const fromHooks = (update: (context: AgentContext, outcome: HooksOutcome) => Change) =>
  fromOutcome((context, outcome: HooksOutcome) => {
    const change = update(context, outcome);
    return { ...change, ...commands.takeWrites({ ...context, ...change }, outcome.slots) };
  });

const armTimer = (until: number | null): readonly Effect[] => [
  until === null
    ? { type: "host", name: "disarmTimer" }
    : { type: "host", name: "armTimer", params: { until } },
];

const stopTool = (context: AgentContext, callId: string): Effect => ({
  type: "stop",
  id: toolActorOf(context, callId),
});

const guards = {
  // hooks and storage
  listens: ({ listening }: AgentContext, _: never, { point }: { readonly point: HookPoint }) =>
    listening.includes(point),
  mustCommit: (context: AgentContext) =>
    context.settings.isDurable && acting.unspawnedCalls(context).length > 0,

  // doCall
  hasPendingTools: (context: AgentContext) => openCalls(context).length > 0,
  needsDecision: (context: AgentContext) => openCalls(context).some(isUndecided),
  hasNoInput: ({ inbox }: AgentContext) => inbox.input.length === 0,
  carriesResults: entry.carriesResults,
  refusesInput: entry.refusesInput,
  cancelsPending: ({ settings }: AgentContext) => settings.onTextWhilePending === "cancelPending",

  // rest
  resumesIn: ({ progress }: AgentContext, _: never, { place }: { readonly place: Place }) =>
    progress.resumeAt === place,
  endsIn: (
    { progress, listening }: AgentContext,
    _: never,
    { at, point }: { readonly at: Ending["at"]; readonly point: HookPoint },
  ) => progress.ending?.at === at && listening.includes(point),
  mustEndFirst: ({ progress }: AgentContext, { input }: Command<"call">) =>
    progress.resumeAt === "ending" && input.length > 0,
  isOverBudget: (context: AgentContext) =>
    context.progress.exceeded !== null && openCalls(context).length === 0,
  wasInterrupted: ({ interruption }: AgentContext) => interruption !== null,
  isUnfinished: ({ progress }: AgentContext) => progress.resumeAt !== null,
  resumesInCall: ({ inbox, progress }: AgentContext, { input }: Command<"call">) =>
    progress.resumeAt === "doCall" || entry.bringsResults([...inbox.input, ...input]),
  staysSuspended: (context: AgentContext) =>
    context.progress.resumeAt === null &&
    (openCalls(context).length > 0 || context.progress.exceeded !== null),
  isLeftToOthers: agents.isLeftToOthers,
  isOtherAgent: (context: AgentContext, { agent }: Command<"session.adopt">) =>
    agents.changeInTurn(context, agent) !== undefined,
  lacksSchema: entry.lacksSchema,
  isUnknownCall: refusals.isUnknownCall,
  isStaleDecision: refusals.isStaleDecision,
  isExpiredDecision: refusals.isExpiredDecision,
  isWrongDecision: refusals.isWrongDecision,

  isStaleWrite: commands.isStaleWrite,
  isBeingWritten: commands.isBeingWritten,

  // limits
  isDraining: ({ progress }: AgentContext) => progress.draining,
  overBudget: (context: AgentContext) => budget.exceededByModel(context) !== undefined,
  overToolBudget: (context: AgentContext) => budget.exceededByTools(context) !== undefined,
  stopsOverBudget: (context: AgentContext) =>
    context.settings.onBudget === "stop" && budget.exceededByModel(context) !== undefined,
  stopsOverToolBudget: (context: AgentContext) =>
    context.settings.onBudget === "stop" && budget.exceededByTools(context) !== undefined,

  // breakpoints
  hasBreakpoints: ({ slots }: AgentContext) => mayHoldRequests(slots),
  meetsBreakpoint: (_: AgentContext, { output: { reason } }: Done<BreakOutcome>) => reason !== undefined,

  // structured output
  hasOutput: output.hasOutput,
  mayRemind: output.mayRemind,
  lacksOutput: output.lacksOutput,
  lacksOutputForGood: (context: AgentContext) =>
    output.lacksOutput(context) && openCalls(context).length === 0,

  // reasoning and summarizing
  maxIters: reasoning.isPastLimit,
  mustWait: ({ request, at }: AgentContext) => (request.notBeforeAt ?? 0) > at,
  hasFailed: ({ failure }: AgentContext) => failure !== null,
  isInterrupted: ({ interruption }: AgentContext) => interruption !== null,
  isByLimit: (_: AgentContext, { cause }: Command<"run.interrupt">) => cause !== "user",
  keepsAnswer: reasoning.keepsAnswer,
  hasNews: (_: AgentContext, { output: outcome }: Done<ModelOutcome>) => outcome.hasNews === true,
  saysMore: interruption.saysMore,
  retryable: reasoning.mayRetry,
  canFallBack: reasoning.mayFallBack,
  refusedContent: view.refusedContent,
  isEmptyAnswer: reasoning.isEmptyAnswer,
  isSteered: (context: AgentContext) => context.inbox.steering.length > 0 && openCalls(context).length === 0,
  mayAskAgain: (context: AgentContext) => reasoning.isEmptyAnswer(context) && reasoning.mayAskAgain(context),
  hasNoSummary: (context: AgentContext) => context.failure !== null || reasoning.isEmptyAnswer(context),
  stopsWithOpenCalls: (context: AgentContext) => context.stop && openCalls(context).length > 0,
  stopRequested: ({ stop }: AgentContext) => stop,
  gotoRequested: (context: AgentContext) => context.goto !== null,
  exceedsGotos: (context: AgentContext, { output: outcome }: Done<HooksOutcome>) =>
    reasoning.isGotoBeyondLimit(context, outcome),
  isFinished: (context: AgentContext) => openCalls(context).length === 0,

  // compaction
  mustCompact: plan.mustCompact,
  overflowed: plan.overflowed,
  clearingSuffices: plan.clearingSuffices,
  hasNothingToGain: plan.hasNothingToGain,
  isUsefulSummary: plan.isUsefulSummary,
  mayAskSeparately: plan.mayAskSeparately,
  asksNoModel: plan.asksNoModel,
  mayHalve: plan.mayHalve,
  summarisesMore: plan.summarisesMore,
  neverCompacts: ({ settings }: AgentContext) => settings.compaction === null,

  // acting
  wantsPreActing: (context: AgentContext) =>
    context.listening.includes("preActing") && reviewing.unhookedCalls(context).length > 0,
  allowsAll: reviewing.allowsAll,
  needsApproval: ({ calls }: AgentContext) => calls.some(({ asks, stored }) => asks !== undefined && !stored),
  hasUnknownOutcome: ({ calls }: AgentContext) => calls.some(({ status }) => status === "unknown"),
  allSettled: ({ calls }: AgentContext) => allSettled(calls),
  noneRunning: acting.noneRunning,
  mustPause: acting.mustPause,
  breaksRules: (context: AgentContext) =>
    context.settings.rules !== undefined && ruleEngine().breaksRules(context),
  startsNothing: acting.startsNothing,
  isLate: (context: AgentContext, { output: outcome }: Done<ToolRunOutcome>) =>
    acting.isLate(context, outcome),
  wantsPostActing: acting.wantsPostActing,
  handoffRequested: agents.handoffRequested,
};

const updates = {
  ...declaring(
    {
      // doCall
      beginCall: entry.beginCall,
      beginResume: (context: AgentContext, event: Command<"call">) =>
        acting.reviveCalls({ ...context, ...entry.beginResume(context, event) }),
      applyPreCall: fromHooks(entry.applyPreCall),
      acceptInput: entry.acceptInput,
      cancelPending: entry.cancelPending,
      queueInput: entry.queueInput,
      takeResults: entry.takeResults,
      refuseInput: entry.refuseInput,
      rerunSuspended: reviewing.rerunSuspended,
      recordDecision: commands.decideCall,

      // reasoning and summarizing
      deliverWaiting: ending.deliverWaiting,
      boundView: view.boundView,
      applyPreReasoning: fromHooks(reasoning.applyPrompt),
      applyPreSummary: fromHooks(reasoning.applyPrompt),
      beginAttempt: reasoning.beginAttempt,
      recordOutcome: fromOutcome(reasoning.recordedBy(reasoning.recordOutcome)),
      takeBack: reasoning.takeBack,
      recordSummary: fromOutcome(reasoning.recordedBy(reasoning.recordSummary)),
      noteTimeout: reasoning.noteTimeout,
      giveUpModel: reasoning.giveUpModel,
      noteTime: (_: AgentContext, { at }: { readonly at: number }) => ({ at }),
      noteOutcomeTime: fromOutcome((_: AgentContext, { at }: { readonly at: number }) => ({ at })),
      planBackoff: reasoning.planBackoff,
      fallBack: reasoning.fallBack,
      omitRefused: view.omitRefused,
      askAgain: reasoning.askAgain,
      failEmpty: reasoning.failEmpty,
      applyPostReasoning: fromHooks(reasoning.applyPostReasoning),
      applyPostSummary: fromHooks(reasoning.applyPostSummary),
      storeDraft: reasoning.storeDraft,
      acceptGoto: reasoning.acceptGoto,
      refuseGoto: reasoning.refuseGoto,
      countRound: reasoning.countRound,
      beginSummary: ending.beginSummary,
      closeForLimit: ending.closeForLimit,
      storeSummary: ending.storeSummary,

      // compaction
      noteOverflow: compaction.noteOverflow,
      askCompaction: compaction.askCompaction,
      clearResults: compaction.clearResults,
      beginCompaction: compaction.beginCompaction,
      beginCompactionAttempt: compaction.beginCompactionAttempt,
      recordCompaction: fromOutcome(compaction.recordCompaction),
      applyPreCompact: fromHooks(compaction.applyPreCompact),
      applyPostCompact: fromHooks(compaction.applyPostCompact),
      askSeparately: compaction.askSeparately,
      halvePart: compaction.halvePart,
      applyCompaction: compaction.applyCompaction,
      giveUpCompaction: compaction.giveUpCompaction,
      dropCompaction: compaction.dropCompaction,
      cancelCompaction: compaction.cancelCompaction,

      // acting
      applyPreActing: fromHooks(reviewing.applyPreActing),
      allowCalls: reviewing.allowCalls,
      applyReview: fromOutcome(reviewing.applyReview),
      refuseByRules: (context: AgentContext) => ruleEngine().refuse(context),
      startCalls: acting.startCalls,
      holdCalls: acting.holdCalls,
      markSpawned: acting.markSpawned,
      recordToolRun: fromOutcome(acting.recordToolRun),
      expireCalls: acting.expireCalls,
      interruptCalls: acting.interruptCalls,
      applyPostActing: fromHooks(acting.applyPostActing),
      storeResults: acting.storeResults,
      applyHandoff: agents.applyHandoff,

      // limits and structured output
      suspendForBudget: budget.suspendForBudget,
      stopForBudget: budget.stopForBudget,
      suspendAtBreakpoint: fromOutcome(budget.suspendAtBreakpoint),
      extendBudget: budget.extendBudget,
      continueTurn: entry.continueTurn,
      remind: output.remind,
      failOutput: output.failOutput,
      storeOutput: output.storeOutput,
      keepOutput: output.keepOutput,

      // ends of a turn
      endTurn: (context: AgentContext, _: never, { reason }: { readonly reason: Reason }) =>
        ending.endTurn(context, reason),
      suspendTurn: (context: AgentContext, _: never, { reason }: { readonly reason: Reason }) =>
        ending.suspendTurn(context, reason),
      suspendUndecided: (context: AgentContext) =>
        ending.suspendTurn(context, entry.undecidedReason(context)),
      keepAnswer: interruption.keepAnswer,
      markReply: interruption.markReply,
      applyPostCall: fromHooks(ending.applyPostCall),
      noteInterruption: interruption.noteInterruption,
      noteLateInterruption: interruption.noteLateInterruption,
      settleInterruption: interruption.settleInterruption,
      recordFailure: ending.recordFailure,
      settleFailure: ending.settleFailure,
      noteEnding: (context: AgentContext, _: never, { at }: { readonly at: Ending["at"] }) =>
        ending.noteEnding(context, at),
      resumeEnding: ending.resumeEnding,
      settle: ending.settleCall,
      park: (context: AgentContext, _: never, { place }: { readonly place: Place }) =>
        ending.park(context, place),

      // at any time
      adoptTurn: agents.adoptTurn,
      drain: ({ progress }: AgentContext, { at }: Command<"run.shutdown">) => ({
        at,
        progress: { ...progress, draining: true },
      }),
      steer: commands.steer,
      observe: commands.observe,
      editMessages,
      writeSlot: commands.writeSlot,
      listen: (_: AgentContext, { points }: Command<"hooks.listen">) => ({ listening: points }),
      allowTools: (_: AgentContext, { allowed }: Command<"tools.allow">) => ({ allowed }),
    },
    (context, change, event) => (context.settings.rules ? remembering(context, change, event) : change),
  ),
  /** A session that is loaded is another one: nothing has become of the calls of the one before. */
  ...declaring({ load: loadSession }),
};

const effects = {
  /** Starts the services of the calls that are recorded as running and have none yet. */
  spawnCalls: (context: AgentContext): readonly Effect[] =>
    acting.unspawnedCalls(context).map((record) => ({
      type: "spawn",
      src: "runTool",
      id: toolActorOf(context, record.call.id),
      input: acting.toolInput(context, record),
    })),
  /** A spawned service stays in the snapshot until it is stopped, also after its end. */
  releaseCall: (context: AgentContext, { output: { callId } }: Done<ToolRunOutcome>) => [
    stopTool(context, callId),
  ],
  stopExpired: (context: AgentContext, { at }: Command<"timer.due">) =>
    acting.expiredCalls(context, at).map(({ call }) => stopTool(context, call.id)),
  stopCalls: (context: AgentContext) =>
    context.calls.filter(({ status }) => status === "running").map(({ call }) => stopTool(context, call.id)),
  /** Aborts the signals of the model call and of the tools that run. */
  abortServices: (): readonly Effect[] => [{ type: "host", name: "abortServices" }],
  /** The one timer of the session sends `timer.due` at the next instant that the state waits for. */
  armTimer: (context: AgentContext) => armTimer(reasoning.nextInstant(context)),
  armBackoff: ({ request }: AgentContext) => armTimer(request.notBeforeAt),
  armGrace: ({ request }: AgentContext) => armTimer(request.graceAt),
  /** The hooks of a reply have the grace period of an interrupt, if there was one. */
  armReplyGrace: ({ interruption, request }: AgentContext) => armTimer(interruption && request.graceAt),
  armHookGrace: ({ at, settings }: AgentContext) => armTimer(at + settings.interruptGraceMs),
  disarmTimer: (): readonly Effect[] => [{ type: "host", name: "disarmTimer" }],
};

/** The vocabulary of the agent's chart. Every name is one pure function of the context and the event. */
export const vocabulary = {
  guards,
  updates,
  effects,
  refusals: refusals.refusals,
};

type Names = NamesOf<typeof vocabulary>;

export type AgentState = StateDefinition<AgentContext, Names>;
export type AgentBranch = Branch<Names>;

import { assign, fromPromise, setup, type DoneActorEvent, type ErrorActorEvent } from "xstate";
import type { HookPoint } from "../../src/hook/types.ts";
import * as acting from "./updates/acting.ts";
import { allSettled, isUndecided, openCalls, toolActorOf } from "./updates/calls.ts";
import * as budget from "./updates/budget.ts";
import type { AgentContext, Progress } from "./context.ts";
import * as ending from "./updates/ending.ts";
import * as entry from "./updates/entry.ts";
import * as waiting from "./updates/waiting.ts";
import * as output from "./updates/output.ts";
import * as reasoning from "./updates/reasoning.ts";
import { decideCall, reviveCalls } from "./updates/resume.ts";
import { nextInstant, timedAttempts } from "./updates/timer.ts";
import type { AgentMachineEvent } from "./events.ts";
import type {
  CommitInput,
  CommitOutcome,
  HooksInput,
  HooksOutcome,
  ModelInput,
  ModelOutcome,
  ReviewInput,
  ReviewOutcome,
  SleepInput,
  SleepOutcome,
  ToolInput,
  ToolRunOutcome,
} from "./services.ts";
import type { Reason } from "../../src/message/types.ts";

/** A service to be filled by `machine.provide`. Left empty, it fails the run and names itself. */
function slot<Output, Input>(name: string) {
  return fromPromise<Output, Input>(() => {
    throw new Error(
      `The service "${name}" is an empty slot: fill it with agentMachine.provide({ actors: { ${name} } }).`,
    );
  });
}

/** What the chart hears from the services it spawns, and of those that break. */
type ServiceEvent =
  | DoneActorEvent<ToolRunOutcome, `tool.${string}`>
  | DoneActorEvent<SleepOutcome, "sleepUntil">
  | ErrorActorEvent<unknown, string>;

const base = setup({
  types: {
    context: {} as AgentContext,
    events: {} as AgentMachineEvent | ServiceEvent,
    input: {} as AgentContext,
    children: {} as {
      callModel: "callModel";
      runHooks: "runHooks";
      reviewCalls: "reviewCalls";
      sleepUntil: "sleepUntil";
      commit: "commit";
      [tool: `tool.${string}`]: "runTool";
    },
  },
  actors: {
    callModel: slot<ModelOutcome, ModelInput>("callModel"),
    runTool: slot<ToolRunOutcome, ToolInput>("runTool"),
    reviewCalls: slot<ReviewOutcome, ReviewInput>("reviewCalls"),
    runHooks: slot<HooksOutcome, HooksInput>("runHooks"),
    sleepUntil: slot<SleepOutcome, SleepInput>("sleepUntil"),
    commit: slot<CommitOutcome, CommitInput>("commit"),
  },
  guards: {
    // who listens, what is stored
    listens: ({ context }, { point }: { point: HookPoint }) => context.listening.includes(point),
    mustCommit: ({ context }) => context.settings.isDurable && acting.unspawnedCalls(context).length > 0,

    // doCall
    hasPendingTools: ({ context }) => openCalls(context).length > 0,
    needsDecision: ({ context }) => openCalls(context).some(isUndecided),
    hasNoInput: ({ context }) => context.inbox.input.length === 0,
    carriesResults: ({ context }) => entry.carriesResults(context),
    cancelsPending: ({ context }) => context.settings.onTextWhilePending === "cancelPending",
    queuesText: ({ context }) =>
      context.settings.onTextWhilePending === "queue" && context.progress.resumeAt === null,
    resumesIn: ({ context }, { place }: { place: NonNullable<Progress["resumeAt"]> }) =>
      context.progress.resumeAt === place,

    isOverBudget: ({ context }) => context.progress.exceeded !== null && openCalls(context).length === 0,
    wasInterrupted: ({ context }) => context.progress.resumeAt !== null && context.interruption !== null,
    isUnfinished: ({ context }) => context.progress.resumeAt !== null,
    resumesWithResults: ({ context, event }) =>
      context.progress.resumeAt !== null &&
      event.type === "session.resume" &&
      entry.bringsResults([...context.inbox.input, ...event.input]),
    staysSuspended: ({ context }) =>
      context.progress.resumeAt === null &&
      (openCalls(context).length > 0 || context.progress.exceeded !== null),

    // limits
    isDraining: ({ context }) => context.progress.draining,
    overBudget: ({ context }) => budget.exceededByModel(context) !== undefined,
    overToolBudget: ({ context }) => budget.exceededByTools(context) !== undefined,
    stopsOverBudget: ({ context }) =>
      context.settings.onBudget === "stop" && budget.exceededByModel(context) !== undefined,
    stopsOverToolBudget: ({ context }) =>
      context.settings.onBudget === "stop" && budget.exceededByTools(context) !== undefined,

    // structured output
    hasOutput: ({ context }) => output.hasOutput(context),
    mayRemind: ({ context }) => output.mayRemind(context),
    lacksOutput: ({ context }) => output.lacksOutput(context),
    lacksOutputForGood: ({ context }) => output.lacksOutput(context) && openCalls(context).length === 0,

    // reasoning and summarizing
    maxIters: ({ context }) =>
      context.progress.iteration >= context.settings.maxIters && !context.progress.exempt,
    mustWait: ({ context }) => (context.request.notBeforeAt ?? 0) > context.at,
    hasFailed: ({ context }) => context.failure !== null,
    isInterrupted: ({ context }) => context.interruption !== null,
    saysMore: ({ context, event }) => event.type === "run.interrupt" && ending.saysMore(context, event),
    retryable: ({ context }) => reasoning.mayRetry(context),
    canFallBack: ({ context }) => reasoning.mayFallBack(context),
    isEmptyAnswer: ({ context }) => reasoning.isEmptyAnswer(context),
    isSteered: ({ context }) => context.inbox.steering.length > 0 && openCalls(context).length === 0,
    mayAskAgain: ({ context }) => reasoning.isEmptyAnswer(context) && reasoning.mayAskAgain(context),
    hasNoSummary: ({ context }) => context.failure !== null || reasoning.isEmptyAnswer(context),
    stopsWithOpenCalls: ({ context }) => context.stop && openCalls(context).length > 0,
    stopRequested: ({ context }) => context.stop,
    gotoRequested: ({ context }) => context.goto !== null,
    exceedsGotos: ({ context }, { outcome }: { outcome: HooksOutcome }) =>
      reasoning.isGotoBeyondLimit(context, outcome),
    isFinished: ({ context }) => openCalls(context).length === 0,

    // acting
    wantsPreActing: ({ context }) =>
      context.listening.includes("preActing") && acting.unhookedCalls(context).length > 0,
    needsApproval: ({ context }) => context.calls.some(({ asks, stored }) => asks !== undefined && !stored),
    hasUnknownOutcome: ({ context }) => context.calls.some(({ status }) => status === "unknown"),
    allSettled: ({ context }) => allSettled(context.calls),
    noneRunning: ({ context }) => acting.noneRunning(context),
    mustPause: ({ context }) => budget.exceededByTools(context) !== undefined && acting.noneRunning(context),
    isLate: ({ context }, { outcome }: { outcome: ToolRunOutcome }) => acting.isLate(context, outcome),
    settlesBatch: ({ context }, { outcome }: { outcome: ToolRunOutcome }) =>
      acting.settlesBatch(context, outcome),
    wantsPostActing: ({ context }) => acting.wantsPostActing(context),
  },
});

/** The vocabulary of the chart: its services, guards and actions. Everything here is one line over a pure function. */
export const agentSetup = base.extend({
  actions: {
    // doCall
    beginCall: assign(({ context, event }) => (event.type === "call" ? entry.beginCall(context, event) : {})),
    beginResume: assign(({ context, event }) =>
      event.type === "session.resume"
        ? reviveCalls({ ...context, ...entry.beginResume(context, event) })
        : {},
    ),
    applyPreCall: assign(({ context }, { outcome }: { outcome: HooksOutcome }) =>
      entry.applyPreCall(context, outcome),
    ),
    acceptInput: assign(({ context }) => entry.acceptInput(context)),
    cancelPending: assign(({ context }) => entry.cancelPending(context)),
    queueInput: assign(({ context }) => entry.queueInput(context)),
    takeResults: assign(({ context }) => entry.takeResults(context)),
    refuseInput: assign(({ context }) => entry.refuseInput(context)),
    rerunSuspended: assign(({ context }) => acting.rerunSuspended(context)),
    recordDecision: assign(({ context, event }) =>
      event.type === "tool.decide" ? decideCall(context, event) : {},
    ),

    // reasoning and summarizing
    deliverWaiting: assign(({ context }) => waiting.deliverWaiting(context)),
    applyPreReasoning: assign(({ context }, { outcome }: { outcome: HooksOutcome }) =>
      reasoning.applyPrompt(context, outcome),
    ),
    applyPreSummary: assign(({ context }, { outcome }: { outcome: HooksOutcome }) =>
      reasoning.applyPrompt(context, outcome),
    ),
    beginAttempt: assign(({ context }) => reasoning.beginAttempt(context)),
    recordOutcome: assign(({ context }, { outcome }: { outcome: ModelOutcome }) =>
      reasoning.recordOutcome(context, outcome),
    ),
    recordSummary: assign(({ context }, { outcome }: { outcome: ModelOutcome }) =>
      reasoning.recordSummary(context, outcome),
    ),
    noteTimeout: assign(({ context }, { outcome }: { outcome: SleepOutcome }) =>
      reasoning.noteTimeout(context, outcome),
    ),
    giveUpModel: assign(({ context }, { outcome }: { outcome: SleepOutcome }) =>
      reasoning.giveUpModel(context, outcome),
    ),
    noteTime: assign((_, { outcome }: { outcome: { at: number } }) => ({ at: outcome.at })),
    planBackoff: assign(({ context }) => reasoning.planBackoff(context)),
    fallBack: assign(({ context }) => reasoning.fallBack(context)),
    askAgain: assign(({ context }) => reasoning.askAgain(context)),
    failEmpty: assign(({ context }) => reasoning.failEmpty(context)),
    applyPostReasoning: assign(({ context }, { outcome }: { outcome: HooksOutcome }) =>
      reasoning.applyPostReasoning(context, outcome),
    ),
    applyPostSummary: assign(({ context }, { outcome }: { outcome: HooksOutcome }) =>
      reasoning.applyPostSummary(context, outcome),
    ),
    storeDraft: assign(({ context }) => reasoning.storeDraft(context)),
    acceptGoto: assign(({ context }) => reasoning.acceptGoto(context)),
    refuseGoto: assign(({ context }) => reasoning.refuseGoto(context)),
    countRound: assign(({ context }) => reasoning.countRound(context)),
    beginSummary: assign(({ context }) => ending.beginSummary(context)),
    closeForLimit: assign(({ context }) => ending.closeForLimit(context)),
    storeSummary: assign(({ context }) => ending.storeSummary(context)),

    // acting
    applyPreActing: assign(({ context }, { outcome }: { outcome: HooksOutcome }) =>
      acting.applyPreActing(context, outcome),
    ),
    applyReview: assign(({ context }, { outcome }: { outcome: ReviewOutcome }) =>
      acting.applyReview(context, outcome),
    ),
    startCalls: assign(({ context }) => acting.startCalls(context)),
    holdCalls: assign(({ context }) => acting.holdCalls(context)),
    spawnCalls: base.enqueueActions(({ context, enqueue }) => {
      for (const record of acting.unspawnedCalls(context)) {
        enqueue.spawnChild("runTool", {
          id: toolActorOf(context, record.call.id),
          input: acting.toolInput(context, record),
        });
      }
      enqueue.assign(acting.markSpawned(context));
    }),
    recordToolRun: assign(({ context, event }) =>
      acting.recordToolRun(context, (event as DoneActorEvent<ToolRunOutcome>).output),
    ),
    /** A spawned service stays in the snapshot until it is stopped, also when it has ended. */
    releaseCall: base.stopChild(({ context, event }) =>
      toolActorOf(context, (event as DoneActorEvent<ToolRunOutcome>).output.callId),
    ),
    expireCalls: base.enqueueActions(({ context, event, enqueue }) => {
      const { at, final } = (event as unknown as DoneActorEvent<SleepOutcome>).output;
      for (const { call } of acting.expiredCalls(context, at))
        enqueue.stopChild(toolActorOf(context, call.id));
      enqueue.assign(acting.expireCalls(context, at, final));
    }),
    stopCalls: base.enqueueActions(({ context, enqueue }) => {
      for (const { call, status } of context.calls)
        if (status === "running") enqueue.stopChild(toolActorOf(context, call.id));
    }),
    interruptCalls: assign(({ context }) => acting.interruptCalls(context)),
    applyPostActing: assign(({ context }, { outcome }: { outcome: HooksOutcome }) =>
      acting.applyPostActing(context, outcome),
    ),
    storeResults: assign(({ context }) => acting.storeResults(context)),

    // limits and structured output
    suspendForBudget: assign(({ context }) => budget.suspendForBudget(context)),
    stopForBudget: assign(({ context }) => budget.stopForBudget(context)),
    extendBudget: assign(({ context, event }) =>
      event.type === "budget.extend" ? budget.extendBudget(context, event) : {},
    ),
    continueTurn: assign(({ context }) => entry.continueTurn(context)),
    remind: assign(({ context }) => output.remind(context)),
    failOutput: assign(({ context }) => output.failOutput(context)),
    storeOutput: assign(({ context }) => output.storeOutput(context)),
    keepOutput: assign(({ context }) => output.keepOutput(context)),

    // time
    startTimer: base.enqueueActions(({ context, enqueue }) => {
      const until = nextInstant(context);
      if (until === null) return;
      const timed = timedAttempts(context);
      const input = timed.length > 0 ? { until, timed } : { until };
      enqueue.spawnChild("sleepUntil", { id: "sleepUntil", input });
    }),
    stopTimer: base.stopChild("sleepUntil"),

    // how it ends
    endTurn: assign(({ context }, { reason }: { reason: Reason }) => ending.endTurn(context, reason)),
    suspendTurn: assign(({ context }, { reason }: { reason: Reason }) => ending.suspendTurn(context, reason)),
    applyPostCall: assign(({ context }, { outcome }: { outcome: HooksOutcome }) =>
      ending.applyPostCall(context, outcome),
    ),
    noteInterruption: assign(({ context, event }) =>
      event.type === "run.interrupt" ? ending.noteInterruption(context, event) : {},
    ),
    noteLateInterruption: assign(({ context, event }) =>
      event.type === "run.interrupt" ? ending.noteLateInterruption(context, event) : {},
    ),
    settleInterruption: assign(({ context }) => ending.settleInterruption(context)),
    recordFailure: assign(({ context }, { error }: { error: unknown }) =>
      ending.recordFailure(context, error),
    ),
    settleFailure: assign(({ context }) => ending.settleFailure(context)),
    settle: assign(({ context }) => ending.settleCall(context)),

    park: assign(({ context }, { place }: { place: NonNullable<Progress["resumeAt"]> }) =>
      ending.park(context, place),
    ),

    // at any time
    load: assign(({ context, event }) =>
      event.type === "session.load" ? { ...event.context, listening: context.listening } : {},
    ),
    drain: assign(({ context, event }) =>
      event.type === "run.shutdown"
        ? { at: event.at, progress: { ...context.progress, draining: true } }
        : {},
    ),
    steer: assign(({ context, event }) => (event.type === "run.steer" ? waiting.steer(context, event) : {})),
    observe: assign(({ context, event }) =>
      event.type === "session.observe" ? waiting.observe(context, event) : {},
    ),
    listen: assign(({ event }) => (event.type === "hooks.listen" ? { listening: event.points } : {})),
    refuseEvent: assign(({ context, event }) => ({ refused: { type: event.type, at: context.at } })),
    /** Aborts the signals of the model call and of the tools that run. Filled by the composition root. */
    abortServices: () => {},
  },
});

import type { Reason } from "../../../src/core/message/types.ts";
import { backoffMs } from "../../../src/core/model/execution.ts";
import type { ToolResultBlock } from "../../../src/core/message/types.ts";
import { errorResult, failedTool, interruptedResult, timedOut } from "../../../src/core/tool/results.ts";
import type { TimerDue } from "../events.ts";
import {
  answered,
  changedResult,
  withFailedAttempt,
  withNextAttempt,
  attemptsOf,
  MAX_ROUNDS,
  resumedWith,
  withSpent,
} from "./record.ts";
import { exceededByTools } from "./budget.ts";
import { changeCall, changeCalls, declare } from "../facts.ts";
import { placeOf, storeEach, storeResult, updateCall } from "./calls.ts";
import type { AgentContext, Change } from "../context.ts";
import type { CallRecord } from "../call-record.ts";
import { handoffProblem, withHandoff, withoutHandoff } from "./turn-agent.ts";
import { outputOf, withoutOutput } from "./output.ts";
import { ruleEngine } from "../rule-engine.ts";
import type { HooksOutcome, ToolInput, ToolRunOutcome } from "../services.ts";
import { takeWrites } from "./commands.ts";

const NONE: readonly never[] = [];

/** Returns the calls that start now, in call order. They are approved, due, within the limits of the batch and of their tool, write no slot
 *  that another call writes, and obey the rules. None starts over budget. `held` takes those that only the rules hold back; `most` ends the
 *  search. */
export function dueCalls(
  context: AgentContext,
  held?: Set<CallRecord>,
  most = Number.POSITIVE_INFINITY,
): ReadonlySet<CallRecord> {
  const { calls, at, settings } = context;
  const limit = settings.parallel === 0 ? Number.POSITIVE_INFINITY : settings.parallel;
  const ofTool = new Map<string, number>();
  const written = new Set<string>();
  let room = limit;
  let isWaiting = false;
  const due = new Set<CallRecord>();
  if (!hasApproved(calls)) return due;
  for (const { status, call, writes = NONE, notBeforeAt = 0 } of calls) {
    if (status === "approved") isWaiting ||= notBeforeAt > at;
    if (status !== "running") continue;
    room--;
    ofTool.set(call.name, (ofTool.get(call.name) ?? 0) + 1);
    for (const name of writes) written.add(name);
  }
  if (limit === 1 && isWaiting) room--;
  if (room <= 0 || exceededByTools(context) !== undefined) return due;
  for (const record of calls) {
    const { status, call, writes = NONE, notBeforeAt = 0, maxParallel = Number.POSITIVE_INFINITY } = record;
    if (status !== "approved" || notBeforeAt > at) continue;
    const busy = ofTool.get(call.name) ?? 0;
    if (busy >= maxParallel || writes.some((name) => written.has(name))) continue;
    if (settings.rules && !ruleEngine().mayStart(context, record, due)) {
      held?.add(record);
      continue;
    }
    due.add(record);
    for (const name of writes) written.add(name);
    ofTool.set(call.name, busy + 1);
    if (due.size >= Math.min(room, most)) break;
  }
  return due;
}

export function startCalls(context: AgentContext): Change {
  const held = new Set<CallRecord>();
  const due = dueCalls(context, held);
  if (due.size === 0) return {};
  const { at, progress, settings } = context;
  const { stats } = progress;
  const { process } = settings;
  const noted = settings.rules ? ruleEngine().noted(context, due, held) : (record: CallRecord) => record;
  const started = changeCalls(context, (record) => {
    const told = noted(record);
    if (!due.has(record)) return told;
    const { notBeforeAt: _, ...rest } = told;
    const { timeoutMs } = record.execution ?? {};
    return {
      ...rest,
      ...withNextAttempt(rest.account, process),
      status: "running",
      attempt: record.attempt + 1,
      since: at,
      ...(timeoutMs !== undefined && { deadlineAt: at + timeoutMs }),
    };
  });
  return {
    ...started,
    progress: {
      ...progress,
      ...(process !== undefined && { process }),
      stats: { ...stats, toolCalls: stats.toolCalls + due.size },
    },
  };
}

/** True if a call waits to run. It is asked for each result of a batch. */
function hasApproved(calls: readonly CallRecord[]): boolean {
  for (const record of calls) if (record.status === "approved") return true;
  return false;
}

/** True if no call of the batch starts now and none has to pause it. */
export function startsNothing(context: AgentContext): boolean {
  if (!hasApproved(context.calls)) return true;
  return dueCalls(context, undefined, 1).size === 0 && !mustPause(context);
}

/** True if the calls that wait to run are to be judged again, since none runs: the budget is exceeded, or the rules let none start. */
export function mustPause(context: AgentContext): boolean {
  if (!noneRunning(context)) return false;
  if (exceededByTools(context) !== undefined) return true;
  return context.settings.rules !== undefined && ruleEngine().isHeld(context);
}

export function noneRunning({ calls }: AgentContext): boolean {
  return calls.every(({ status }) => status !== "running");
}

/** The running calls that have no service yet. */
export function unspawnedCalls({ calls }: AgentContext): readonly CallRecord[] {
  return calls.filter(({ status, attempt, spawned }) => status === "running" && spawned !== attempt);
}

/** The deadline of an attempt whose service starts at `at`: the time that the journal took does not count. */
function deadlineFrom(at: number, { execution, deadlineAt }: CallRecord): number | undefined {
  const { timeoutMs } = execution ?? {};
  return timeoutMs === undefined ? deadlineAt : at + timeoutMs;
}

/** The input of the service of a call. */
export function toolInput(context: AgentContext, record: CallRecord): ToolInput {
  const { progress, at, slots } = context;
  const { turn, iteration } = progress;
  const refused = handoffProblem(context, record);
  return {
    turn,
    iteration,
    call: record.call,
    ...(record.argsHash !== undefined && { argsHash: record.argsHash }),
    attempt: record.attempt,
    ...(record.resume && { resumed: resumedWith(record.resume) }),
    deadlineAt: deadlineFrom(at, record) ?? null,
    slots,
    ...(record.account && { account: record.account }),
    ...(refused !== undefined && { refused }),
  };
}

export function markSpawned(context: AgentContext): Change {
  const fresh = new Set(unspawnedCalls(context));
  if (fresh.size === 0) return {};
  return changeCalls(context, (each) => {
    if (!fresh.has(each)) return each;
    const deadlineAt = deadlineFrom(context.at, each);
    return { ...each, spawned: each.attempt, ...(deadlineAt !== undefined && { deadlineAt }) };
  });
}

/** Returns running calls that have no service yet to the status `approved`. */
export function holdCalls(context: AgentContext): Change {
  const fresh = new Set(unspawnedCalls(context));
  if (fresh.size === 0) return {};
  return changeCalls(context, (each) => {
    if (!fresh.has(each)) return each;
    const { deadlineAt: _, ...rest } = each;
    return { ...rest, status: "approved", attempt: each.attempt - 1 };
  });
}

/** True if another attempt is allowed: it counts as a tool call, so the budget must suffice for it and for the remaining calls. */
function mayRetry(context: AgentContext, record: CallRecord): boolean {
  if (context.interruption || attemptsOf(record) >= (record.execution?.maxAttempts ?? 1)) return false;
  const calls = updateCall(context.calls, record.call.id, { status: "approved" });
  return exceededByTools({ ...context, calls }) === undefined;
}

function retried(
  { settings }: AgentContext,
  record: CallRecord,
  at: number,
  result: ToolResultBlock | undefined,
  retryAt = 0,
): CallRecord {
  const { deadlineAt: _, ...rest } = record;
  const account = withFailedAttempt(record, settings.process, result, at);
  const seed = `${settings.sessionId}/${record.call.id}`;
  const wait = at + backoffMs(record.execution ?? {}, attemptsOf(record), seed);
  return { ...rest, account, status: "approved", since: at, notBeforeAt: Math.max(wait, retryAt) };
}

/** The place of the call of an outcome, if that attempt is still running; else -1. */
function runningPlace({ calls }: AgentContext, { callId, attempt }: ToolRunOutcome): number {
  const place = placeOf(calls, callId);
  const record = calls[place];
  return record?.status === "running" && record.attempt === attempt ? place : -1;
}

/** True if the attempt of the outcome is no longer running. */
export function isLate(context: AgentContext, outcome: ToolRunOutcome): boolean {
  return runningPlace(context, outcome) < 0;
}

export function recordToolRun(context: AgentContext, outcome: ToolRunOutcome): Change {
  const { callId, at, result, slots, spent, retry, retryAt } = outcome;
  const place = runningPlace(context, outcome);
  const record = context.calls[place];
  if (!record) return { at };
  if (retry && mayRetry({ ...context, at }, record))
    return { at, ...changeCall(context, place, retried(context, record, at, result, retryAt)) };
  const end = ended(record, outcome);
  const counted = end.status === "done" ? spent : undefined;
  const next = { ...end, ...(counted && { spent: counted }) };
  const value = result?.state === "success" ? outputOf(context, callId) : undefined;
  const progress = withHandoff(
    context,
    counted ? withSpent(context.progress, counted) : context.progress,
    result,
  );
  const changed = { at, ...changeCall(context, place, next) };
  return {
    ...changed,
    ...takeWrites({ ...context, ...changed }, slots),
    ...(progress !== context.progress && { progress }),
    ...(value !== undefined && { wanted: { ...context.wanted!, value } }),
  };
}

/** The call after an attempt that is not repeated. */
function ended(
  { resume, ...record }: CallRecord,
  { at, suspension, result, expiresAt, spent, ran }: ToolRunOutcome,
): CallRecord {
  const rest = ran ? { ...record, account: { ...record.account, ran } } : record;
  if (!suspension) return answered({ ...rest, status: "done", since: at }, result!);
  const { reason, answerSchema, then, state = null, asks = [] } = suspension;
  const round = (resume?.round ?? 0) + 1;
  if (then === "resume" && round > MAX_ROUNDS) {
    const text = `it was suspended more than ${MAX_ROUNDS} times to go on`;
    return answered({ ...rest, status: "done", since: at }, failedTool(rest.call, text));
  }
  return {
    ...rest,
    status: "suspended",
    since: at,
    ...(reason !== undefined && { reason }),
    ...(answerSchema && { answerSchema }),
    ...(then === "resume" && {
      askedAgainAt: at,
      resume: {
        round,
        state,
        asks: asks.map((ask) => ({ ask })),
        attempts: rest.attempt,
        ...(spent && { spent }),
      },
      ...(expiresAt !== undefined && { expiresAt }),
    }),
  };
}

/** The running calls whose deadline has passed at `at`. */
export function expiredCalls(context: AgentContext, at: number): readonly CallRecord[] {
  return context.calls.filter(
    ({ status, deadlineAt }) => status === "running" && (deadlineAt ?? Infinity) <= at,
  );
}

/** Calls past their deadline are tried again, unless they are among the `final` ones, or answered with the time-out. */
export function expireCalls(context: AgentContext, { at, final = [] }: TimerDue): Change {
  const expired = new Set(expiredCalls(context, at));
  let now: AgentContext = { ...context, at };
  const late: AgentContext = { ...context, ...(expired.size > 0 && declare(context, { type: "call.late" })) };
  const changed = changeCalls(late, (record) => {
    if (!expired.has(record)) return record;
    const { call, execution } = record;
    const change: CallRecord =
      !final.includes(call.id) && mayRetry(now, record)
        ? retried(context, record, at, timedOut(call, execution?.timeoutMs ?? 0))
        : answered({ ...record, status: "done", since: at }, timedOut(call, execution?.timeoutMs ?? 0));
    now = { ...now, calls: updateCall(now.calls, call.id, change) };
    return change;
  });
  return { at, ...changed };
}

/** Gives every call without a result the result "interrupted". */
export function interruptCalls(context: AgentContext): Change {
  return changeCalls(context, (record) => {
    if (record.stored || record.result) return record;
    return {
      ...record,
      status: "done",
      skipHooks: true,
      result: interruptedResult(record.call, record.attempt > 0),
    };
  });
}

/** The next result that is not stored, in call order. */
export function nextResult(context: AgentContext): CallRecord | undefined {
  return context.calls.find((record) => !record.stored && record.result !== undefined);
}

/** True if postActing sees the next result. It does not see results that no execution and no person produced. */
export function wantsPostActing(context: AgentContext): boolean {
  const record = nextResult(context);
  return record !== undefined && !record.skipHooks && context.listening.includes("postActing");
}

/** The reason that the last stored result of a stopped batch gets. */
function stopReason({ calls, stop, interruption }: AgentContext, record: CallRecord): Reason | undefined {
  const isLast = calls.findLast((each) => !each.stored && each.result !== undefined) === record;
  return stop && isLast && !interruption ? "ACTING_STOP_REQUESTED" : undefined;
}

export function applyPostActing(context: AgentContext, outcome: HooksOutcome): Change {
  const record = nextResult(context);
  if (!record) return { at: outcome.at };
  const stop = context.stop || (outcome.stop ?? false);
  const now = { ...context, at: outcome.at, stop };
  const result = changedResult(record, outcome.result ?? record.result!, outcome.results ?? [], outcome.at);
  const stored = storeResult(now, record.call.id, result, stopReason(now, record));
  const isRefused = record.result!.state === "success" && result.state !== "success";
  const wanted = isRefused ? withoutOutput(context, record.call.id) : context.wanted;
  const progress = isRefused ? withoutHandoff(context, stored.progress!, record.call.name) : stored.progress!;
  return { at: outcome.at, ...stored, wanted, stop, progress: { ...progress, stopping: stop } };
}

/** Stores the results in call order, up to the first one that postActing has to see. */
export function storeResults(context: AgentContext): Change {
  const unstored = context.calls.filter(({ stored, result }) => !stored && result !== undefined);
  const isSeen = context.listening.includes("postActing");
  const seen = isSeen ? unstored.findIndex(({ skipHooks }) => !skipHooks) : -1;
  const records = seen < 0 ? unstored : unstored.slice(0, seen);
  if (records.length === 0) return {};
  return storeEach(context, records, seen < 0 ? stopReason(context, records.at(-1)!) : undefined);
}

/** After a restore nothing runs: a call that was running is repeated, answered or asked about, as its tool declares (I5). */
export function reviveCalls(context: AgentContext): AgentContext {
  const { process } = context.progress;
  const revived = changeCalls(context, (record) => {
    if (record.status !== "running") return record;
    const { deadlineAt: _, spawned: __, ...others } = record;
    const rest = { ...others, account: withFailedAttempt(record, process) };
    if (record.onRestart === "retry") return { ...rest, status: "approved", since: context.at };
    if (record.onRestart === "fail") {
      const text = `[ERROR] The outcome of the tool call is unknown: its process ended while it ran. Tool: ${record.call.name}`;
      return answered({ ...rest, status: "done" }, errorResult(record.call, "tool/outcome-unknown", text));
    }
    return { ...rest, status: "unknown", since: context.at };
  });
  return { ...context, ...revived };
}

import { elapsed } from "../base/elapsed.ts";
import { toolResultsOf } from "../message/query.ts";
import type { Msg, ToolResultBlock } from "../message/types.ts";
import { recoveredResult } from "../tool/results.ts";
import { isReported, messageEvents, notRun, toolRetry } from "../event/call-events.ts";
import { beginsToWait, changedCalls, unfinishedResult, waitingResult } from "../session/call-records.ts";
import { pendingCalls } from "../../machines/agent/updates/calls.ts";
import type { AgentContext } from "../../machines/agent/context.ts";
import type { CallRecord } from "../../machines/agent/call-record.ts";
import { adoptedChange } from "../../machines/agent/updates/changed-agent.ts";
import type { AgentEventBody } from "../event/types.ts";

/** Returns a state value as a string such as "reasoning.calling". The substate `running` is left out. */
export function stateName(value: unknown): string {
  if (typeof value === "string") return value === "running" ? "" : value;
  return Object.entries(value as object)
    .map(([key, inner]) => [key, stateName(inner)].filter((part) => part !== "").join("."))
    .join("|");
}

function resultIn(messages: readonly Msg[], callId: string): ToolResultBlock | undefined {
  return messages.flatMap(toolResultsOf).find(({ id }) => id === callId);
}

type Outcome = { readonly record: CallRecord; readonly result: ToolResultBlock };

/** What became of a call that was not running: it has its result, or waits. */
function outcomeOf(
  old: CallRecord | undefined,
  current: CallRecord | undefined,
  added: readonly Msg[],
): Outcome | undefined {
  const record = current ?? old;
  if (!record || old?.stored || old?.result) return undefined;
  const result = current?.result ?? (old && resultIn(added, record.call.id));
  if (result) return { record, result };
  const waits = beginsToWait(old, current);
  return waits && { record, result: waitingResult(waits) };
}

/** What became of the calls that were there before. */
function callEvents(before: AgentContext, after: AgentContext, added: readonly Msg[]): AgentEventBody[] {
  const gone = changedCalls(before.calls, after.calls);
  return gone.flatMap(({ record: old, other: current }): readonly AgentEventBody[] => {
    if (!isReported(old.call)) return [];
    if (old.status !== "running") {
      const outcome = outcomeOf(old, current, added);
      return outcome ? notRun(outcome.record.call, outcome.result) : [];
    }
    if (current?.status === "running" && current.attempt === old.attempt) return [];
    if (current?.status === "running" || current?.status === "approved")
      return [toolRetry(old.call, old.attempt, current.notBeforeAt ?? after.at, current.account)];
    const result =
      current?.result ?? resultIn(added, old.call.id) ?? unfinishedResult(old.call, current ?? old);
    return [{ type: "tool.end", callId: old.call.id, result, durationMs: elapsed(old.since, after.at) }];
  });
}

/** What became of new calls in the step that opened them. */
function newCallEvents(before: AgentContext, after: AgentContext): AgentEventBody[] {
  return changedCalls(after.calls, before.calls).flatMap(({ record, other }): readonly AgentEventBody[] => {
    if (other || !isReported(record.call)) return [];
    const outcome = outcomeOf(undefined, record, []);
    return outcome ? notRun(record.call, outcome.result) : [];
  });
}

function startEvents(before: AgentContext, after: AgentContext): AgentEventBody[] {
  return changedCalls(after.calls, before.calls).flatMap(({ record, other }): AgentEventBody[] => {
    const { call, status, attempt } = record;
    const isNew = status === "running" && attempt !== (other?.attempt ?? 0) && isReported(call);
    return isNew ? [{ type: "tool.start", call, attempt }] : [];
  });
}

function modelRetry(before: AgentContext, after: AgentContext): AgentEventBody[] {
  const { request, failure } = after;
  const { notBeforeAt, attempt } = request;
  if (notBeforeAt === null || notBeforeAt === before.request.notBeforeAt || !failure) return [];
  const { retry: _, ...error } = failure;
  return [{ type: "retry", attempt, until: notBeforeAt, error }];
}

/** Returns a `tool.end` for each call that is running when the agent ends, since its outcome will not be known here. */
export function cutOffEvents({ calls, progress }: AgentContext, at: number): AgentEventBody[] {
  if (progress.resumeAt !== null) return []; // they ran in another process
  return calls.flatMap(({ call, status, since }): AgentEventBody[] => {
    if (status !== "running" || !isReported(call)) return [];
    return [
      { type: "tool.end", callId: call.id, result: recoveredResult(call), durationMs: elapsed(since, at) },
    ];
  });
}

const NO_MESSAGES: readonly Msg[] = [];

/** Returns the new messages, in transcript order, without those that an insertion only moved. */
function addedMessages(before: AgentContext, after: AgentContext): readonly Msg[] {
  if (before.transcript === after.transcript) return NO_MESSAGES;
  const same = before.transcript.commonPrefix(after.transcript);
  const added = after.transcript.slice(same);
  if (same === before.transcript.length) return added;
  const moved = new Set(before.transcript.slice(same));
  return added.filter((message) => !moved.has(message));
}

function compactionEvents(before: AgentContext, after: AgentContext): AgentEventBody[] {
  const [was, is] = [before.progress.compacting, after.progress.compacting];
  const { last } = after.progress.compactions ?? {};
  const hasEnded = last !== undefined && last !== before.progress.compactions?.last;
  const isDropped = was && !is && !hasEnded; // it was interrupted
  const started = is && !was ? is : hasEnded && !was && last.did !== "nothing" ? last : undefined;
  const events: AgentEventBody[] = [];
  if (started)
    events.push({ type: "compaction.start", cause: started.cause, tokensBefore: started.tokensBefore });
  if (hasEnded && (was || started)) {
    const { did, tokensAfter, error } = last;
    events.push({ type: "compaction.end", did, tokensAfter, ...(error && { error }) });
  }
  if (isDropped) events.push({ type: "compaction.end", did: "nothing", tokensAfter: was.tokensBefore });
  return events;
}

/** The types of the events that follow from steps of the chart. */
export const DERIVED_TYPES = [
  "agent.changed",
  "state",
  "compaction.start",
  "compaction.end",
  "message",
  "tool.start",
  "tool.end",
  "retry",
  "slot",
  "handoff",
  "pending",
] as const;

/** True if the calls are those of another batch: another session was loaded, whose count of settled calls may be the same. */
function hasOtherCalls(before: AgentContext, after: AgentContext): boolean {
  return before.calls !== after.calls && before.calls[0]?.call.id !== after.calls[0]?.call.id;
}

function slotEvents({ slots: before }: AgentContext, { slots: after }: AgentContext): AgentEventBody[] {
  return Object.entries(after).flatMap(([name, slot]): AgentEventBody[] => {
    const { value, revision } = slot;
    return before[name] === slot ? [] : [{ type: "slot", name, value, revision }];
  });
}

function handoffEvents(
  { progress: before }: AgentContext,
  { progress: after }: AgentContext,
): AgentEventBody[] {
  const [from, to] = [before.persona ?? null, after.persona ?? null];
  return from === to ? [] : [{ type: "handoff", from, to }];
}

/** Returns the events between two contexts of the chart, in the order in which the journal has them. `isWaiting`: the later one waits for answers or decisions. */
export function eventsBetween(
  before: AgentContext,
  after: AgentContext,
  isWaiting: boolean,
): AgentEventBody[] {
  const events: AgentEventBody[] = [];
  if (before === after) return events;
  const added = addedMessages(before, after);
  const change = adoptedChange(before, after);
  const haveCallsChanged = before.calls !== after.calls;
  if (haveCallsChanged) events.push(...callEvents(before, after, added));
  if (change) events.push({ type: "agent.changed", change });
  if (added.length > 0) {
    const isCall = (id: string): boolean =>
      [...before.calls, ...after.calls].some(({ call }) => call.id === id);
    events.push(...messageEvents(added, isCall));
  }
  if (haveCallsChanged) events.push(...newCallEvents(before, after), ...startEvents(before, after));
  if (before.slots !== after.slots) events.push(...slotEvents(before, after));
  if (before.progress !== after.progress)
    events.push(...handoffEvents(before, after), ...compactionEvents(before, after));
  if (before.request !== after.request) events.push(...modelRetry(before, after));
  const hasSettled = after.progress.settled !== before.progress.settled;
  if (isWaiting && (change || hasSettled || hasOtherCalls(before, after)))
    events.push({ type: "pending", calls: pendingCalls(after) });
  return events;
}

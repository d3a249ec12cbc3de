import { elapsed } from "../core/base/time.ts";
import { toolResultsOf } from "../core/message/msg.ts";
import type { Msg, ToolResultBlock } from "../core/message/types.ts";
import { recoveredResult } from "../core/tool/results.ts";
import { isReported, messageEvents, notRun, toolRetry } from "../core/event/call-events.ts";
import { beginsToWait, unfinishedResult, waitingResult } from "../session/entries.ts";
import { pendingCalls } from "../../machines/agent/updates/calls.ts";
import type { AgentContext } from "../../machines/agent/context.ts";
import type { CallRecord } from "../../machines/agent/call-record.ts";
import type { StepFacts } from "../../machines/agent/facts.ts";
import type { AgentEventBody } from "../core/event/types.ts";

function resultIn(messages: readonly Msg[], callId: string): ToolResultBlock | undefined {
  return messages.flatMap(toolResultsOf).find(({ id }) => id === callId);
}

type Outcome = { readonly record: CallRecord; readonly result: ToolResultBlock };

/** Returns the outcome of a call that was not running: it has its result, or waits. */
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

/** Returns the outcome of the calls that were there before. */
function callEvents({ calls }: StepFacts, at: number, added: readonly Msg[]): AgentEventBody[] {
  return calls.flatMap(({ was: old, is: current }): readonly AgentEventBody[] => {
    if (!old || !isReported(old.call)) return [];
    if (old.status !== "running") {
      const outcome = outcomeOf(old, current, added);
      return outcome ? notRun(outcome.record.call, outcome.result) : [];
    }
    if (current.status === "running" && current.attempt === old.attempt) return [];
    if (current.status === "running" || current.status === "approved")
      return [toolRetry(old.call, old.attempt, current.notBeforeAt ?? at, current.account)];
    const result = current.result ?? resultIn(added, old.call.id) ?? unfinishedResult(old.call, current);
    return [{ type: "tool.end", callId: old.call.id, result, durationMs: elapsed(old.since, at) }];
  });
}

/** Returns the outcome of new calls in the step that opened them. */
function newCallEvents({ calls }: StepFacts): AgentEventBody[] {
  return calls.flatMap(({ was, is }): readonly AgentEventBody[] => {
    if (was || !isReported(is.call)) return [];
    const outcome = outcomeOf(undefined, is, []);
    return outcome ? notRun(is.call, outcome.result) : [];
  });
}

function startEvents({ calls }: StepFacts): AgentEventBody[] {
  return calls.flatMap(({ was, is: { call, status, attempt } }): AgentEventBody[] => {
    const isNew = status === "running" && attempt !== (was?.attempt ?? 0) && isReported(call);
    return isNew ? [{ type: "tool.start", call, attempt }] : [];
  });
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

/** The types of the events that follow from steps of the chart. */
export const DERIVED_TYPES = [
  "session.taken",
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

function noticeEvents({ notices }: StepFacts): AgentEventBody[] {
  return notices.flatMap((notice): AgentEventBody[] => {
    if (notice.type === "handoff" || notice.type === "retry") return [notice];
    if (notice.type === "compaction.start" || notice.type === "compaction.end") return [notice];
    return [];
  });
}

/** The events that are told only once what they tell is durable: a process that ends before begins the compaction again. */
export const UNTOLD: readonly AgentEventBody["type"][] = ["compaction.start", "compaction.end"];

/** Returns the events of a step, in the order in which the journal has them. `isWaiting`: it waits for
 *  answers or decisions after it. */
export function eventsOf(
  step: StepFacts,
  after: Pick<AgentContext, "calls" | "at">,
  isWaiting: boolean,
): AgentEventBody[] {
  const { takeOver, adopted, calls, slots, kept } = step;
  const added = step.messages?.added ?? [];
  const isCall = (id: string): boolean =>
    calls.some(({ is }) => is.call.id === id) || after.calls.some(({ call }) => call.id === id);
  const written = kept?.slots ? Object.entries(kept.slots) : [...slots];
  return [
    ...(takeOver ? [{ type: "session.taken" as const, ...takeOver }] : []),
    ...callEvents(step, after.at, added),
    ...(adopted ? [{ type: "agent.changed" as const, change: adopted }] : []),
    ...messageEvents(added, isCall),
    ...newCallEvents(step),
    ...startEvents(step),
    ...written.map(([name, { value, revision }]): AgentEventBody => ({
      type: "slot",
      name,
      value,
      revision,
    })),
    ...noticeEvents(step),
    ...(isWaiting && (adopted || step.hasSettled)
      ? [{ type: "pending" as const, calls: pendingCalls(after) }]
      : []),
  ];
}

import type { Msg } from "../message/types.ts";
import { AS_OPENED, callsAskedIn, changedCalls } from "./call-records.ts";
import { isSame } from "../base/is-same.ts";
import { changed } from "./changed.ts";
import type { ChartPosition, Fact, ProgressChange, ResultRef, StoredStep } from "./entry.ts";
import type { Cause } from "../../machines/agent/events.ts";
import type { StepAccount } from "../../machines/agent/step-account.ts";
import type { JournalState, SessionState } from "./format.ts";
import type { StoredModelCall } from "./model-calls.ts";
import { adoptedChange } from "../../machines/agent/updates/changed-agent.ts";
import { inputTurnOf, type AgentContext, type Progress } from "../../machines/agent/context.ts";
import type { CallRecord } from "../../machines/agent/call-record.ts";

function resultReference(message: Msg, before: AgentContext): ResultRef | undefined {
  const [block, ...more] = message.content;
  if (block?.type !== "tool_result" || more.length > 0) return undefined;
  const record = before.calls.find(({ call }) => call.id === block.id);
  if (record?.result !== block) return undefined;
  const { content: _, ...rest } = message;
  return { ...rest, ref: block.id };
}

type MessagesFact = Extract<Fact, { readonly type: "messages" }>;
type CallFact = Extract<Fact, { readonly type: "call" }>;

function messageFact(before: AgentContext, after: AgentContext): MessagesFact | undefined {
  if (before.transcript === after.transcript) return undefined;
  const from = before.transcript.commonPrefix(after.transcript);
  const messages = after.transcript.slice(from).map((message) => resultReference(message, before) ?? message);
  return { type: "messages", data: { from, messages } };
}

/** The fields of a call that are stored otherwise, or count only in the process that runs it: a restored call runs anew or not at
 *  all. */
const NOT_SET: ReadonlySet<string> = new Set(["call", "spawned", "deadlineAt"]);

function callFact(old: CallRecord | undefined, now: CallRecord): CallFact[] {
  const { call } = now;
  const is: { readonly [key: string]: unknown } = now;
  const was: { readonly [key: string]: unknown } = old ?? AS_OPENED;
  const set: { [key: string]: unknown } = {};
  for (const key of Object.keys(is)) if (!NOT_SET.has(key) && was[key] !== is[key]) set[key] = is[key];
  const unset = Object.keys(was).filter((key) => !NOT_SET.has(key) && !(key in is));
  const isChanged = old?.call !== call;
  if (!isChanged && unset.length === 0 && Object.keys(set).length === 0) return [];
  const data = { id: call.id, set, ...(unset.length > 0 && { unset }), ...(isChanged && { call }) };
  return [{ type: "call", data }];
}

function callFacts(before: AgentContext, after: AgentContext): readonly CallFact[] {
  return changedCalls(after.calls, before.calls).flatMap(({ record, other }) => callFact(other, record));
}

/** True for a call that the message before it asks for, and for one that begins to run: other results are stored before that. */
function comesLater({ data }: CallFact): boolean {
  if (data.set.result !== undefined) return false;
  return data.call !== undefined || data.set.status === "running" || data.set.attempt !== undefined;
}

/** Leaves the call out of a fact that opens it, if one of the messages in the fact before asks for it. */
function byReference({ type, data }: CallFact, facts: readonly Fact[]): CallFact {
  const { call, ...rest } = data;
  const messages = facts.flatMap((fact) => (fact.type === "messages" ? fact.data.messages : []));
  return { type, data: call && callsAskedIn(messages).includes(call) ? rest : data };
}

/** The messages that were added, and that no call is open any more if that is so. */
function messageFacts(before: AgentContext, after: AgentContext): readonly Fact[] {
  const isClosed = before.calls.length > 0 && after.calls.length === 0;
  const messages = messageFact(before, after);
  if (!messages) return isClosed ? [{ type: "calls.closed", data: {} }] : [];
  return [isClosed ? { ...messages, data: { ...messages.data, closes: true } } : messages];
}

const KEPT = ["inbox", "remembered", "wanted", "interruption", "view"] as const;

function contextFacts(before: AgentContext, after: AgentContext): Fact[] {
  let data: { [part: string]: unknown } | undefined;
  for (const key of KEPT) if (before[key] !== after[key]) (data ??= {})[key] = after[key];
  if (before.request.system !== after.request.system) (data ??= {})["system"] = after.request.system;
  return data ? [{ type: "kept", data }] : [];
}

/** An entry for each slot that was written; all slots at once if one of them has gone, because another session was loaded. */
function slotFacts({ slots: before }: AgentContext, { slots: after }: AgentContext): Fact[] {
  if (before === after) return [];
  const hasLost = Object.keys(before).some((name) => !Object.hasOwn(after, name));
  if (hasLost) return [{ type: "kept", data: { slots: after } }];
  return Object.entries(after).flatMap(([name, slot]): Fact[] =>
    before[name] === slot ? [] : [{ type: "slot", data: { name, ...slot } }],
  );
}

/** True if the agent refused the call that has just ended: the outcome is then still that of the previous call. */
export function isRefused({ outcome, failure }: Pick<AgentContext, "outcome" | "failure">): boolean {
  if (!failure || outcome?.reason === "SHUTDOWN") return false;
  return outcome?.error?.code !== failure.code || outcome.error.message !== failure.message;
}

/** The reply that the caller got, if hooks have made it another one than the answer that is stored. */
function ownReply({ outcome, transcript }: AgentContext): Msg | undefined {
  const { reply } = outcome ?? {};
  if (!reply?.changedBy) return undefined;
  let index = transcript.length - 1;
  while (index >= 0 && transcript.at(index)!.role !== "assistant") index--;
  return isSame(transcript.at(index)?.content, reply.content) ? undefined : reply;
}

function turnEndFacts(before: AgentContext, after: AgentContext): Fact[] {
  const { outcome, failure } = after;
  const isSettled = before.progress.settled !== after.progress.settled;
  const isOfTurn = failure || outcome !== before.outcome || before.progress.ending;
  if (!isSettled || !isOfTurn) return []; // a compaction has come to its end
  const turn = inputTurnOf(after.progress);
  const reason = outcome?.reason ?? "ERROR";
  const reply = ownReply(after);
  const { limit } = outcome ?? {};
  if (!failure)
    return outcome
      ? [{ type: "turn.end", data: { reason, turn, ...(reply && { reply }), ...(limit && { limit }) } }]
      : [];
  const { retry: _, ...error } = failure;
  const data = { reason, turn, error, ...(isRefused(after) && { isRefusal: true }) };
  return [{ type: "turn.end", data }];
}

/** Returns the facts that lead from one context to the next. */
export function factsBetween(before: AgentContext, after: AgentContext): readonly Fact[] {
  if (before === after) return [];
  const { extended } = after.progress;
  const adopted = adoptedChange(before, after);
  const calls = callFacts(before, after);
  const messages = messageFacts(before, after);
  const facts: Fact[] = [
    ...calls.filter((fact) => !comesLater(fact)), // a message may refer to the result of a call
    ...(adopted ? [{ type: "position" as const, data: { adopted } }] : []),
    ...messages,
    ...calls.filter(comesLater).map((fact) => byReference(fact, messages)),
    ...contextFacts(before, after),
    ...slotFacts(before, after),
  ];
  if (before.progress.extended !== extended) facts.push({ type: "budget.extended", data: { extended } });
  if (isRetryScheduled(before, after) || isEndingNoted(before, after))
    facts.push({ type: "position", data: {} });
  return [...facts, ...turnEndFacts(before, after)];
}

/** True if the change must be durable at once, because it could not be reproduced: the input of a turn, the result of a call,
 *  what a call remembers that goes on, the agent that adopted the turn, the outcome
 *  with which its last hooks run, what a compaction has left of the prompt, or the time before which a
 *  failed request is not repeated. */
export function needsFlush(before: AgentContext, after: AgentContext): boolean {
  return (
    before.inbox.input !== after.inbox.input ||
    before.progress.turn !== after.progress.turn ||
    isEndingNoted(before, after) ||
    adoptedChange(before, after) !== undefined ||
    before.progress.compactions?.last !== after.progress.compactions?.last ||
    hasNewResult(before, after) ||
    hasNewState(before, after) ||
    isRetryScheduled(before, after)
  );
}

/** True if hooks begin to run at the end of a turn, or the outcome with which they run has changed. */
function isEndingNoted({ progress: before }: AgentContext, { progress: after }: AgentContext): boolean {
  return !!after.ending && before.ending !== after.ending;
}

/** True if a request or a call has failed and is scheduled to be repeated. */
function isRetryScheduled(before: AgentContext, after: AgentContext): boolean {
  const { notBeforeAt } = after.request;
  if (notBeforeAt !== null && notBeforeAt !== before.request.notBeforeAt) return true;
  return changedCalls(after.calls, before.calls).some(
    ({ record, other }) => record.notBeforeAt !== undefined && record.notBeforeAt !== other?.notBeforeAt,
  );
}

/** True if a call has been suspended and goes on later: what it remembers cannot be had again. */
function hasNewState(before: AgentContext, after: AgentContext): boolean {
  return changedCalls(after.calls, before.calls).some(
    ({ record: { resume }, other }) => resume && resume.round !== other?.resume?.round,
  );
}

function hasNewResult(before: AgentContext, after: AgentContext): boolean {
  if (before.calls === after.calls) return false;
  const isNew = ({ record: { result }, other }: ReturnType<typeof changedCalls>[number]): boolean =>
    result !== undefined && result !== other?.result;
  return after.calls.length === 0 || changedCalls(after.calls, before.calls).some(isNew);
}

/** Returns the position of a context in the chart's state `state`. */
export function chartPosition(context: AgentContext, state: string): ChartPosition {
  const { progress, at, outcome } = context;
  const { attempt, usesFallback, notBeforeAt } = context.request;
  const request = { attempt, usesFallback, notBeforeAt };
  return { state, at, progress, request, ...(outcome && { reason: outcome.reason }) };
}

function progressChange(before: Progress | undefined, after: Progress): ProgressChange | undefined {
  const change = changed(before, after);
  if (!change?.stats || !before || change.stats.startedAt !== before.stats.startedAt) return change;
  return { ...change, stats: changed(before.stats, change.stats)! };
}

/** A step of the chart: the ids of the edges that one event took, the event's own first, when that was, what caused the event unless
 *  it was the program that uses the agent, and what came of it. */
export type ChartStepRecord = {
  readonly edges: readonly string[];
  readonly at: number;
  readonly by?: Cause;
  readonly account?: StepAccount;
};

/** Returns the last entry of an append: the fields of the position that differ from those of the previous append, and the steps
 *  and the model calls since then. The first position that a process writes has the hash of its chart. */
export function positionFact(
  before: ChartPosition | undefined,
  after: ChartPosition,
  written: {
    readonly at: number;
    readonly steps: readonly (ChartStepRecord & { readonly facts: number })[];
    readonly modelCalls: readonly StoredModelCall[];
  },
  { chart, edges }: Pick<JournalState, "chart" | "edges">,
): Fact {
  const progress = progressChange(before?.progress, after.progress);
  const request = changed(before?.request, after.request);
  const { state, at, reason = null } = after;
  const stored = written.steps.map((step): StoredStep => ({
    x: step.edges.map((id) => edges?.get(id) ?? -1),
    at: step.at,
    facts: step.facts,
    ...(step.by && { by: step.by }),
    ...(step.account && { did: step.account }),
  }));
  return {
    type: "position",
    data: {
      state,
      ...(at !== written.at && { at }),
      ...(reason !== (before?.reason ?? null) && { reason }),
      ...(progress && { progress }),
      ...(request && { request }),
      ...(stored.length > 0 && { steps: stored }),
      ...(written.modelCalls.length > 0 && { modelCalls: written.modelCalls }),
      ...(!before && { chart }),
    },
  };
}

/** Returns the facts that a whole session consists of, as a new journal begins with them; its position comes with the append.
 *  Without `activeGroups` nothing is said about tool groups, and with `saysSystem: false` nothing about the system prompt. */
export function wholeSession({
  messages,
  kept,
  activeGroups,
  saysSystem = true,
}: Pick<SessionState, "messages" | "kept"> &
  Partial<Pick<SessionState, "activeGroups">> & { readonly saysSystem?: boolean }): readonly Fact[] {
  const { inbox, remembered, wanted, slots, interruption, view, request, calls } = kept;
  const parts = { inbox, remembered, wanted, slots, interruption, view };
  return [
    { type: "messages", data: { from: 0, messages } },
    { type: "calls.closed", data: {} },
    ...calls.map(({ call, ...set }): Fact => ({ type: "call", data: { id: call.id, set, call } })),
    { type: "kept", data: { ...parts, ...(saysSystem && { system: request.system }) } },
    ...(activeGroups ? [{ type: "groups" as const, data: { active: activeGroups } }] : []),
  ];
}

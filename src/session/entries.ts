import type { Msg, ToolResultBlock } from "../core/message/types.ts";
import { AS_OPENED, callsAskedIn } from "./call-records.ts";
import { changed } from "./changed.ts";
import type { ChartPosition, Fact, ProgressChange, ResultRef, StoredStep } from "./entry.ts";
import type { Cause } from "../../machines/agent/events.ts";
import type { StepAccount } from "../../machines/agent/step-account.ts";
import type { JournalState, SessionState } from "./format.ts";
import type { StoredModelCall } from "./model-calls.ts";
import type { AgentContext, Progress } from "../../machines/agent/context.ts";
import type { CallStep, StepFacts } from "../../machines/agent/facts.ts";

/** The results of calls that the journal has in the entries of their calls. */
function storedResults({ calls }: StepFacts): ReadonlyMap<string, ToolResultBlock> {
  return new Map(calls.flatMap(({ was }) => (was?.result ? [[was.call.id, was.result]] : [])));
}

/** The message of a result, with a reference where the entry of its call has the result. */
function byResult(message: Msg, known: ReadonlyMap<string, ToolResultBlock>): Msg | ResultRef {
  const [block, ...more] = message.content;
  if (block?.type !== "tool_result" || more.length > 0 || known.get(block.id) !== block) return message;
  const { content: _, ...rest } = message;
  return { ...rest, ref: block.id };
}

type CallFact = Extract<Fact, { readonly type: "call" }>;

/** The fields of a call that are stored otherwise, or count only in the process that runs it: a restored call runs again or not at
 *  all. */
const NOT_SET: ReadonlySet<string> = new Set(["call", "spawned", "deadlineAt"]);

function callFact({ was: old, is: now }: CallStep): CallFact[] {
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
function messageFacts(step: StepFacts): readonly Fact[] {
  if (!step.messages) return step.closes ? [{ type: "calls.closed", data: {} }] : [];
  const known = storedResults(step);
  const { from } = step.messages;
  const messages = step.messages.messages.map((message) => byResult(message, known));
  return [{ type: "messages", data: { from, messages, ...(step.closes && { closes: true as const }) } }];
}

/** Returns the entries that the journal has of a step. */
export function entriesOf(step: StepFacts): readonly Fact[] {
  const { kept, slots, extended, takeOver, adopted, end, closes } = step;
  const open = closes ? step.calls.filter(({ was }) => !was) : step.calls; // the entry which closes the batch says it of the others
  const calls = open.flatMap(callFact);
  const messages = messageFacts(step);
  return [
    ...(takeOver ? [{ type: "session.taken" as const, data: takeOver }] : []),
    ...calls.filter((fact) => !comesLater(fact)), // a message may refer to the result of a call
    ...(adopted ? [{ type: "position" as const, data: { adopted } }] : []),
    ...messages,
    ...calls.filter(comesLater).map((fact) => byReference(fact, messages)),
    ...(kept ? [{ type: "kept" as const, data: kept }] : []),
    ...[...slots].map(([name, slot]): Fact => ({ type: "slot", data: { name, ...slot } })),
    ...(extended ? [{ type: "budget.extended" as const, data: { extended } }] : []),
    ...(isRetryScheduled(step) || step.isEnding ? [{ type: "position" as const, data: {} }] : []),
    ...(end ? [{ type: "turn.end" as const, data: end }] : []),
  ];
}

/** True if the step must be durable at once, because it could not be reproduced. It then has the input of a turn, the result of a call,
 *  what a call remembers that goes on, the agent that adopted the turn, the outcome with which its last hooks run, what a compaction has
 *  left of the prompt, or the time before which a failed request is not repeated. */
export function needsFlush(step: StepFacts): boolean {
  return (
    step.hasInput ||
    step.beginsTurn ||
    step.isEnding ||
    step.adopted !== undefined ||
    step.closes ||
    step.notices.some(({ type }) => type === "compaction.end") ||
    step.calls.some(hasNewResult) ||
    step.calls.some(hasNewState) ||
    isRetryScheduled(step)
  );
}

/** True for a step that begins a turn, and has nothing else that needs to be durable. A process that takes the input again reproduces it. */
export function onlyBegins(step: StepFacts): boolean {
  return step.beginsTurn && !step.hasSettled && !needsFlush({ ...step, hasInput: false, beginsTurn: false });
}

/** True if a request or a call has failed and is scheduled to be repeated. */
function isRetryScheduled({ notices, calls }: StepFacts): boolean {
  if (notices.some(({ type }) => type === "retry")) return true;
  return calls.some(({ was, is }) => is.notBeforeAt !== undefined && is.notBeforeAt !== was?.notBeforeAt);
}

/** True if a call has been suspended and goes on later: what it remembers cannot be had again. */
function hasNewState({ was, is: { resume } }: CallStep): boolean {
  return resume !== undefined && resume.round !== was?.resume?.round;
}

function hasNewResult({ was, is: { result } }: CallStep): boolean {
  return result !== undefined && result !== was?.result;
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

/** A step of the chart. It has the ids of the edges that one event took, the event's own first, when that was, what caused the event unless
 *  it was the program that uses the agent, and what came of it. */
export type ChartStepRecord = {
  readonly edges: readonly string[];
  readonly at: number;
  readonly by?: Cause;
  readonly account?: StepAccount;
};

/** Returns the last entry of an append. It has the fields of the position that differ from those of the previous append, and the steps and
 *  the model calls since then. The first position that a process writes has the hash of its chart. */
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

import type { Msg, ToolResultBlock, Block, ToolUseBlock } from "../core/message/types.ts";
import type {
  ChartPosition,
  Fact,
  ProgressChange,
  ResultRef,
  StoredStep,
  CallChange,
  PositionChange,
} from "./entry.ts";
import type { Cause } from "../../machines/agent/events.ts";
import type { StepAccount } from "../../machines/agent/step-account.ts";
import type { JournalState, SessionState } from "./format.ts";
import type { StoredModelCall } from "./model-calls.ts";
import type { AgentContext, Inbox, Progress } from "../../machines/agent/context.ts";
import type { CallStep, KeptParts, StepFacts } from "../../machines/agent/facts.ts";
import type { CallRecord } from "../../machines/agent/call-record.ts";
import { recoveredResult, suspendedResult } from "../core/tool/results.ts";
import { isSame, isObject, type JsonObject } from "../core/base/json.ts";
import type { JournalEntry } from "../store/port.ts";

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

/** Returns the parts that the journal has otherwise; undefined if it has them all as they are. */
function newParts(kept: KeptParts | undefined, inbox: Inbox | undefined): KeptParts | undefined {
  if (!kept?.inbox || !isSame(kept.inbox, inbox)) return kept;
  const { inbox: _, ...others } = kept;
  return Object.keys(others).length > 0 ? others : undefined;
}

/** Returns the entries that the journal has of a step. `inbox`: the one that it has before them, as far as that is known. A turn empties it
 *  again and again. */
export function entriesOf(step: StepFacts, inbox?: Inbox): readonly Fact[] {
  const { slots, extended, takeOver, adopted, end, closes } = step;
  const kept = newParts(step.kept, inbox);
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

/** Returns the calls for which the messages of an entry ask. The messages may be damaged: they are checked as a whole later. */
export function callsAskedIn(messages: readonly (Msg | ResultRef)[]): readonly ToolUseBlock[] {
  return messages.flatMap((message) => {
    const blocks: readonly (Block | null)[] =
      "content" in message && Array.isArray(message.content) ? message.content : [];
    return blocks.filter((block) => block?.type === "tool_use");
  });
}

/** The fields that an entry which opens a call leaves out if they have these values. */
export const AS_OPENED = { hooked: false, stored: false } as const;

/** Returns the records of the open calls after an entry about one of them; undefined if that call was never opened. `asked` are the
 *  calls for which the entry with messages before it asks. */
export function recordsAfter(
  calls: readonly CallRecord[],
  { id, set, unset = [], call: changed }: CallChange,
  asked: readonly ToolUseBlock[],
): readonly CallRecord[] | undefined {
  const old = calls.find((record) => record.call.id === id);
  const call = changed ?? (old ? undefined : asked.find((each) => each.id === id));
  if (!old && !call) return undefined;
  const kept = Object.entries(old ?? AS_OPENED).filter(([key]) => !unset.includes(key));
  const record = { ...Object.fromEntries(kept), ...(call && { call }), ...set } as CallRecord;
  if (old) return calls.map((each) => (each === old ? record : each));
  const at = ({ call: of }: CallRecord): number => asked.findIndex((each) => each.id === of.id);
  return [...calls, record].toSorted((a, b) => at(a) - at(b));
}

/** The record of a call that waits from now on, although it was not running: for an approval, or for a result from elsewhere. */
export function beginsToWait(
  old: CallRecord | undefined,
  current: CallRecord | undefined,
): CallRecord | undefined {
  if (!current || current.result) return undefined;
  const isAsked = current.asks !== undefined && old?.asks === undefined && current.status === "pending";
  const isSuspended = current.status === "suspended" && old?.status !== "suspended";
  return isAsked || isSuspended ? current : undefined;
}

/** The result of a call that waits without having run. */
export function waitingResult({ call, reason, asks }: CallRecord): ToolResultBlock {
  return suspendedResult(call, reason ?? asks);
}

/** The result of an attempt that has ended without one: its outcome is unknown, or the call waits. */
export function unfinishedResult(call: ToolUseBlock, { status, reason }: CallRecord): ToolResultBlock {
  return status === "unknown" ? recoveredResult(call) : suspendedResult(call, reason);
}

/** Returns the fields that differ from those before; undefined if none does. */
export function changed<T extends object>(before: T | undefined, after: T): Partial<T> | undefined {
  const change: Partial<T> = {};
  let isChanged = false;
  for (const key of Object.keys(after) as (keyof T)[]) {
    if (isSame(before?.[key], after[key])) continue;
    change[key] = after[key];
    isChanged = true;
  }
  return isChanged ? change : undefined;
}

/** The record of a call that begins to run as most calls do. It is a part of the journal's format: its values never change. */
const AS_STARTED = {
  status: "running",
  attempt: 1,
  execution: { maxAttempts: 1, timeoutMs: 300_000 },
  onRestart: "ask",
} as const;

/** A call that begins to run as `started`, with only what is different from {@link AS_STARTED}. */
function shortCall(data: CallChange): object {
  const { set, ...rest } = data;
  const { since, ...fields } = set;
  const isStart = fields.status === AS_STARTED.status && fields.attempt === AS_STARTED.attempt;
  const isWhole = since !== undefined && fields.execution !== undefined && fields.onRestart !== undefined;
  if (!isStart || !isWhole) return data;
  const others = Object.entries(fields).filter(
    ([key, value]) => !isSame(value, AS_STARTED[key as keyof typeof AS_STARTED]),
  );
  return { ...rest, started: since, ...(others.length > 0 && { set: Object.fromEntries(others) }) };
}

function longCall(data: JsonObject): object {
  const { started, set = {}, ...rest } = data;
  if (started === undefined || !isObject(set)) return data;
  return { ...rest, set: { ...AS_STARTED, since: started, ...set } };
}

/** Returns a position in a short form. It has its time as the ms before that of its entry (`ago`), and its steps as `ran`: the number of
 *  the entries of a step, the ms between the step before it and itself, then its edges. For the first step the ms are those between the
 *  last step and the time of the position. A step that says more is an object. Earlier journals have `steps`, which are edges alone. */
function shortPosition({ at, steps, ...rest }: PositionChange, writtenAt: number): object {
  const isTimed = steps?.every((step) => step.at !== undefined && step.facts !== undefined) ?? false;
  return {
    ...rest,
    ...(at !== undefined && { ago: writtenAt - at }),
    ...(steps && !isTimed && { steps: steps.map((step) => (step.by === undefined ? step.x : step)) }),
    ...(steps && isTimed && { ran: shortSteps(steps, at ?? writtenAt) }),
  };
}

function shortSteps(steps: readonly StoredStep[], positionAt: number): readonly object[] {
  return steps.map(({ x, at, facts, ...more }, index) => {
    const ms = index === 0 ? positionAt - steps.at(-1)!.at! : at! - steps[index - 1]!.at!;
    const list = [...packed(facts!, ms), ...x];
    return Object.keys(more).length === 0 ? list : { ran: list, ...more };
  });
}

/** Returns the number of entries and the ms of a step as one number, which is short as mostly both are. It returns three, beginning with
 *  -1, if that cannot be. It is a part of the journal's format. */
function packed(facts: number, ms: number): readonly number[] {
  return facts < PACKED && ms >= 0 && Number.isInteger(ms) ? [ms * PACKED + facts] : [-1, facts, ms];
}

const PACKED = 10;

/** The number of entries, the ms and the edges of a step; undefined if it has none of these. */
function unpacked([first, ...rest]: readonly number[]): readonly number[] | undefined {
  if (first === undefined) return undefined;
  if (first >= 0) return [first % PACKED, Math.floor(first / PACKED), ...rest];
  return rest.length >= 2 ? rest : undefined;
}

/** The steps of `ran`; undefined if it has none. */
function longSteps(ran: unknown, positionAt: number): readonly object[] | undefined {
  if (!Array.isArray(ran)) return undefined;
  const lists: (readonly number[])[] = [];
  for (const each of ran as readonly unknown[]) {
    const list = isObject(each) ? each["ran"] : each;
    if (!Array.isArray(list) || !list.every((part) => typeof part === "number")) return undefined;
    const whole = unpacked(list);
    if (!whole) return undefined;
    lists.push(whole);
  }
  let at = lists.reduce((time, [, ms = 0]) => time - ms, positionAt);
  return lists.map(([facts, ms = 0, ...x], index) => {
    if (index > 0) at += ms;
    const { ran: _, ...more } = isObject(ran[index]) ? ran[index] : {};
    return { ...more, x, at, facts };
  });
}

function longPosition(data: JsonObject, writtenAt: number): object {
  const { ago, steps, ran, ...rest } = data;
  const at = typeof ago === "number" ? writtenAt - ago : writtenAt;
  return {
    ...rest,
    ...(ago !== undefined && { at: typeof ago === "number" ? at : ago }),
    ...(ran !== undefined && { steps: longSteps(ran, at) ?? ran }),
    ...(steps !== undefined && { steps: Array.isArray(steps) ? steps.map(longStep) : steps }),
  };
}

const longStep = (step: unknown): unknown => (Array.isArray(step) ? { x: step as unknown } : step);

/** Returns the data of a fact as an entry of the time `at` has it, epoch ms: without what most entries of its type say alike. */
export function shortForm({ type, data }: Fact, at: number): object {
  if (type === "call") return shortCall(data);
  return type === "position" ? shortPosition(data, at) : data;
}

/** Returns the data of an entry with all that {@link shortForm} leaves out. That of earlier formats is the same in both forms. */
export function longForm({ type, at, data }: JournalEntry): object {
  if (!isObject(data)) return data;
  if (type === "call") return longCall(data);
  return type === "position" ? longPosition(data, at) : data;
}

// machines/agent/updates holds the pure functions behind the guards and actions of the agent's chart.
import { toolResultsOf, toolUsesOf } from "../../../src/core/message/msg.ts";
import type { Transcript } from "../../../src/core/message/transcript.ts";
import type { Msg, Reason, ToolResultBlock, ToolUseBlock } from "../../../src/core/message/types.ts";
import { hashInput } from "../../../src/core/base/hash.ts";
import { withAccount } from "../../../src/core/message/account.ts";
import { deniedResult, outcomeResult, truncatedCall } from "../../../src/core/tool/results.ts";
import { makeMessage, type AgentContext, type Change, type Draft } from "../context.ts";
import type { CallRecord } from "../call-record.ts";
import { asksOf, hasOpenAsk, pendingAsks, withSpent } from "./record.ts";
import { append, changeCalls, closeBatch, insert } from "../facts.ts";
import type { PendingCall } from "../../../src/core/tool/pending.ts";
import type { SessionPhase } from "../../../src/core/base/phase.ts";

/** The calls whose result is not in the transcript yet. */
export function openCalls({ calls }: Pick<AgentContext, "calls">): readonly CallRecord[] {
  return calls.filter((record) => !record.stored);
}

/** True if the call waits for a decision, or for an answer to one of its questions. */
export function isUndecided(record: CallRecord): boolean {
  if (hasOpenAsk(record)) return true;
  return !record.decided && (record.asks !== undefined || record.status === "unknown");
}

/** True if no call of the batch is running or waits to run. The last ones are looked at first: they mostly end last. */
export function allSettled(calls: readonly CallRecord[]): boolean {
  for (let place = calls.length - 1; place >= 0; place--) {
    const { status } = calls[place]!;
    if (status !== "done" && status !== "denied" && status !== "suspended") return false;
  }
  return true;
}

/** The places of the calls of a batch, by the first of them. Cached, because each result looks up its call. */
const batches = new WeakMap<ToolUseBlock, ReadonlyMap<string, number>>();
/** A smaller batch is searched. */
const MANY = 16;

/** Returns the place of a call in its batch, or -1. While a batch is open, its calls keep their places. */
export function placeOf(calls: readonly CallRecord[], callId: string): number {
  if (calls.length < MANY) return calls.findIndex(({ call }) => call.id === callId);
  const [{ call: first }] = calls as [CallRecord];
  const known = batches.get(first)?.get(callId) ?? -1;
  if (calls[known]?.call.id === callId) return known;
  const places = new Map(calls.map(({ call }, place) => [call.id, place]));
  batches.set(first, places);
  return places.get(callId) ?? -1;
}

/** Returns the reason if it cuts an answer off, so that the arguments of its calls may not be whole. */
export function cutBy({ finishReason }: Draft): "length" | "content_filter" | undefined {
  return finishReason === "length" || finishReason === "content_filter" ? finishReason : undefined;
}

/** Records for the calls of a message. A call from an answer that was cut off is answered at once. */
export function recordsOf(draft: Draft, at: number): readonly CallRecord[] {
  const cut = cutBy(draft);
  return toolUsesOf(draft.message).map((call) => ({
    call,
    status: cut ? "done" : "pending",
    hooked: false,
    stored: false,
    attempt: 0,
    since: at,
    ...(cut && { result: truncatedCall(call, cut) }),
  }));
}

/** The name of the actor that runs a call: its tool and its place in the batch. Not the call's id: XState keeps every type
 *  of event it has ever met, and the name of an actor is part of one. */
export function toolActorOf({ calls }: Pick<AgentContext, "calls">, callId: string): `tool.${string}` {
  const index = placeOf(calls, callId);
  return `tool.${calls[index]?.call.name}.${index + 1}`;
}

/** The records with `change` merged into that of `callId`. */
export function updateCall(
  calls: readonly CallRecord[],
  callId: string,
  change: Partial<CallRecord>,
): readonly CallRecord[] {
  const place = placeOf(calls, callId);
  if (place < 0) return calls;
  const next = calls.slice();
  next[place] = { ...calls[place]!, ...change };
  return next;
}

/** Returns the place of the result of a call: directly after the message at `askedAt`, in call order (I2). */
export function placeOfResult(
  transcript: Transcript,
  askedAt: number,
  order: readonly string[],
  callId: string,
): number {
  const places = new Map(order.map((id, place) => [id, place]));
  const mine = places.get(callId) ?? -1;
  const resultsAt = (index: number): readonly ToolResultBlock[] => {
    const message = index > askedAt ? transcript.at(index) : undefined;
    return message?.role === "tool" ? toolResultsOf(message) : [];
  };
  const end = transcript.length;
  const newest = resultsAt(end - 1);
  if (newest.length > 0 && newest.every(({ id }) => (places.get(id) ?? mine) < mine)) return end;
  let index = askedAt + 1;
  for (let results = resultsAt(index); results.length > 0; results = resultsAt(++index))
    if (results.some(({ id }) => (places.get(id) ?? -1) > mine)) break;
  return index;
}

/** Puts a result into the transcript and marks its call. */
export function storeResult(
  context: AgentContext,
  callId: string,
  result: ToolResultBlock,
  reason?: Reason,
): Change {
  const { account } = context.calls[placeOf(context.calls, callId)] ?? {};
  const told = account ? withAccount(result, account) : result;
  const message = { ...makeMessage(context, "tool", [told]), ...(reason && { reason }) };
  return storeResultMessage(context, message, [callId], context.progress.made + 1);
}

/** Puts a tool message with the results of `callIds`, in call order, into the transcript. */
export function storeResultMessage(
  context: AgentContext,
  message: Msg,
  callIds: readonly string[],
  made: number = context.progress.made,
): Change {
  const order = context.calls.map(({ call }) => call.id);
  const place = placeOfResult(context.transcript, context.progress.batchAt, order, callIds[0]!);
  return withStored(context, insert(context, place, [message]), new Set(callIds), made);
}

/** Marks the calls whose results the change puts into the transcript. */
function withStored(
  context: AgentContext,
  change: Change,
  callIds: ReadonlySet<string>,
  made: number,
): Change {
  const { calls: all, progress } = context;
  const marked = {
    ...change,
    ...changeCalls({ ...context, ...change }, (record) => {
      if (!callIds.has(record.call.id)) return record;
      const { result: _, account: __, ...rest } = record;
      return { ...rest, stored: true, status: record.status === "denied" ? "denied" : "done" };
    }),
  };
  const isClosed = (marked.calls ?? all).every(({ stored }) => stored);
  const left = all.filter(({ call, stored }) => !stored && callIds.has(call.id));
  const counted = left.reduce(
    (now, { resume }) => (resume?.spent ? withSpent(now, resume.spent) : now),
    progress,
  );
  return {
    ...marked,
    ...(isClosed && all.length > 0 && closeBatch({ ...context, ...marked })),
    progress: { ...counted, made, ...(isClosed && { batchAt: -1 }) },
  };
}

/** Puts the results of several calls into the transcript, each in a message of its own; `reason` is that of the last one. */
export function storeEach(context: AgentContext, records: readonly CallRecord[], reason?: Reason): Change {
  const { progress, transcript } = context;
  const order = context.calls.map(({ call }) => call.id);
  const isBehindAll =
    placeOfResult(transcript, progress.batchAt, order, records[0]!.call.id) === transcript.length;
  const reasonOf = (index: number): Reason | undefined => (index === records.length - 1 ? reason : undefined);
  if (!isBehindAll)
    return records.reduce<Change>(
      (change, { call, result }, index) => ({
        ...change,
        ...storeResult({ ...context, ...change }, call.id, result!, reasonOf(index)),
      }),
      {},
    );
  const messages = records.map(({ result, account = result!.account }, index) => {
    const now = { ...context, progress: { ...progress, made: progress.made + index } };
    const of = reasonOf(index);
    return { ...makeMessage(now, "tool", [withAccount(result!, account)]), ...(of && { reason: of }) };
  });
  const ids = new Set(records.map(({ call }) => call.id));
  return withStored(context, append(context, messages), ids, progress.made + records.length);
}

/** The result that a decision gives its call: an answer or a denial. */
export function decidedResult({ call, decided }: CallRecord): ToolResultBlock | undefined {
  if (decided === "deny") return deniedResult(call, "Permission denied by user");
  if (typeof decided !== "object") return undefined;
  if ("deny" in decided) return deniedResult(call, `Permission denied by user: ${decided.deny}`);
  if (!("answer" in decided)) return undefined;
  const { answer } = decided;
  const output = typeof answer === "string" ? [{ type: "text" as const, text: answer }] : answer;
  return outcomeResult(call, { output });
}

/** Answers every open call, in call order: with its own result or that of its decision, else with the result of `fill`. */
export function closeCalls(
  context: AgentContext,
  fill: (record: CallRecord) => ToolResultBlock,
): AgentContext {
  return openCalls(context).reduce<AgentContext>(
    (now, record) => ({
      ...now,
      ...storeResult(now, record.call.id, record.result ?? decidedResult(record) ?? fill(record)),
    }),
    context,
  );
}

function waitsFor(record: CallRecord): PendingCall["waitsFor"] {
  if (record.status === "suspended") return "externalResult";
  if (record.status === "unknown") return "unknownOutcome";
  return record.asks === undefined ? "stopRequested" : "approval";
}

/** The open calls that wait for something outside. */
function waitingRecords(context: Pick<AgentContext, "calls">): readonly CallRecord[] {
  const open = openCalls(context).filter((record) => record.result === undefined);
  const mustBeDecided = ({ asks, status }: CallRecord): boolean => asks !== undefined || status === "unknown";
  if (!open.some(mustBeDecided)) return open;
  return open.filter((record) => mustBeDecided(record) || asksOf(record).length > 0);
}

/** The open calls that wait for something outside, whole, whatever they ask. */
export function waitingCalls(context: Pick<AgentContext, "calls">): readonly PendingCall[] {
  return waitingRecords(context).map(pendingCall);
}

/** The open calls as callers see them: those that wait for something outside. In the place of a call that asks questions stands each of
 *  them. */
export function pendingCalls(context: Pick<AgentContext, "calls">): readonly PendingCall[] {
  return waitingRecords(context).flatMap((record) => {
    const asks = pendingAsks(record);
    return asks.length > 0 ? asks : [pendingCall(record)];
  });
}

/** The calls and questions that wait for a decision or an answer. */
export function undecidedCalls(context: Pick<AgentContext, "calls">): readonly PendingCall[] {
  const undecided = openCalls(context).filter(isUndecided);
  return pendingCalls({ calls: undecided }).filter(({ decided }) => decided === undefined);
}

function pendingCall(record: CallRecord): PendingCall {
  return {
    callId: record.call.id,
    name: record.call.name,
    input: record.call.input,
    argsHash: record.argsHash ?? hashInput(record.call.input),
    waitsFor: waitsFor(record),
    since: record.since,
    ...((record.asks ?? record.reason) !== undefined && { reason: record.asks ?? record.reason }),
    ...(record.expiresAt !== undefined && { expiresAt: record.expiresAt }),
    ...(record.answerSchema && { answerSchema: record.answerSchema }),
    ...(record.decided && { decided: record.decided }),
    ...(record.decidedBy !== undefined && { decidedBy: record.decidedBy }),
  };
}

/** The messages with their results in front, in call order, and everything else behind. Messages are split into one per
 *  result only if their results would not stand in call order otherwise. */
export function resultsFirst(order: readonly string[], messages: readonly Msg[]): readonly Msg[] {
  const placeOf = (result: ToolResultBlock): number => order.indexOf(result.id);
  const carrying = messages
    .map((message) => ({
      ...message,
      role: "tool" as const,
      content: toolResultsOf(message).toSorted((a, b) => placeOf(a) - placeOf(b)),
    }))
    .filter(({ content }) => content.length > 0)
    .toSorted((a, b) => placeOf(a.content[0]!) - placeOf(b.content[0]!));
  const places = carrying.flatMap(({ content }) => content.map(placeOf));
  const isOrdered = places.every((place, index) => index === 0 || place === places[index - 1]! + 1);
  const results = isOrdered
    ? carrying
    : carrying
        .flatMap((message) =>
          message.content.map((result, index) => ({
            ...message,
            id: index === 0 ? message.id : `${message.id}.${index + 1}`,
            content: [result],
          })),
        )
        .toSorted((a, b) => placeOf(a.content[0]!) - placeOf(b.content[0]!));
  return [...results, ...withoutResults(messages)];
}

/** The messages without results of unknown calls, and with one result for each call in `order`. */
export function answersTo(order: readonly string[], messages: readonly Msg[]): readonly Msg[] {
  const open = new Set(order);
  return messages.flatMap((message) => {
    const content = message.content.filter((block) => block.type !== "tool_result" || open.delete(block.id));
    if (content.length === message.content.length) return [message];
    return content.length > 0 ? [{ ...message, content }] : [];
  });
}

/** The messages without their tool results. Other content of such a message becomes a message of its own with the role user. */
export function withoutResults(messages: readonly Msg[]): readonly Msg[] {
  return messages.flatMap((message) => {
    const content = message.content.filter(({ type }) => type !== "tool_result");
    if (content.length === message.content.length) return [message];
    if (content.length === 0) return [];
    const rest = { ...message, id: `${message.id}.rest`, content };
    if (message.role !== "tool") return [rest];
    return [{ ...rest, role: "user" as const, name: message.name === "tool" ? "user" : message.name }];
  });
}

/** The phase of a session: `stopped` between turns, `unfinished` in the middle of one that was cut off, `suspended` while something outside
 *  must answer, else `running`. */
export type Phase = Exclude<SessionPhase, "quarantined">;

const RESTS: { readonly [state: string]: Phase } = {
  "stopped.idle": "stopped",
  "stopped.unfinished": "unfinished",
  "suspended.waiting": "suspended",
};

/** The phase of a session in the state of the chart with this path. */
export function phaseOf(path: string): Phase {
  return RESTS[path] ?? "running";
}

/** Returns the path of a state as events and journals name it. */
export const shortPath = (path: string): string => path.replace(/\.running$/u, "");

/** The phase of a stored session that no process runs: a turn in the middle of which its journal ends is unfinished. */
export function restingPhaseOf(path: string): Exclude<Phase, "running"> {
  const phase = phaseOf(path);
  return phase === "running" ? "unfinished" : phase;
}

/** The state in which a session with this context rests once it is restored, as the edges of `session.load` lead to it. */
export function restStateOf(
  context: AgentContext,
): "stopped.idle" | "stopped.unfinished" | "suspended.waiting" {
  if (context.progress.resumeAt !== null) return "stopped.unfinished";
  const isOpen = openCalls(context).length > 0 || context.progress.exceeded !== null;
  return isOpen ? "suspended.waiting" : "stopped.idle";
}

/** True if a session at rest has no turn to go on with: none is open, or the last one has its outcome already. */
export function isBetweenTurns(context: AgentContext): boolean {
  const { progress } = context;
  const resumeAt = progress.resumeAt === "ending" ? null : progress.resumeAt;
  return restStateOf({ ...context, progress: { ...progress, resumeAt } }) === "stopped.idle";
}

import type { TakeOver, Msg, ToolResultBlock } from "../../../src/core/message/types.ts";
import { Transcript } from "../../../src/core/message/transcript.ts";
import { freshTurn, makeMessage, type AgentContext, type Change } from "../context.ts";
import { declare, openBatch, replaceFrom, replacing } from "../facts.ts";
import type { CallRecord, CallRules } from "../call-record.ts";
import { hasBlock, toolResultsOf, toolUsesOf } from "../../../src/core/message/msg.ts";
import { recoveredResult } from "../../../src/core/tool/results.ts";
import { answersTo, resultsFirst } from "./calls.ts";
import { viewAfter } from "../prompt/view.ts";

/** Puts messages in the place of those of a resting session. The turn before stays the one that the last reply belongs to, as far as
 *  its messages are still there. */
export function editMessages(
  context: AgentContext,
  { at, messages }: { readonly at: number; readonly messages: readonly Msg[] },
): Change {
  const { transcript, progress, view } = context;
  const edited = Transcript.of(messages);
  const same = transcript.commonPrefix(edited);
  const first = transcript.at(progress.turnAt)?.id;
  const turnAt = messages.findIndex(({ id }) => id === first);
  return {
    at,
    ...replaceFrom(context, same, messages.slice(same)),
    view: viewAfter(view, same, (index) => messages.indexOf(transcript.at(index)!)),
    progress: { ...progress, turnAt: turnAt < 0 ? Math.min(progress.turnAt, messages.length) : turnAt },
  };
}

type Calls = Pick<AgentContext, "calls" | "remembered">;

/** The calls as a fork takes them: without the decisions about them, which belong to the original (I7). A call that a person has approved
 *  asks again, now or before its next attempt. */
export function forkedCalls({ calls, remembered }: Calls): readonly CallRecord[] {
  const tools = new Set(remembered.map(({ tool }) => tool));
  return calls.map((record) => {
    if (record.stored || record.result) return record;
    const isPermitted = record.argsHash !== undefined && record.asks === undefined;
    return undecided(record, isPermitted || tools.has(record.call.name));
  });
}

function undecided(record: CallRecord, wasApproved: boolean): CallRecord {
  const { decided: _, decidedBy: __, askedAgainAt: ___, rules, ...others } = record;
  const rest = rules ? { ...others, rules: unapprovedRules(rules) } : others;
  const { argsHash: ____, resume, ...unapproved } = rest;
  if (record.status === "suspended" && resume)
    return wasApproved ? begunAnew(rest, wasApproved) : { ...rest, resume: unanswered(resume) };
  if (record.status === "approved" || (record.status === "running" && record.onRestart === "retry"))
    return begunAnew(rest, wasApproved);
  return record.asks === undefined ? unapproved : rest; // whoever goes on with it is asked first
}

/** Returns the knowledge that rules have of a call, without what people have said. */
function unapprovedRules({ approver: _, waived: __, ...rules }: CallRules): CallRules {
  return rules;
}

/** A call that is reviewed before it runs from its beginning, and asks if it had an approval. */
function begunAnew(record: CallRecord, wasApproved: boolean): CallRecord {
  const { resume: _, deadlineAt: __, spawned: ___, reason: ____, answerSchema: _____, ...rest } = record;
  const asks = `Tool '${record.call.name}' was approved in the session that this one was forked from.`;
  return { ...rest, status: "pending", ...(wasApproved && { asks }) };
}

const unanswered = (resume: NonNullable<CallRecord["resume"]>): NonNullable<CallRecord["resume"]> => ({
  ...resume,
  asks: resume.asks.map(({ ask }) => ({ ask })),
});

/** Puts a restored session in the place of this one. A turn that was cut off rests since its last event. */
export function loadSession(
  former: AgentContext,
  { context, takeOver }: { readonly context: AgentContext; readonly takeOver?: TakeOver },
): AgentContext {
  const { listening, allowed } = former;
  const { progress, at } = context;
  const loaded: AgentContext = {
    ...context,
    listening,
    allowed,
    progress: { ...progress, restedAt: progress.restedAt ?? at },
  };
  const taken = takeOver ? [{ type: "session.taken" as const, takeOver }] : [];
  return { ...loaded, ...declare(former, { type: "loaded" }, ...taken, ...replacing(former, loaded)) };
}

const asks = (message: Msg, id: string): boolean => toolUsesOf(message).some((call) => call.id === id);

/** The messages with results directly after the one at `index`. */
function answersBehind(messages: readonly Msg[], index: number): readonly Msg[] {
  let end = index + 1;
  while (end < messages.length && hasBlock(messages[end]!, "tool_result")) end++;
  return messages.slice(index + 1, end);
}

/** True if the message is followed by exactly the results of its calls, in call order (I2). */
function isAnswered(messages: readonly Msg[], index: number): boolean {
  const message = messages[index]!;
  if (!hasBlock(message, "tool_use")) return true;
  const calls = toolUsesOf(message);
  const results = answersBehind(messages, index).flatMap(toolResultsOf);
  return results.length === calls.length && results.every(({ id }, place) => id === calls[place]!.id);
}

/** The calls since the beginning of the turn that have neither a result behind their message nor a record. */
export function orphansOf({ transcript, calls, progress }: AgentContext): readonly string[] {
  const messages = transcript.slice(progress.turnAt);
  return messages.flatMap((message, index) => {
    const known = new Set(
      answersBehind(messages, index).flatMap((each) => toolResultsOf(each).map(({ id }) => id)),
    );
    for (const { call } of calls) known.add(call.id);
    return toolUsesOf(message).flatMap(({ id }) => (known.has(id) ? [] : [id]));
  });
}

/** The result of a call further on in the history, before the id of the call is used again. */
function strayResult(messages: readonly Msg[], callId: string): ToolResultBlock | undefined {
  for (const message of messages) {
    if (asks(message, callId)) return undefined;
    const result = toolResultsOf(message).find(({ id }) => id === callId);
    if (result) return result;
  }
  return undefined;
}

function without(messages: readonly Msg[], results: ReadonlySet<unknown>): readonly Msg[] {
  return messages.flatMap((message) => {
    const content = message.content.filter((block) => !results.has(block));
    if (content.length === message.content.length) return [message];
    return content.length > 0 ? [{ ...message, content }] : [];
  });
}

/** The messages after the one at `index`, its results first; `make` creates the message of a missing result. */
function withAnswers(
  messages: readonly Msg[],
  index: number,
  make: (result: ToolResultBlock) => Msg,
): readonly Msg[] {
  const calls = toolUsesOf(messages[index]!);
  const order = calls.map(({ id }) => id);
  const behind = answersBehind(messages, index);
  const later = messages.slice(index + 1 + behind.length);
  const own = answersTo(order, behind);
  const known = new Set(own.flatMap(toolResultsOf).map(({ id }) => id));
  const missing = calls.filter(({ id }) => !known.has(id));
  const found = new Map(missing.map(({ id }) => [id, strayResult(later, id)]));
  const made = missing.map((call) => make(found.get(call.id) ?? recoveredResult(call)));
  return [...resultsFirst(order, [...own, ...made]), ...without(later, new Set(found.values()))];
}

/** Gives every call of loaded history without a record its one result directly after its message. This is the result found elsewhere in the
 *  history, or the recovery result. Earlier turns were checked when they began. */
export function closeOrphans(context: AgentContext, end: number = context.transcript.length): AgentContext {
  const { settings, transcript } = context;
  if (!settings.recoverOrphans) return context;
  const { turnAt } = context.progress;
  const before: readonly Msg[] = transcript.slice(turnAt, end);
  let messages = before;
  let { progress } = context;
  const make = (result: ToolResultBlock): Msg => {
    const message = makeMessage({ ...context, progress }, "tool", [result]);
    progress = { ...progress, made: progress.made + 1 };
    return message;
  };
  for (let index = 0; index < messages.length; index++) {
    if (isAnswered(messages, index)) continue;
    messages = [...messages.slice(0, index + 1), ...withAnswers(messages, index, make)];
  }
  if (messages === before) return context;
  const rest = [...messages, ...transcript.slice(end)];
  return { ...context, progress, ...replaceFrom(context, turnAt, rest) };
}

/** Creates records for the last batch of loaded history if some of its calls are open, so that results for them are accepted.
 *  Earlier open calls are closed. A call of loaded history never runs here. */
export function adoptOrphans(context: AgentContext): AgentContext {
  if (!context.settings.recoverOrphans || context.calls.length > 0) return context;
  const { turnAt } = context.progress; // before it every call has its result
  const messages = context.transcript.slice(turnAt);
  const place = messages.findLastIndex((message) => hasBlock(message, "tool_use"));
  if (place < 0) return context;
  const index = turnAt + place;
  const stored = new Set(
    messages.slice(place + 1).flatMap((each) => toolResultsOf(each).map(({ id }) => id)),
  );
  const calls = toolUsesOf(messages[place]!).map((call): CallRecord => ({
    call,
    status: stored.has(call.id) ? "done" : "suspended",
    hooked: true,
    stored: stored.has(call.id),
    attempt: 0,
    since: context.at,
  }));
  if (calls.every((record) => record.stored)) return context;
  const closed = closeOrphans(context, index);
  const batchAt = index + closed.transcript.length - context.transcript.length;
  return { ...closed, ...openBatch(closed, calls), progress: { ...freshTurn(closed), batchAt } };
}

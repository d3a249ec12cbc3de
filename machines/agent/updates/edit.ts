import type { TakeOver } from "../../../src/core/message/types.ts";
import type { Msg } from "../../../src/core/message/types.ts";
import { Transcript } from "../../../src/core/message/transcript.ts";
import type { AgentContext, Change } from "../context.ts";
import { replaceFrom, declare, replacing } from "../facts.ts";
import { WHOLE, type Omitted, type View } from "../prompt/view.ts";
import type { CallRecord, CallRules } from "../call-record.ts";

/** The view of a transcript whose first `same` messages are as before. A summary of messages that were changed says what they said: then
 *  the whole transcript is shown, and bounded again. What a provider refused stays left out of the messages that are as before, wherever
 *  `placeOf` finds them. */
export function viewAfter(
  view: View | null,
  same: number,
  placeOf: (index: number) => number = (index) => index,
): View | null {
  if (!view) return view;
  const { omitted: left = [], cut: cuts = [], ...rest } = view;
  const omitted = left.flatMap((each): Omitted[] => {
    const at = each.at < same ? each.at : placeOf(each.at);
    return at < 0 ? [] : [at === each.at ? each : { ...each, at }];
  });
  const cut = cuts.filter(({ to }) => to <= same);
  const isKept = Math.max(view.from, view.clearedTo, view.mediaTo ?? 0) <= same;
  const isWhole = omitted.length === left.length && cut.length === cuts.length;
  if (isKept && isWhole && omitted.every((each, index) => each === left[index])) return view;
  const more = { ...(isKept && cut.length > 0 && { cut }), ...(omitted.length > 0 && { omitted }) };
  if (isKept) return { ...rest, ...more };
  return view.reads || omitted.length > 0 ? { ...WHOLE, ...more, ...(view.reads && { reads: true }) } : null;
}

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

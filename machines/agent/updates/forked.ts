import type { AgentContext } from "../context.ts";
import type { CallRecord, CallRules } from "../call-record.ts";

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

/** What rules know of a call, without what people have said. */
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

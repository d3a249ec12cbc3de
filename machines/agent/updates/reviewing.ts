import type { JsonObject } from "../../../src/core/base/json.ts";
import type { ToolUseBlock } from "../../../src/core/message/types.ts";
import { hashInput } from "../../../src/core/base/hash.ts";
import { hasBreakpoints } from "../../../src/core/tool/stored-slots.ts";
import { deniedResult } from "../../../src/core/tool/results.ts";
import type { AgentContext, Change } from "../context.ts";
import type { CallRecord, CallTerms } from "../call-record.ts";
import { changeCalls } from "../facts.ts";
import { noted } from "../../../src/core/message/account.ts";
import { answered, withChangedInput, withDenial } from "./record.ts";
import { wantedNow } from "./entry.ts";
import { ruleEngine } from "../rule-engine.ts";
import type { HooksOutcome, ReviewOutcome, Verdict } from "../services.ts";

/** The calls that preActing has not seen yet. */
export function unhookedCalls(context: AgentContext): readonly CallRecord[] {
  return context.calls.filter((record) => record.status === "pending" && !record.hooked);
}

/** The call with another input, which also replaces arguments that could not be parsed. */
function callWith({ rawInput: _, ...call }: ToolUseBlock, input: JsonObject): ToolUseBlock {
  return { ...call, input };
}

/** The call with the input that a hook returned. An earlier approval stays bound to the input that was approved; an edit has an
 *  input of its own. */
function withInput(record: CallRecord, input: JsonObject, hook: string, at: number): CallRecord {
  const { call } = record;
  const { decided, argsHash = hashInput(call.input) } = record;
  const isEdit = typeof decided === "object" && "edit" in decided;
  const isBound = decided !== undefined && !isEdit && hashInput(input) !== hashInput(call.input);
  const account = withChangedInput(record, { hook }, at, input);
  return { ...record, ...account, call: callWith(call, input), ...(isBound && { argsHash }) };
}

export function applyPreActing(context: AgentContext, outcome: HooksOutcome): Change {
  const changes = new Map(outcome.calls?.map((change) => [change.callId, change]));
  const changed = changeCalls(context, (record) => {
    if (record.status !== "pending" || record.hooked) return record;
    const change = changes.get(record.call.id);
    const edits = change?.changes ?? (change?.input ? [{ hook: change.by ?? "", input: change.input }] : []);
    const edited = edits.reduce((now, { hook, input }) => withInput(now, input, hook, outcome.at), record);
    const hooked = { ...edited, hooked: true };
    if (change?.deny === undefined) return hooked;
    const account = withDenial(hooked.account, change.deniedBy, outcome.at);
    return answered({ ...hooked, account, status: "denied" }, deniedResult(hooked.call, change.deny));
  });
  return { at: outcome.at, ...changed };
}

/** The calls without a verdict: new ones, and those whose decision has arrived. */
export function unreviewedCalls(context: AgentContext): readonly CallRecord[] {
  return context.calls.filter(
    (record) => record.status === "pending" && (record.asks === undefined || record.decided),
  );
}

/** The terms of a call that may run whatever its arguments are; undefined if it must be judged. */
export function termsOf(
  { call, decided, asks }: CallRecord,
  allowed: AgentContext["allowed"],
): CallTerms | undefined {
  if (decided !== undefined || asks !== undefined || !Object.hasOwn(allowed, call.name)) return undefined;
  return allowed[call.name];
}

/** True if no call of the batch must be judged, no hook wants to see one, and the session has no breakpoints. */
export function allowsAll({ calls, allowed, listening, slots }: AgentContext): boolean {
  if (listening.includes("preActing") || hasBreakpoints(slots)) return false;
  return calls.every((record) => record.status !== "pending" || termsOf(record, allowed) !== undefined);
}

/** Gives the calls of the batch their permission, as a review would. */
export function allowCalls(context: AgentContext): Change {
  const { allowed, at } = context;
  return changeCalls(context, (record) => {
    if (record.status !== "pending") return record;
    const { argsHash: _, ...rest } = record;
    return { ...rest, ...termsOf(record, allowed), status: "approved", since: at };
  });
}

function judged(record: CallRecord, verdict: Verdict, at: number): CallRecord {
  const { decided: _, decidedBy: __, asks: ___, askedAgainAt: ____, ...others } = record;
  const { expiresAt: _____, argsHash: ______, ...rest } = others;
  const { action, argsHash, execution, maxParallel, writes, onRestart } = verdict;
  const base: CallRecord = {
    ...rest,
    ...(verdict.input && withChangedInput(record, { person: record.decidedBy ?? null }, at, verdict.input)),
    call: verdict.input ? callWith(record.call, verdict.input) : record.call,
    since: at,
    ...(argsHash !== undefined && { argsHash }),
    ...(execution && { execution }),
    ...(maxParallel !== undefined && { maxParallel }),
    ...(writes && { writes }),
    ...(onRestart && { onRestart }),
  };
  if (action === "allow") return { ...base, status: "approved" };
  if (action === "ask") {
    const { reason = "", expiresAt } = verdict;
    const account = noted(base.account, "asked", { at, reason });
    return { ...base, account, asks: reason, ...(expiresAt !== undefined && { expiresAt }) };
  }
  const result = verdict.result ?? deniedResult(record.call, "Permission denied by rules");
  return answered({ ...base, status: action === "deny" ? "denied" : "done" }, result);
}

/** The rules that the approvals of these verdicts ask to remember. */
function rulesOf(calls: readonly CallRecord[], verdicts: ReadonlyMap<string, Verdict>) {
  return calls.flatMap(({ call, decided }) => {
    const verdict = verdicts.get(call.id);
    const remember = typeof decided === "object" && "approve" in decided ? decided.remember : undefined;
    if (verdict?.action !== "allow" || remember === undefined) return [];
    const argsHash = verdict.argsHash ?? hashInput(call.input);
    return [{ tool: call.name, ...(remember === "input" && { argsHash }) }];
  });
}

/** Applies the verdicts. A rule that an approval asks to remember applies from here on. */
export function applyReview(context: AgentContext, outcome: ReviewOutcome): Change {
  const verdicts = new Map(outcome.verdicts.map((verdict) => [verdict.callId, verdict]));
  const rules = rulesOf(context.calls, verdicts);
  return {
    at: outcome.at,
    ...(rules.length > 0 && { remembered: [...context.remembered, ...rules] }),
    ...changeCalls(context, (record) => {
      const verdict = verdicts.get(record.call.id);
      if (!verdict) return record;
      const next = judged(record, verdict, outcome.at);
      return context.settings.rules ? ruleEngine().reviewed(record, verdict, next) : next;
    }),
  };
}

/** Continues the batch: decided calls are reviewed with their decision, suspended ones run again from preActing on. A call that goes on
 *  has its permission and was seen by preActing: it runs next, with the answers to its questions. */
export function rerunSuspended(context: AgentContext): Change {
  const changed = changeCalls(context, (record) => {
    if (record.status !== "suspended" && !(record.status === "unknown" && record.decided)) return record;
    const { reason: _, answerSchema: __, ...rest } = record;
    if (record.status === "suspended" && record.resume) return approvedAgain(rest);
    return { ...rest, status: "pending", hooked: record.decided !== undefined };
  });
  const { wanted: _, clientTools: __, ...inbox } = context.inbox;
  const progress = { ...context.progress, exceeded: null, resumeAt: null };
  return { ...changed, inbox, wanted: wantedNow(context), outcome: null, progress };
}

function approvedAgain({ expiresAt: _, askedAgainAt: __, ...rest }: CallRecord): CallRecord {
  return { ...rest, status: "approved" };
}

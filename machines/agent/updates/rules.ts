import {
  asksWho,
  isJudged,
  type Law,
  type LawState,
  type Letter,
  type RuleData,
  type RuleState,
} from "../../../src/core/tool/rules/law.ts";
import { interestIn, type Interest } from "../../../src/core/tool/rules/interest.ts";
import { judge, partOf, worst, type Judgement } from "../../../src/core/tool/rules/judge.ts";
import { stateOf } from "../../../src/core/tool/rules/step.ts";
import { summaryOf } from "../../../src/core/tool/rules/uses.ts";
import { noted } from "../../../src/core/message/account.ts";
import { deniedResult } from "../../../src/core/tool/results.ts";
import type { AgentContext, Change } from "../context.ts";
import type { CallRecord } from "../call-record.ts";
import { changeCalls } from "../facts.ts";
import { answered } from "./record.ts";
import { dueCalls } from "./acting.ts";
import {
  hasInner,
  isOpen,
  letterOf,
  mostOf,
  NONE_STARTS,
  otherIs,
  othersOf,
  ruledCall,
  UNREAD,
} from "./rule-batch.ts";

/** A rule that a call breaks. */
type Broken = { readonly record: CallRecord; readonly rules: readonly RuleData[] };

/** True if a limit is not reached even if all open calls of the batch were about the same and succeeded. Of several laws of which one must
 *  hold, such a limit is enough. */
function isFarBelow({ calls }: AgentContext, rule: RuleData, state: RuleState, record: CallRecord): boolean {
  const { law } = rule;
  if (law.kind !== "limit" && law.kind !== "any") return false;
  const letter = letterOf(record, rule);
  if (letter?.problem !== undefined) return false;
  const most = mostOf(calls, rule);
  const isBelow = (part: Law, { used, isLost }: LawState, read: Letter | undefined, index: number): boolean =>
    part.kind === "limit" &&
    !isLost &&
    isJudged(part, record.call.name) &&
    summaryOf(used, read?.key ?? "").amount + most[index]! <= part.max;
  if (law.kind === "limit") return isBelow(law, state, letter, 0);
  return law.of.some((part, index) =>
    isBelow(part, state.of?.[index] ?? NO_STATE, partOf(letter, index), index),
  );
}

const NO_STATE: LawState = Object.freeze({});

/** Judges a call by one rule, as if those of `starting` ran. */
function judgedBy(
  context: AgentContext,
  record: CallRecord,
  rule: RuleData,
  starting: ReadonlySet<CallRecord>,
): Judgement {
  const { progress, at } = context;
  const state = stateOf(rule, progress.rules, progress.turn);
  if (isFarBelow(context, rule, state, record)) return "run";
  const ruled = ruledCall(context, record, rule);
  return judge(rule.law, state, ruled, () => othersOf(context, record, ruled, rule, starting), at);
}

/** True for a law that asks who has approved: the approval of somebody else does not waive it. */
const isWaived = ({ rules }: CallRecord, { name, law }: RuleData): boolean =>
  rules?.waived?.includes(name) === true && !asksWho(law);

const NO_RULES: readonly RuleData[] = Object.freeze([]);

/** The rules that have to do with a call. */
const interestOf = ({ settings }: AgentContext, { call }: CallRecord): Interest =>
  interestIn(settings.rules ?? NO_RULES, call.name);

/** The rules that stop a call of this record if it breaks them. */
function binding(context: AgentContext, record: CallRecord): readonly RuleData[] {
  const rules = interestOf(context, record).binding;
  return record.rules?.waived ? rules.filter((rule) => !isWaived(record, rule)) : rules;
}

/** An agent inside of a call keeps the rules for itself: what it does is known once it has ended. Nothing that the rules are about runs
 *  beside it, nor another one. */
function isApart(context: AgentContext, record: CallRecord, starting: ReadonlySet<CallRecord>): boolean {
  if (!hasInner(context.calls)) return true;
  const matters = (each: CallRecord): boolean => {
    const { binding: stops, shadow, counting } = interestOf(context, each);
    return each.rules?.isInner === true || [stops, shadow, counting].some(({ length }) => length > 0);
  };
  if (!matters(record)) return true;
  return !context.calls.some((other) => {
    if (other === record || otherIs(other, starting) !== "running") return false;
    return record.rules?.isInner ? matters(other) : other.rules?.isInner === true;
  });
}

/** The judgements of the calls of one context, beside which none starts: several guards of a step ask for them. */
let judgements: { readonly of: AgentContext; readonly by: Map<CallRecord, Judgement> } | undefined;

function judgementOf(
  context: AgentContext,
  record: CallRecord,
  starting: ReadonlySet<CallRecord> = NONE_STARTS,
): Judgement {
  if (starting.size > 0) return judgedNow(context, record, starting);
  if (judgements?.of !== context) judgements = { of: context, by: new Map() };
  const { by } = judgements;
  let judgement = by.get(record);
  if (!judgement) by.set(record, (judgement = judgedNow(context, record, NONE_STARTS)));
  return judgement;
}

function judgedNow(context: AgentContext, record: CallRecord, starting: ReadonlySet<CallRecord>): Judgement {
  if (!isApart(context, record, starting)) return "wait";
  let judgement: Judgement = "run";
  for (const rule of binding(context, record)) {
    judgement = worst(judgement, judgedBy(context, record, rule, starting));
    if (judgement === "break") break;
  }
  return judgement;
}

/** True if an approved call keeps all rules, whatever the calls that run and those of `starting` come to. */
export function mayStart(
  context: AgentContext,
  record: CallRecord,
  starting: ReadonlySet<CallRecord>,
): boolean {
  return judgementOf(context, record, starting) === "run";
}

/** The approved calls that break a rule, while none runs: by themselves, or because all of them wait for something that does not come. */
function brokenCalls(context: AgentContext): readonly Broken[] {
  if (context.settings.rules === undefined) return [];
  const approved = context.calls.filter((record) => isOpen(record) && record.status === "approved");
  const judged = approved.map((record) => ({ record, judgement: judgementOf(context, record) }));
  const brokenBy = (record: CallRecord, isEnough: (judgement: Judgement) => boolean): Broken => ({
    record,
    rules: binding(context, record).filter((rule) => isEnough(judgedBy(context, record, rule, NONE_STARTS))),
  });
  const broken = judged.filter(({ judgement }) => judgement === "break");
  if (broken.length > 0) return broken.map(({ record }) => brokenBy(record, (each) => each === "break"));
  const mayCome = context.calls.some(
    (record) => isOpen(record) && ["pending", "unknown"].includes(record.status),
  );
  if (mayCome || judged.some(({ judgement }) => judgement === "run")) return [];
  return judged.map(({ record }) => brokenBy(record, (each) => each !== "run"));
}

/** True if an approved call breaks a rule, while none runs. */
export function breaksRules(context: AgentContext): boolean {
  return brokenCalls(context).length > 0;
}

/** True if calls wait only for others that will not come, by the rules; asked while none runs. */
export function isHeldByRules(context: AgentContext): boolean {
  const approved = context.calls.filter((record) => isOpen(record) && record.status === "approved");
  const waits = approved.some(({ notBeforeAt = 0 }) => notBeforeAt > context.at);
  return approved.length > 0 && !waits && dueCalls(context, undefined, 1).size === 0;
}

function problemOf(record: CallRecord, rule: RuleData): string {
  if (!rule.reads) return "";
  const { problem } = letterOf(record, rule) ?? UNREAD;
  return problem === undefined ? "" : ` It could not be judged: ${problem}.`;
}

const textOf = (record: CallRecord, rule: RuleData): string =>
  `The call breaks the rule '${rule.name}': ${rule.says}${problemOf(record, rule)}`;

const isAsking = (record: CallRecord, rule: RuleData): boolean =>
  rule.onBreak === "ask" && problemOf(record, rule) === "";

function denied(record: CallRecord, rule: RuleData, at: number, text = textOf(record, rule)): CallRecord {
  const account = noted(record.account, "rules", {
    rule: rule.name,
    at,
    did: rule.onBreak === "end" ? "ended" : "denied",
  });
  return answered({ ...record, account, status: "denied", since: at }, deniedResult(record.call, text));
}

/** The call waits for a person, who is told of the rules. */
function asked(record: CallRecord, rules: readonly RuleData[], at: number): CallRecord {
  const reason = rules.map((rule) => textOf(record, rule)).join(" ");
  const { argsHash, expiresAfterMs } = record.rules ?? {};
  const account = rules.reduce(
    (now, { name }) => noted(now, "rules", { rule: name, at, did: "asked" }),
    noted(record.account, "asked", { at, reason }),
  );
  return {
    ...record,
    account,
    status: "pending",
    since: at,
    asks: reason,
    rules: { ...record.rules, asked: rules.map(({ name }) => name) },
    ...(argsHash !== undefined && { argsHash }),
    ...(expiresAfterMs !== undefined && { expiresAt: at + expiresAfterMs }),
  };
}

/** Answers, or asks about, the approved calls that break a rule, until none does. One whose rule ends the turn takes the approved ones
 *  with it. */
export function refuseByRules(context: AgentContext): Change {
  const { at } = context;
  let now = context;
  for (let broken = brokenCalls(now); broken.length > 0; broken = brokenCalls(now)) {
    const ending = broken.flatMap(({ rules }) => rules).find(({ onBreak }) => onBreak === "end");
    const change = changeCalls(now, (record) => {
      const { rules = [] } = broken.find((each) => each.record === record) ?? {};
      const strict =
        rules.find((rule) => rule.onBreak === "end") ?? rules.find((rule) => !isAsking(record, rule));
      if (strict) return denied(record, strict, at);
      if (ending && isOpen(record) && record.status === "approved")
        return denied(
          record,
          ending,
          at,
          `The turn ends by the rule '${ending.name}': the call did not run.`,
        );
      return rules.length > 0 ? asked(record, rules, at) : record;
    });
    now = { ...now, ...change, stop: now.stop || ending !== undefined };
  }
  const { calls, facts, stop } = now;
  return {
    calls,
    ...(facts && { facts }),
    stop,
    ...(stop && { progress: { ...context.progress, stopping: true } }),
  };
}

const isNoted = ({ account }: CallRecord, { name }: RuleData, did: "shadow" | "ordered"): boolean =>
  account?.rules?.some((known) => known.rule === name && known.did === did) === true;

/** Returns the notes of the rules about calls that start, and about those that the rules hold back behind them. They state which of them a
 *  rule that only notes would have stopped, and which are put in order. */
export function notedByRules(
  context: AgentContext,
  starting: ReadonlySet<CallRecord>,
  held: ReadonlySet<CallRecord>,
): (record: CallRecord) => CallRecord {
  if (context.settings.rules === undefined) return (record) => record;
  const { at } = context;
  const found = (record: CallRecord): readonly RuleData[] => {
    if (starting.has(record))
      return interestOf(context, record).shadow.filter(
        (rule) => !isNoted(record, rule, "shadow") && judgedBy(context, record, rule, starting) === "break",
      );
    if (!held.has(record)) return NO_RULES;
    return interestOf(context, record).binding.filter(
      (rule) => !isNoted(record, rule, "ordered") && judgedBy(context, record, rule, starting) === "wait",
    );
  };
  return (record) => {
    const rules = found(record);
    if (rules.length === 0) return record;
    const did = starting.has(record) ? "shadow" : "ordered";
    const account = rules.reduce(
      (now, { name }) => noted(now, "rules", { rule: name, at, did }),
      record.account,
    );
    return account ? { ...record, account } : record;
  };
}

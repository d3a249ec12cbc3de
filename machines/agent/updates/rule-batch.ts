import { perObject } from "../../../src/core/base/json.ts";
import { partOf } from "../../../src/core/tool/rules/judge.ts";
import {
  isCounted,
  type Law,
  type Letter,
  type OtherCall,
  type RuleData,
  type RuledCall,
} from "../../../src/core/tool/rules/law.ts";
import type { AgentContext } from "../context.ts";
import type { CallRecord, CallRules } from "../call-record.ts";

/** The hashes of session ids: each call of a batch asks for the same one. */
const hashOf = perObject(({ sessionId }: AgentContext["settings"]): string => {
  let hash = 5381;
  for (let index = 0; index < sessionId.length; index++)
    hash = (Math.imul(hash, 33) ^ sessionId.charCodeAt(index)) >>> 0;
  return hash.toString(36);
});

/** Names a call among all of its session, and of those of agents inside of its calls. */
export function idOfCall({ settings, progress }: AgentContext, place: number): string {
  return `${hashOf(settings)}:${progress.batchAt}:${place}`;
}

/** A call in the eyes of a rule. One that nobody has read for a rule that reads arguments has a problem. */
export function ruledCall(
  context: AgentContext,
  record: CallRecord,
  rule: RuleData,
  id: string = idOfCall(context, context.calls.indexOf(record)),
): RuledCall {
  const { approver } = record.rules ?? NO_RULES;
  const letter = letterOf(record, rule) ?? (rule.reads ? UNREAD : undefined);
  const call = { id, name: record.call.name, letter };
  return approver === undefined ? call : { ...call, approver };
}

/** The values that a rule, which may be called "constructor", has read in the arguments of a call; undefined if it has read none. */
export const letterOf = ({ rules }: Pick<CallRecord, "rules">, { name }: RuleData): Letter | undefined =>
  rules?.letters && Object.hasOwn(rules.letters, name) ? rules.letters[name] : undefined;

const NO_RULES: CallRules = Object.freeze({});
export const UNREAD: Letter = Object.freeze({ problem: "its arguments were not read for the rule" });

/** True if the call has no result yet. */
export const isOpen = ({ stored, result }: CallRecord): boolean => !stored && result === undefined;

/** Returns the outcome to which another call of the batch may still come; those of `starting` are about to run. */
export function otherIs(record: CallRecord, starting: ReadonlySet<CallRecord>): OtherCall["is"] | undefined {
  if (!isOpen(record)) return undefined;
  const { status } = record;
  if (status === "running" || starting.has(record)) return "running";
  return status === "unknown" || status === "suspended" ? "stuck" : "next";
}

/** A call of the batch that a rule counts. */
type Counted = {
  readonly record: CallRecord;
  readonly other: OtherCall;
  /** It is an earlier attempt, which counts beside the one that a person lets follow. */
  readonly isBefore?: true;
};
/** Those of a batch by their subjects, and those of which nothing could be read, which may be about anything. */
type Batch = {
  readonly batchAt: number;
  readonly byKey: ReadonlyMap<string, readonly Counted[]>;
  readonly unread: readonly Counted[];
};

const NOTHING: readonly Counted[] = [];
const NO_CALLS: readonly OtherCall[] = [];
/** No call starts. */
export const NONE_STARTS: ReadonlySet<CallRecord> = new Set();

/** Facts about the calls of a batch for which all judgements of one step ask, found out once. */
type Facts = {
  /** The open calls by their tools. */
  readonly byTool: ReadonlyMap<string, readonly CallRecord[]>;
  /** A call has an agent inside. */
  readonly hasInner: boolean;
  /** Those that each rule counts. */
  readonly counted: Map<RuleData, Batch>;
  /** The amounts that they would add to each limit. */
  readonly most: Map<RuleData, readonly number[]>;
};
/** Those of the batch about which a step asks now. */
let facts: { readonly of: readonly CallRecord[]; readonly are: Facts } | undefined;

function factsOf(calls: readonly CallRecord[]): Facts {
  let known = facts?.of === calls ? facts.are : undefined;
  if (!known) {
    const byTool = new Map<string, CallRecord[]>();
    let hasInner = false;
    for (const record of calls) {
      hasInner ||= record.rules?.isInner === true;
      if (!isOpen(record)) continue;
      const same = byTool.get(record.call.name);
      if (same) same.push(record);
      else byTool.set(record.call.name, [record]);
    }
    known = {
      byTool,
      hasInner,
      counted: new Map(),
      most: new Map(),
    };
    facts = { of: calls, are: known };
  }
  return known;
}

/** True if a call of the batch has an agent inside. */
export const hasInner = (calls: readonly CallRecord[]): boolean => factsOf(calls).hasInner;

/** Returns the amount by which the open calls of a batch would use up a limit if all were about the same and succeeded. There is one for each
 *  part of a law that joins several; it is infinite where it is not known, and where the part is not a limit. */
export function mostOf(calls: readonly CallRecord[], rule: RuleData): readonly number[] {
  const { most } = factsOf(calls);
  let known = most.get(rule);
  if (!known) {
    const { law } = rule;
    const parts = law.kind === "any" ? law.of : [law];
    most.set(rule, (known = parts.map((part, index) => mostBy(calls, rule, part, index))));
  }
  return known;
}

function mostBy(calls: readonly CallRecord[], rule: RuleData, law: Law, index: number): number {
  if (law.kind !== "limit") return Number.POSITIVE_INFINITY;
  let most = 0;
  for (const [tool, records] of factsOf(calls).byTool) {
    if (!isCounted(law, tool)) continue;
    for (const record of records) {
      const { rules } = record;
      const whole = letterOf(record, rule);
      if (whole?.problem !== undefined || (rule.reads && !whole)) return Number.POSITIVE_INFINITY;
      const letter = rule.law.kind === "any" ? partOf(whole, index) : whole;
      const times = 1 + (rules?.isUnknown ? 1 : 0) + (rules?.maybe ? 1 : 0);
      if (!letter?.isOther) most += (letter?.amount ?? 1) * times;
    }
  }
  return most;
}

/** True if the rule counts an open call of the batch. */
function countsAny({ calls }: AgentContext, { law }: RuleData): boolean {
  for (const name of factsOf(calls).byTool.keys()) if (isCounted(law, name)) return true;
  return false;
}

/** Returns the open calls that a rule counts. An earlier attempt that may have taken effect counts too: in the place of the one that
 *  repeats it by itself, and beside the one that a person lets follow. */
function countedIn(context: AgentContext, rule: RuleData): readonly Counted[] {
  return context.calls.flatMap((record, place): Counted[] => {
    if (!isCounted(rule.law, record.call.name) || !isOpen(record)) return [];
    const id = idOfCall(context, place);
    const { maybe, isUnknown } = record.rules ?? {};
    const ruled = ruledCall(context, record, rule, id);
    const is = otherIs(record, NONE_STARTS)!;
    return [
      ...(isUnknown
        ? [{ record, other: { ...ruled, id: `${id}?`, is: "stuck" as const }, isBefore: true as const }]
        : []),
      ...(maybe && is !== "stuck" ? [{ record, other: { ...ruled, is: "stuck" as const } }] : []),
      { record, other: { ...ruled, is } },
    ];
  });
}

function batchOf(context: AgentContext, rule: RuleData): Batch {
  const { calls, progress } = context;
  const { counted } = factsOf(calls);
  const known = counted.get(rule);
  if (known?.batchAt === progress.batchAt) return known;
  const all = countedIn(context, rule);
  const unread = all.filter(({ other }) => isUnread(other));
  const read = all.filter(({ other }) => !isUnread(other));
  const batch = {
    batchAt: progress.batchAt,
    byKey: Map.groupBy(read, ({ other }) => other.letter?.key ?? ""),
    unread,
  };
  counted.set(rule, batch);
  return batch;
}

/** A rule that joins several reads each part by itself: which calls belong together is not known here. */
const isUnread = ({ letter }: OtherCall): boolean =>
  letter?.problem !== undefined || letter?.of !== undefined;

/** The calls of the batch beside one that a rule counts and that may be about the same; those of `starting` are about to run. */
export function othersOf(
  context: AgentContext,
  self: CallRecord,
  { letter }: RuledCall,
  rule: RuleData,
  starting: ReadonlySet<CallRecord>,
): readonly OtherCall[] {
  if (!countsAny(context, rule)) return NO_CALLS;
  const { byKey, unread } = batchOf(context, rule);
  const isAny = letter?.of !== undefined || letter?.problem !== undefined;
  const same = isAny ? [...byKey.values()].flat() : (byKey.get(letter?.key ?? "") ?? NOTHING);
  const others: OtherCall[] = [];
  for (const counted of unread.length > 0 ? [...unread, ...same] : same) {
    const { record, other, isBefore } = counted;
    // of the call itself only an attempt counts that a person lets it follow
    if (record === self && !isBefore) continue;
    others.push(other.is === "next" && starting.has(record) ? { ...other, is: "running" } : other);
  }
  return others;
}

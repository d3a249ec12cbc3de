import { isUncertain, SAYS_SO, UNKNOWN_OUTCOMES } from "../../../src/core/tool/rules/came-to.ts";
import { joined, lost, stateOf, step } from "../../../src/core/tool/rules/step.ts";
import { interestIn } from "../../../src/core/tool/rules/interest.ts";
import {
  type Came,
  type Letter,
  type RuleData,
  type RuleState,
  type RuleStates,
} from "../../../src/core/tool/rules/law.ts";
import { isSame } from "../../../src/core/base/json.ts";
import { toolResultsOf } from "../../../src/core/message/msg.ts";
import type { ToolResultBlock } from "../../../src/core/message/types.ts";
import type { AgentContext, Change } from "../context.ts";
import type { CallRecord, CallRules } from "../call-record.ts";
import type { Fact } from "../facts.ts";
import { idOfCall, ruledCall } from "./rule-batch.ts";
import type { Verdict } from "../services.ts";

/** Returns the outcome of an ended call; undefined if it took no effect. */
function cameTo(record: CallRecord, result: ToolResultBlock): Came | undefined {
  const { attempt, status, rules, decided } = record;
  if (attempt === 0) return undefined;
  const isSuccess = result.state === "success";
  if (isSuccess && status === "running") return "success";
  // somebody says what a suspended call, or one that was cut off, came to
  const isAnswer = status === "suspended" || (typeof decided === "object" && "answer" in decided);
  if (isSuccess && isAnswer) return "answered";
  const isOwn = status === "running" || status === "suspended";
  return rules?.maybe || rules?.isUnknown || (isOwn && isUncertain(result)) ? "maybe" : undefined;
}

/** True if an attempt of which nobody knows the outcome counts beside what another one, which a person has let follow, came to. */
function countsBeside({ status, rules }: CallRecord, result: ToolResultBlock): boolean {
  const isOwn = status === "running" || status === "suspended";
  return rules?.isUnknown === true && isOwn && (result.state === "success" || isUncertain(result));
}

/** The results of calls that this change stores. */
function storedResults(change: Change): ReadonlyMap<string, ToolResultBlock> {
  const { transcript } = change;
  const found = new Map<string, ToolResultBlock>();
  for (let index = (transcript?.length ?? 0) - 1; index >= 0; index--) {
    const message = transcript!.at(index)!;
    for (const block of toolResultsOf(message)) found.set(block.id, block);
    if (message.content.some(({ type }) => type === "tool_use")) break;
  }
  return found;
}

/** A running call whose attempt ended without a result: whether it may have taken effect. */
function afterAttempt(before: CallRecord, after: CallRecord): CallRecord {
  if (before.status !== "running" || after.attempt !== before.attempt) return after; // held before it ran
  if (after.status === "unknown") return { ...after, rules: { ...after.rules, isUnknown: true } };
  if (after.status !== "approved") return after;
  const { code, endedAt, error = "" } = after.account?.attempts?.at(-1) ?? {};
  const isKnown =
    endedAt !== undefined && !(code !== undefined && UNKNOWN_OUTCOMES.has(code)) && !error.includes(SAYS_SO);
  return isKnown ? after : { ...after, rules: { ...after.rules, maybe: true } };
}

/** The report of the agent inside of a call about what the rules remember; undefined if the event brings nothing of it. */
type Told = { readonly callId?: unknown; readonly rules?: RuleStates };

function toldOf(event: unknown): Told | undefined {
  const { output } = (typeof event === "object" && event !== null ? event : {}) as {
    readonly output?: unknown;
  };
  const told = typeof output === "object" && output !== null ? (output as Told) : undefined;
  return told?.rules ? told : undefined;
}

/** Returns what becomes of calls in a change. Mostly they keep their places. */
function becoming(
  calls: readonly CallRecord[],
): (record: CallRecord, place: number) => CallRecord | undefined {
  let byId: ReadonlyMap<string, CallRecord> | undefined;
  return ({ call }, place) => {
    const now = calls[place];
    if (now?.call.id === call.id) return now;
    byId ??= new Map(calls.map((record) => [record.call.id, record]));
    return byId.get(call.id);
  };
}

/** Memories of rules while a change is looked through. They are copied once, however many calls they hear of. */
class Memory {
  readonly #before: RuleStates | undefined;
  readonly #turn: number;
  #after: { [rule: string]: RuleState } | undefined;

  constructor(states: RuleStates | undefined, turn: number) {
    this.#before = states;
    this.#turn = turn;
  }

  get states(): RuleStates | undefined {
    return this.#after ?? this.#before;
  }

  /** Changes what a rule remembers. */
  change(rule: RuleData, become: (state: RuleState) => RuleState): void {
    const { name } = rule;
    const known = stateOf(rule, this.states, this.#turn);
    const value = become(known);
    if (value === known) return;
    this.#after ??= { ...this.#before };
    if (Object.hasOwn(this.#after, name)) this.#after[name] = value;
    else Object.defineProperty(this.#after, name, { value, ...PLAIN }); // also if it is named __proto__
  }
}

const PLAIN = { enumerable: true, configurable: true, writable: true } as const;

/** Returns a change of the calls with what the rules remember after it. */
export function remembering(context: AgentContext, change: Change, event: unknown): Change {
  const { rules = [] } = context.settings;
  const { turn, rules: before } = context.progress;
  const at = change.at ?? context.at;
  const told = toldOf(event);
  const memory = new Memory(told ? joined(rules, before, told.rules, turn) : before, turn);
  let stored: ReadonlyMap<string, ToolResultBlock> | undefined;
  const after = becoming(change.calls!);
  let calls: Map<string, CallRecord> | undefined;
  const marks: Fact[] = [];
  context.calls.forEach((record, place) => {
    if (record.stored || record.result !== undefined) return;
    const now = after(record, place);
    if (now === record) return;
    const { counting } = interestIn(rules, record.call.name);
    const id = idOfCall(context, place);
    const hear = (rule: RuleData, state: RuleState, came: Came, callId = id): RuleState =>
      step(rule.law, state, ruledCall(context, record, rule, callId), came, at);
    if (now && !now.stored && now.result === undefined) {
      const marked = afterAttempt(record, now);
      if (record.rules?.isUnknown && record.status === "running" && now.status === "unknown")
        for (const rule of counting)
          memory.change(rule, (state) => hear(rule, state, "maybe", `${id}?${record.attempt}`));
      if (marked === now) return;
      (calls ??= new Map()).set(record.call.id, marked);
      marks.push({ type: "call", was: now, is: marked });
      return;
    }
    const result = now?.result ?? (stored ??= storedResults(change)).get(record.call.id);
    const came = result && cameTo(record, result);
    if (came === undefined) return;
    const isTold = told?.callId === record.call.id;
    const mayHaveRun = came === "maybe" || record.rules?.maybe || record.rules?.isUnknown;
    if (record.rules?.isInner && mayHaveRun && !isTold)
      for (const rule of rules) memory.change(rule, (state) => lost(rule.law, state));
    const isBeside = countsBeside(record, result!);
    for (const rule of counting)
      memory.change(rule, (state) =>
        hear(rule, isBeside ? hear(rule, state, "maybe", `${id}?`) : state, came),
      );
  });
  const { states } = memory;
  const progress = change.progress ?? context.progress;
  return {
    ...change,
    ...(marks.length > 0 && { facts: [...(change.facts ?? []), ...marks] }),
    ...(calls && { calls: change.calls!.map((record) => calls!.get(record.call.id) ?? record) }),
    ...(states !== before && states && { progress: { ...progress, rules: states } }),
  };
}

const isApproval = (decision: CallRecord["decided"]): boolean =>
  decision === "approve" || (typeof decision === "object" && ("approve" in decision || "edit" in decision));

type Letters = NonNullable<CallRules["letters"]>;

const CHANGED: Letter = {
  problem: "its arguments are read in another way than those of the attempt that may have taken effect",
};

/** Returns what is read in a call of which an attempt may have taken effect. Where it differs from what was read for that attempt, such as
 *  after a release with another schema of the tool, neither is certain. */
function readAgain(read: Letters, before: Letters = {}): Letters {
  const pairs = Object.entries(read).map(([name, letter]): [string, Letter] =>
    Object.hasOwn(before, name) && isSame(before[name], letter) ? [name, letter] : [name, CHANGED],
  );
  return Object.fromEntries(pairs);
}

/** Returns what the rules know of a call that a review has judged: its arguments as they have read them, and who has approved it. An
 *  approval lasts as long as the call is only repeated; it waives the rules of which the person was told. A call that asks has no approval. */
export function reviewedByRules(
  { rules, decided, decidedBy = "" }: CallRecord,
  { action, rules: read }: Verdict,
  next: CallRecord,
): CallRecord {
  if (next.result !== undefined) return next;
  const { approver, waived = [], asked = [], maybe, isUnknown } = rules ?? {};
  const isApproved = action === "allow" && isApproval(decided);
  const isRepeated = action === "allow" && decided === "retry";
  const by = isApproved ? decidedBy : isRepeated ? approver : undefined;
  const now = isApproved ? [...waived, ...asked] : isRepeated ? waived : [];
  const all: CallRules = {
    ...(action === "allow" && read),
    ...(action === "allow" &&
      read?.letters &&
      (maybe || isUnknown) && { letters: readAgain(read.letters, rules?.letters) }),
    ...(by !== undefined && { approver: by }),
    ...(now.length > 0 && { waived: now }),
    ...(maybe && { maybe }),
    ...(isUnknown && { isUnknown }),
  };
  const { rules: _, ...rest } = next;
  return Object.keys(all).length > 0 ? { ...rest, rules: all } : rest;
}

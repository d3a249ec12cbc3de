import type { AgentChange } from "../../src/tool/fingerprint.ts";
import type { StoredSlot } from "../../src/tool/stored-slots.ts";
import type { TakeOver } from "../../src/message/types.ts";
import type { CallRecord } from "./call-record.ts";
import type { Fact, KeptParts, MessagesFact } from "./facts.ts";
import type { TurnEnd } from "./turn-end.ts";

/** A call whose record a step has changed; without `was` the step has opened it. */
export type CallStep = { readonly was?: CallRecord; readonly is: CallRecord };

/** Facts of a step that are told one by one. */
export type Notice = Extract<
  Fact,
  { readonly type: "handoff" | "compaction.start" | "compaction.end" | "retry" | "draft" | `${string}.late` }
>;

/** What a step has done: its facts, with those about the same thing in one. */
export type StepFacts = {
  /** The messages of the transcript from index `from` on, if they have changed. */
  readonly messages: Omit<MessagesFact, "type"> | undefined;
  /** The calls whose records have changed, in the order in which that began. Those that were opened and closed in the step are not among
   *  them. */
  readonly calls: readonly CallStep[];
  /** No call that was open before is open any more. */
  readonly closes: boolean;
  readonly slots: ReadonlyMap<string, StoredSlot>;
  readonly kept: KeptParts | undefined;
  readonly extended: Extract<Fact, { readonly type: "budget.extended" }>["extended"] | undefined;
  readonly takeOver: TakeOver | undefined;
  readonly adopted: AgentChange | undefined;
  readonly notices: readonly Notice[];
  /** Another session has taken the place of this one. */
  readonly isLoaded: boolean;
  /** Hooks run from now on that a crash would cut off. */
  readonly isEnding: boolean;
  /** The call of the agent has brought input, or its input was taken. */
  readonly hasInput: boolean;
  /** A turn has begun. */
  readonly beginsTurn: boolean;
  /** The call of the agent has come to rest, or the session that was loaded rests. */
  readonly hasSettled: boolean;
  /** How the turn has come to rest, or why its call was refused. */
  readonly end: TurnEnd | undefined;
};

type Sum = { -readonly [Key in keyof StepFacts]: StepFacts[Key] } & {
  readonly calls: { was?: CallRecord; is: CallRecord }[];
  readonly slots: Map<string, StoredSlot>;
  readonly notices: Notice[];
  hasOutcome: boolean;
};

const NONE: StepFacts = Object.freeze({
  messages: undefined,
  calls: [],
  closes: false,
  slots: new Map(),
  kept: undefined,
  extended: undefined,
  takeOver: undefined,
  adopted: undefined,
  notices: [],
  isLoaded: false,
  isEnding: false,
  hasInput: false,
  beginsTurn: false,
  hasSettled: false,
  end: undefined,
});

/** Sums up the facts of one step. */
export function stepFacts(facts: readonly Fact[]): StepFacts {
  if (facts.length === 0) return NONE;
  const sum: Sum = {
    ...NONE,
    messages: undefined,
    calls: [],
    slots: new Map(),
    notices: [],
    hasOutcome: false,
  };
  const places = new Map<string, number>();
  for (const fact of facts) add(sum, places, fact);
  return sum;
}

function add(sum: Sum, places: Map<string, number>, fact: Fact): void {
  switch (fact.type) {
    case "messages":
      sum.messages = messagesAfter(sum.messages, fact);
      return;
    case "call":
      addCall(sum, places, fact);
      return;
    case "calls.closed":
      closeCalls(sum, places);
      return;
    case "slot":
      sum.slots.set(fact.name, fact.slot);
      return;
    case "kept":
      sum.kept = { ...sum.kept, ...fact.parts };
      return;
    case "budget.extended":
      sum.extended = fact.extended;
      return;
    case "session.taken":
      sum.takeOver = fact.takeOver;
      return;
    case "agent.changed":
      sum.adopted = fact.change;
      return;
    case "loaded":
      sum.isLoaded = true;
      sum.hasSettled = true;
      return;
    case "input":
      sum.hasInput = true;
      return;
    case "turn":
      sum.beginsTurn = true;
      return;
    case "outcome":
      sum.hasOutcome = true;
      return;
    case "ending":
      sum.isEnding = true;
      return;
    case "settled": {
      const isOfTurn = sum.hasOutcome || fact.wasEnding || fact.end?.error !== undefined;
      sum.hasSettled = true;
      if (isOfTurn && !sum.isLoaded) sum.end = fact.end;
      return;
    }
    default:
      sum.notices.push(fact);
  }
}

function messagesAfter(
  before: Sum["messages"],
  { from, messages: behind, added }: MessagesFact,
): Sum["messages"] {
  if (!before) return { from, messages: behind, added };
  const messages = [...before.messages.slice(0, Math.max(0, from - before.from)), ...behind];
  const isNew = new Set([...before.added, ...added]);
  return {
    from: Math.min(from, before.from),
    messages,
    added: messages.filter((message) => isNew.has(message)),
  };
}

function addCall(sum: Sum, places: Map<string, number>, { was, is }: CallStep): void {
  const { id } = is.call;
  const place = places.get(id);
  if (place !== undefined) sum.calls[place]!.is = is;
  else places.set(id, sum.calls.push({ ...(was && { was }), is }) - 1);
}

/** A call that was opened in the same step has come and gone. */
function closeCalls(sum: Sum, places: Map<string, number>): void {
  const known = sum.calls.filter(({ was }) => was);
  sum.calls.splice(0, sum.calls.length, ...known);
  sum.closes = true;
  places.clear(); // a later call with the same id is another one
}

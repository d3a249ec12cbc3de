import type { ErrorInfo } from "../../src/core/base/error.ts";
import type { Transcript } from "../../src/core/message/transcript.ts";
import type { Msg, TakeOver } from "../../src/core/message/types.ts";
import type { AgentChange } from "../../src/core/tool/fingerprint.ts";
import type { StoredSlot } from "../../src/core/tool/stored-slots.ts";
import type { CallRecord } from "./call-record.ts";
import type { AgentContext, Change, Compactions, TurnEnd } from "./context.ts";

type LastCompaction = NonNullable<Compactions["last"]>;

/** The parts of a context that are stored as they are; `slots` are there only when all of them are replaced. */
export type KeptParts = Partial<
  Pick<AgentContext, "inbox" | "remembered" | "wanted" | "slots" | "interruption" | "view">
> & {
  /** The system prompt of the request. */
  readonly system?: string;
};

/** The messages of the transcript from index `from` on. */
export type MessagesFact = {
  readonly type: "messages";
  readonly from: number;
  readonly messages: readonly Msg[];
  /** Those that were not there before: an insertion moves others. */
  readonly added: readonly Msg[];
};

/** An effect of an update, which the update declares at the place where it has it. The journal, the events and the accounts of steps are
 *  made of facts. */
export type Fact =
  | MessagesFact
  /** The record of a call; without `was` the call is new. */
  | { readonly type: "call"; readonly was?: CallRecord; readonly is: CallRecord }
  /** No call of the batch is open any more. */
  | { readonly type: "calls.closed" }
  | { readonly type: "slot"; readonly name: string; readonly slot: StoredSlot }
  | { readonly type: "kept"; readonly parts: KeptParts }
  | { readonly type: "budget.extended"; readonly extended: AgentContext["progress"]["extended"] }
  /** Another session has taken the place of this one: the facts behind it say all of it. */
  | { readonly type: "loaded" }
  /** The session that was loaded was taken over. */
  | { readonly type: "session.taken"; readonly takeOver: TakeOver }
  /** Another agent has adopted the turn. */
  | { readonly type: "agent.changed"; readonly change: AgentChange }
  | { readonly type: "handoff"; readonly from: string | null; readonly to: string | null }
  | ({ readonly type: "compaction.start" } & Pick<LastCompaction, "cause" | "tokensBefore">)
  | ({ readonly type: "compaction.end" } & Pick<LastCompaction, "did" | "tokensAfter" | "error">)
  /** A request to the model has failed and is repeated. */
  | { readonly type: "retry"; readonly attempt: number; readonly until: number; readonly error: ErrorInfo }
  /** A request to the model has run out of time. */
  | { readonly type: "request.late" }
  /** An attempt of a call has run out of time. */
  | { readonly type: "call.late" }
  /** The model has answered, or hooks have changed the answer; it is not a message yet. */
  | { readonly type: "draft"; readonly message: Msg }
  /** The call of the agent has brought input, or its input was accepted. */
  | { readonly type: "input" }
  /** A turn has begun. */
  | { readonly type: "turn" }
  /** The outcome of the turn is known. */
  | { readonly type: "outcome" }
  /** Hooks run with the outcome of the turn, which a crash would cut off. */
  | { readonly type: "ending" }
  /** The call of the agent has come to rest; `end` is how, unless no turn has come to its end. */
  | { readonly type: "settled"; readonly end?: TurnEnd; readonly wasEnding: boolean };

/** Returns the facts that the update has declared so far, and these. */
export function declare({ facts }: AgentContext, ...more: readonly Fact[]): Pick<Change, "facts"> {
  return { facts: facts ? [...facts, ...more] : more };
}

/** Puts messages behind the transcript. */
export function append(context: AgentContext, messages: readonly Msg[]): Change {
  if (messages.length === 0) return {};
  const { transcript } = context;
  return written(context, transcript.append(messages), transcript.length);
}

/** Puts messages before the one at `place`. */
export function insert(context: AgentContext, place: number, messages: readonly Msg[]): Change {
  return written(context, context.transcript.insert(place, messages), place, messages.length);
}

/** Puts messages in the place of all from `from` on. Those that are as before are not a fact. */
export function replaceFrom(context: AgentContext, from: number, messages: readonly Msg[]): Change {
  const { transcript } = context;
  let same = 0;
  while (same < messages.length && transcript.at(from + same) === messages[same]) same++;
  return {
    transcript: transcript.replaceFrom(from, messages),
    ...declare(context, replaced(transcript, from + same, messages.slice(same))),
  };
}

function replaced(former: Transcript, from: number, messages: readonly Msg[]): MessagesFact {
  const moved = new Set(former.slice(from));
  return { type: "messages", from, messages, added: messages.filter((message) => !moved.has(message)) };
}

/** The transcript with its messages from `from` on, of which the first `count` are new. */
function written(context: AgentContext, transcript: Transcript, from: number, count = Infinity): Change {
  const messages = transcript.slice(from);
  const added = count < messages.length ? messages.slice(0, count) : messages;
  return { transcript, ...declare(context, { type: "messages", from, messages, added }) };
}

/** Changes the records of calls: those for which `change` returns the record itself stay as they are. */
export function changeCalls(context: AgentContext, change: (record: CallRecord) => CallRecord): Change {
  const facts: Fact[] = [];
  const calls = context.calls.map((was) => {
    const is = change(was);
    if (is !== was) facts.push({ type: "call", was, is });
    return is;
  });
  return facts.length > 0 ? { calls, ...declare(context, ...facts) } : {};
}

/** Changes the record of the call at a place of the batch. */
export function changeCall(context: AgentContext, place: number, is: CallRecord): Change {
  const was = context.calls[place]!;
  const calls = context.calls.slice();
  calls[place] = is;
  return { calls, ...declare(context, { type: "call", was, is }) };
}

/** Opens a batch, of which nothing is stored yet. */
export function openBatch(context: AgentContext, calls: readonly CallRecord[]): Change {
  if (calls.length === 0) return context.calls.length > 0 ? closeBatch(context) : {};
  return { calls, ...declare(context, ...calls.map((is): Fact => ({ type: "call", is }))) };
}

/** Closes the batch: no call of it is open any more. */
export function closeBatch(context: AgentContext): Change {
  return { calls: [], ...declare(context, { type: "calls.closed" }) };
}

/** Writes slots. */
export function writeSlots(
  context: AgentContext,
  written: readonly (readonly [string, StoredSlot])[],
): Change {
  if (written.length === 0) return {};
  return {
    slots: { ...context.slots, ...Object.fromEntries(written) },
    ...declare(context, ...written.map(([name, slot]): Fact => ({ type: "slot", name, slot }))),
  };
}

/** Returns the facts that put a session in the place of another: all of it that is not as in the other. Messages that are not read yet are
 *  none: they are in the store that it comes from. */
export function replacing(former: AgentContext, context: AgentContext): readonly Fact[] {
  const { transcript, calls, slots } = context;
  const from = transcript.from || former.transcript.commonPrefix(transcript);
  const isLonger = from < Math.max(former.transcript.length, transcript.length);
  const parts = (withParts(former, { ...context, facts: [] }).facts ?? []) as readonly Fact[];
  return [
    ...(isLonger ? [replaced(former.transcript, from, transcript.slice(from))] : []),
    ...(former.calls.length > 0 ? [{ type: "calls.closed" as const }] : []),
    ...calls.map((is): Fact => ({ type: "call", is })),
    ...(slots === former.slots ? [] : [{ type: "kept" as const, parts: { slots } }]),
    ...parts,
  ];
}

type Parts = { -readonly [Part in keyof KeptParts]: KeptParts[Part] };

/** Returns the change with the parts that it writes among its facts: an update that returns a part that is stored as it is has declared
 *  it. */
export function withParts(context: AgentContext, change: Change): Change {
  const { inbox, remembered, wanted, interruption, view, request, progress, draft, outcome } = change;
  let parts: Parts | undefined;
  let facts: Fact[] | undefined;
  if (inbox && inbox !== context.inbox) {
    parts = { inbox };
    if (inbox.input !== context.inbox.input) facts = [INPUT];
  }
  if (remembered && remembered !== context.remembered) (parts ??= {}).remembered = remembered;
  if (wanted !== undefined && wanted !== context.wanted) (parts ??= {}).wanted = wanted;
  if (interruption !== undefined && interruption !== context.interruption)
    (parts ??= {}).interruption = interruption;
  if (view !== undefined && view !== context.view) (parts ??= {}).view = view;
  if (request && request.system !== context.request.system) (parts ??= {}).system = request.system;
  if (progress) {
    const { extended, turn } = progress;
    if (extended !== context.progress.extended) (facts ??= []).push({ type: "budget.extended", extended });
    if (turn !== context.progress.turn) (facts ??= []).push(TURN);
  }
  if (draft && draft !== context.draft) (facts ??= []).push({ type: "draft", message: draft.message });
  if (outcome !== undefined && outcome !== context.outcome) (facts ??= []).push(OUTCOME);
  if (parts) (facts ??= []).unshift({ type: "kept", parts });
  return facts ? { ...change, facts: change.facts ? [...change.facts, ...facts] : facts } : change;
}

const INPUT: Fact = Object.freeze({ type: "input" });
const TURN: Fact = Object.freeze({ type: "turn" });
const OUTCOME: Fact = Object.freeze({ type: "outcome" });

type Update = (context: AgentContext, event: never, params: never) => Change;

/** Returns the updates, each with its change completed and with the parts that it writes among its facts. */
export function declaring<Updates extends { readonly [name: string]: (...args: never) => Change }>(
  updates: Updates,
  complete: (context: AgentContext, change: Change, event: unknown) => Change = (_, change) => change,
): Updates {
  const declared = Object.entries(updates).map(([name, update]) => [
    name,
    (context: AgentContext, event: never, params: never) =>
      withParts(context, complete(context, (update as Update)(context, event, params), event)),
  ]);
  return Object.fromEntries(declared) as Updates;
}

/** A call whose record a step has changed; without `was` the step has opened it. */
export type CallStep = { readonly was?: CallRecord; readonly is: CallRecord };

/** Facts of a step that are told one by one. */
export type Notice = Extract<
  Fact,
  { readonly type: "handoff" | "compaction.start" | "compaction.end" | "retry" | "draft" | `${string}.late` }
>;

/** The effects of a step: its facts, with those about the same thing in one. */
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
  /** The call of the agent has brought input, or its input was accepted. */
  readonly hasInput: boolean;
  /** A turn has begun. */
  readonly beginsTurn: boolean;
  /** The call of the agent has come to rest, or the session that was loaded rests. */
  readonly hasSettled: boolean;
  /** The way in which the turn has come to rest, or the reason for which its call was refused. */
  readonly end: TurnEnd | undefined;
};

type Sum = { -readonly [Key in keyof StepFacts]: StepFacts[Key] } & {
  readonly calls: { was?: CallRecord; is: CallRecord }[];
  readonly notices: Notice[];
  hasOutcome: boolean;
};

const NO_SLOTS: StepFacts["slots"] = new Map();

const emptySum = (): Sum => ({
  messages: undefined,
  calls: [],
  closes: false,
  slots: NO_SLOTS,
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
  hasOutcome: false,
});

const NONE: StepFacts = Object.freeze(emptySum());

/** Sums up the facts of one step. */
export function stepFacts(facts: readonly Fact[]): StepFacts {
  if (facts.length === 0) return NONE;
  const sum = emptySum();
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
      sum.slots = new Map(sum.slots).set(fact.name, fact.slot);
      return;
    case "kept":
      sum.kept = sum.kept ? { ...sum.kept, ...fact.parts } : fact.parts;
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

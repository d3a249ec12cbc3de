import type { ErrorInfo } from "../../src/base/error.ts";
import type { Transcript } from "../../src/message/transcript.ts";
import type { Msg, TakeOver } from "../../src/message/types.ts";
import type { AgentChange } from "../../src/tool/fingerprint.ts";
import type { StoredSlot } from "../../src/tool/stored-slots.ts";
import type { CallRecord } from "./call-record.ts";
import type { AgentContext, Change, Compactions } from "./context.ts";
import type { TurnEnd } from "./turn-end.ts";

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

/** What an update did, as it declares it where it does it. The journal, the events and the accounts of steps are made of facts. */
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
  /** The model has answered, or hooks have changed the answer; it is no message yet. */
  | { readonly type: "draft"; readonly message: Msg }
  /** The call of the agent has brought input, or its input was taken. */
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

/** Puts messages in the place of all from `from` on. Those that are as before are no fact. */
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
  const added = messages.slice(0, count);
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

const KEPT = ["inbox", "remembered", "wanted", "interruption", "view"] as const;

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

/** Returns the change with the parts that it writes among its facts: an update that returns a part that is stored as it is has declared
 *  it. */
export function withParts(context: AgentContext, change: Change): Change {
  const facts: Fact[] = [];
  let parts: { [part: string]: unknown } | undefined;
  for (const key of KEPT)
    if (change[key] !== undefined && change[key] !== context[key]) (parts ??= {})[key] = change[key];
  const { request, progress, outcome, draft } = change;
  if (request && request.system !== context.request.system) (parts ??= {})["system"] = request.system;
  if (parts) facts.push({ type: "kept", parts });
  if (progress && progress.extended !== context.progress.extended)
    facts.push({ type: "budget.extended", extended: progress.extended });
  if (change.inbox && change.inbox.input !== context.inbox.input) facts.push({ type: "input" });
  if (progress && progress.turn !== context.progress.turn) facts.push({ type: "turn" });
  if (draft && draft !== context.draft) facts.push({ type: "draft", message: draft.message });
  if (outcome !== undefined && outcome !== context.outcome) facts.push({ type: "outcome" });
  return facts.length > 0 ? { ...change, facts: [...(change.facts ?? []), ...facts] } : change;
}

type Update = (context: AgentContext, event: never, params: never) => Change;

/** Returns the updates, each with the parts that it writes among its facts. */
export function declaring<Updates extends { readonly [name: string]: (...args: never) => Change }>(
  updates: Updates,
): Updates {
  const declared = Object.entries(updates).map(([name, update]) => [
    name,
    (context: AgentContext, event: never, params: never) =>
      withParts(context, (update as Update)(context, event, params)),
  ]);
  return Object.fromEntries(declared) as Updates;
}

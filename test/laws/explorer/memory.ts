import type { Msg } from "../../../src/core/message/types.ts";
import type { AgentContext } from "../../../machines/agent/context.ts";
import type { CallRecord } from "../../../machines/agent/call-record.ts";
import { NOTHING_RAN, ranAfter, type Ran } from "./check-rules.ts";
import { sentIn } from "./check-view.ts";
import type { Move } from "../../../src/testing/explorer/move.ts";
import type { Transition as Walked } from "../../../src/testing/explorer/transition.ts";
import { isAtRest, type Step } from "../../../src/testing/explorer/pure.ts";

/** One move and what the chart made of it. */
export type Transition = Walked<Memory>;

/** What is wrong with a transition; nothing if all is well. */
export type Check = (transition: Transition) => string | undefined;

/** What happened on the way to a state, as far as the chart is held to it. Not part of the state's key. */
export type Memory = {
  /** Messages the chart has taken: they must be somewhere for ever. */
  readonly heard: readonly string[];
  /** Input of a call, until it is taken or refused. */
  readonly input: readonly string[];
  /** Decisions that no review has seen yet, and calls that a review has allowed to run or that need none. */
  readonly decided: ReadonlySet<string>;
  readonly granted: ReadonlySet<string>;
  /** The questions that were answered, with their rounds. */
  readonly answered: ReadonlySet<string>;
  /** A hook asked to stop, and the turn is not at rest yet. */
  readonly stops: boolean;
  /** The turn was interrupted and is not at rest yet; a crash does not make it forget. */
  readonly interrupted: boolean;
  /** Crashes and calls: each may start an open call anew. */
  readonly restarts: number;
  /** What the model was sent last, if prompts are made shorter. */
  readonly sent: Sent | undefined;
  /** A prompt that the model refused as too long was to be made shorter, and the model has not answered since. */
  readonly forced: boolean;
  readonly ran: Ran;
};

/** The messages of a request, and the view by which they were shown. */
export type Sent = { readonly view: string; readonly messages: readonly Msg[] };

export const NOTHING: Memory = {
  heard: [],
  input: [],
  decided: new Set(),
  granted: new Set(),
  answered: new Set(),
  stops: false,
  interrupted: false,
  restarts: 0,
  sent: undefined,
  forced: false,
  ran: NOTHING_RAN,
};

/** The messages that are more than results. */
export const textIds = (messages: readonly Msg[]): readonly string[] =>
  messages.filter(({ role }) => role !== "tool").map(({ id }) => id);

/** The calls that need no review: no hook wants to see them, and their tool may run whatever the arguments are. */
function free({ calls, allowed, listening }: AgentContext): readonly string[] {
  if (listening.includes("preActing")) return [];
  return calls.flatMap(({ call, asks }) =>
    asks === undefined && Object.hasOwn(allowed, call.name) ? [call.id] : [],
  );
}

function granted(memory: Memory, move: Move, context: AgentContext): ReadonlySet<string> {
  const all = new Set([...memory.granted, ...(move.meaning?.grants ?? []), ...free(context)]);
  const goesOn = ({ status, resume }: CallRecord): boolean =>
    status === "approved" || status === "running" || (status === "suspended" && resume !== undefined);
  const ended = context.calls.filter((record) => !goesOn(record));
  for (const { call } of ended) all.delete(call.id);
  return all;
}

/** The messages a context holds, stored or waiting. */
export function keptIds({ transcript, inbox }: AgentContext): ReadonlySet<string> {
  const messages = [transcript.slice(), inbox.queued, inbox.steering, inbox.input].flat();
  return new Set(messages.map(({ id }) => id));
}

/** The input that is being taken when `move` has happened. */
export function inputOf(memory: Memory, { meaning = {} }: Move): readonly string[] {
  if (meaning.rewritten) return textIds(meaning.rewritten);
  return meaning.input ? [...memory.input, ...textIds(meaning.input)] : memory.input;
}

/** Whether a refused prompt is being made shorter, or was, and the model has not answered since. */
function isForced({ forced }: Memory, { meaning }: Move, { progress }: AgentContext): boolean {
  const { said } = meaning ?? {};
  if (said === "an answer") return false;
  return forced || (said === "too long" && progress.compactions?.overflow != null);
}

/** What the next request of the conversation has to begin with: nothing, if the messages were edited or an output was taken. */
function sentAfter(memory: Memory, { events }: Move, after: Step): Sent | undefined {
  const isEdited = events[0]?.type === "session.edit" && after.refused === undefined;
  if (isEdited || after.snapshot.context.outcome?.output !== undefined) return undefined;
  return sentIn({ after }) ?? memory.sent;
}

/** What is to be remembered after `move` has led to `after`. */
export function remember(memory: Memory, move: Move, after: Step, leaf: string): Memory {
  const { meaning = {}, kind } = move;
  const { context } = after.snapshot;
  const refused = kind !== "crash" && after.refused !== undefined;
  if (kind === "load" && !refused) return { ...NOTHING, granted: granted(NOTHING, move, context) };
  const decided = new Set(memory.decided);
  if (meaning.decides && !refused) decided.add(meaning.decides);
  const isRevoked = meaning.revokes === true && !refused;
  if (meaning.grants || isRevoked)
    for (const { call, decided: still } of context.calls) if (!still) decided.delete(call.id);
  const waiting = new Set(context.inbox.input.map(({ id }) => id));
  const stored = keptIds({ ...context, inbox: { ...context.inbox, input: [] } });
  const input = refused ? memory.input : inputOf(memory, move);
  const taken = input.filter((id) => stored.has(id));
  const heard = meaning.heard && !refused ? [meaning.heard.id] : [];
  const rests = isAtRest(leaf) && context.progress.resumeAt === null;
  return {
    heard: taken.length + heard.length === 0 ? memory.heard : [...memory.heard, ...taken, ...heard],
    input: leaf === "doCall.onError" ? [] : input.filter((id) => waiting.has(id)),
    decided,
    answered: meaning.answers && !refused ? new Set([...memory.answered, meaning.answers]) : memory.answered,
    granted: granted(isRevoked ? NOTHING : memory, move, context),
    interrupted: !rests && (memory.interrupted || (meaning.interrupts === true && !refused)),
    stops: !rests && (memory.stops || (meaning.stops ?? false)),
    sent: sentAfter(memory, move, after),
    forced: isForced(memory, move, context),
    ran: ranAfter(memory.ran, move, after, refused),
    restarts: memory.restarts + (kind === "crash" || (meaning.input && !refused) ? 1 : 0),
  };
}

/** The calls of the batch whose results are not stored. */
export const openIds = ({ calls }: AgentContext): ReadonlySet<string> =>
  new Set(calls.filter(({ stored }) => !stored).map(({ call }) => call.id));

/** Returns the fields of the context that an event has changed, the clock and the trace of refusals aside. */
export function changesOf(before: AgentContext, after: AgentContext): readonly string[] {
  const names = Object.keys(after) as (keyof AgentContext)[];
  return names.filter((name) => name !== "at" && before[name] !== after[name]);
}

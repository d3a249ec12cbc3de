import { truncated } from "../core/base/shown.ts";
import { AgentError, errorFrom } from "../core/base/error.ts";
import { wellFormed, type JsonObject } from "../core/base/json.ts";
import type { Msg, Reason } from "../core/message/types.ts";
import type { SessionStore } from "../store/port.ts";
import { inputTurnOf, type AgentContext, type TurnEnd } from "../../machines/agent/context.ts";
import type { Settings } from "../../machines/agent/settings.ts";
import type { SessionEntry } from "./entry.ts";
import { readEntries } from "./read-entry.ts";
import { contextOf, JournalFold } from "./fold.ts";
import { inputHash, plain, type SessionState } from "./format.ts";
import { storedEnding } from "./stored-ending.ts";

/** An input that a session has accepted. */
export type AcceptedInput = {
  /** {@link inputHash} of its messages; undefined if an earlier release stored it. */
  readonly hash?: string | undefined;
  /** The turn that it belongs to; undefined until that turn has come to rest. */
  readonly turn?: number;
  /** It was refused and has changed nothing. */
  readonly isRefused?: boolean;
  /** The way in which its turn came to rest last: while the turn is suspended, and once it has ended. */
  readonly rest?: {
    readonly context: AgentContext;
    /** The error of a turn that failed. */
    readonly error?: AgentError;
  };
};

/** Throws `run/key-reused` if both hashes are known and differ. */
export function checkSameInput(key: string, known: string | undefined, hash: string): void {
  if (known === undefined || known === hash) return;
  throw new AgentError(
    "run/key-reused",
    `The idempotency key '${truncated(key)}' belongs to another input of this session; expected the same input, or another key.`,
    { data: { idempotencyKey: key } },
  );
}

/** Accepts an input for an idempotency key: it enters the session's inbox, and the append that stores its messages acknowledges it. Returns
 *  the messages to process: these, or those that came with the same key before and are not stored yet; undefined if those are stored.
 *  Rejects `run/key-reused` if other messages came with the key. */
export async function claimInput(
  store: SessionStore,
  sessionId: string,
  key: string,
  messages: readonly Msg[],
): Promise<readonly Msg[] | undefined> {
  const data = plain({ messages }) as unknown as JsonObject;
  const state = await store.putInput(sessionId, { id: key, data });
  if (state === "accepted") return messages;
  const waiting = await store.takeInputs(sessionId, Number.MAX_SAFE_INTEGER);
  const known = waiting.find(({ id }) => id === key)?.data["messages"] as readonly Msg[] | undefined;
  if (known) checkSameInput(key, inputHash(known), inputHash(messages));
  return wellFormed(known);
}

/** Returns the hash with which the journal says that the input `id` was accepted; undefined if it does not say so. */
export async function readTakenHash(
  store: SessionStore,
  sessionId: string,
  id: string,
): Promise<string | undefined> {
  let hash: string | undefined;
  for await (const entry of readEntries(store, sessionId))
    if (entry.type === "position" && entry.data.taken === id) hash = entry.data.hash;
  return hash;
}

/** True if the journal says that the input `id` was accepted, or refused. */
export async function isTaken(store: SessionStore, sessionId: string, id: string): Promise<boolean> {
  for await (const entry of readEntries(store, sessionId))
    if (entry.type === "position" && entry.data.taken === id) return true;
  return false;
}

type End = { readonly data: TurnEnd; readonly state: SessionState };

/** Returns the session when its turn came to rest with `reason`. Later entries of the same append may belong to the next turn. */
function stateAt(fold: JournalFold, reason: Reason): SessionState {
  const state = fold.state();
  return { ...state, reason, messages: [...state.messages] };
}

/** Returns the state with the counters of the position that was written next. */
function counted(state: SessionState, fold: JournalFold): SessionState {
  return { ...state, kept: { ...state.kept, progress: fold.state().kept.progress } };
}

/** The end of a turn that has its outcome while its last hooks run; undefined elsewhere. */
function endAhead(fold: JournalFold): End | undefined {
  const state = fold.state();
  const ending = storedEnding(state);
  if (!ending || ending.at === "doCall.onError") return undefined;
  const { reason, error } = ending.outcome;
  const data = { reason, turn: inputTurnOf(state.kept.progress), ...(error && { error }) };
  return { data, state: stateAt(fold, reason) };
}

/**
 * Finds the ends of the turn that one input belongs to, in a journal that is read entry by entry.
 *
 * An end counts if its turn is the one that was open when the input came, or the next one: an earlier release may have lost the end
 * of the turn, and that of a later turn does not belong to this input.
 */
class EndsOfInput {
  readonly #id: string;
  /** Undefined until it is accepted. */
  input: AcceptedInput | undefined;
  /** The way in which its turn came to rest last; undefined before that. */
  last: End | undefined;
  /** The last turn that may be the one of the input. */
  #limit = 0;
  /** The ends in the append that is being read: its position comes last. */
  #ends: End[] = [];
  /** The number of turns that have ended in that append. */
  #ended = 0;

  constructor(id: string) {
    this.#id = id;
  }

  /** Reads the next entry, which `fold` has. */
  push(entry: SessionEntry, fold: JournalFold): void {
    if (entry.type === "turn.end" && entry.data.reason !== "SHUTDOWN") {
      if (this.input) this.#ends.push({ data: entry.data, state: stateAt(fold, entry.data.reason) });
      this.#ended++;
    } else if (entry.type === "position" && entry.data.taken === this.#id) {
      this.input = { hash: entry.data.hash };
      this.last = undefined;
      this.#limit = fold.state().kept.progress.turn + this.#ended + 1;
    } else if (entry.type === "position" && entry.data.state !== undefined)
      this.#close(entry.data.state, fold);
  }

  /** An append ends, with the session in this state of the chart. */
  #close(state: string, fold: JournalFold): void {
    const ends = this.#ends;
    this.#ends = [];
    this.#ended = 0;
    if (!this.input) return;
    for (const end of ends) this.#take(end, fold);
    if (this.input.turn === undefined && !this.input.isRefused && !state.startsWith("doCall"))
      this.#limit = Math.min(this.#limit, fold.state().kept.progress.turn);
    const ahead = endAhead(fold);
    if (ahead) this.#take(ahead, fold);
  }

  #take({ data, state }: End, fold: JournalFold): void {
    const input = this.input!;
    const turn = data.turn ?? inputTurnOf(fold.state().kept.progress);
    const isFirst = input.turn === undefined && !input.isRefused;
    if (isFirst && data.isRefusal) this.input = { ...input, isRefused: true };
    if (data.isRefusal || (isFirst ? turn > this.#limit : turn !== input.turn)) return;
    this.input = { ...input, turn };
    this.last = { data, state: counted(state, fold) };
  }
}

/** Reads from the journal the outcome of the input `id`, also if another call or process resumed its turn; undefined if it was not accepted. A turn that
 *  was shut down has not come to rest. */
export async function readAcceptedInput(
  store: SessionStore,
  settings: Settings,
  id: string,
): Promise<AcceptedInput | undefined> {
  const fold = new JournalFold(settings);
  const ends = new EndsOfInput(id);
  for await (const entry of readEntries(store, settings.sessionId)) {
    fold.push(entry);
    ends.push(entry, fold);
  }
  const { input, last } = ends;
  if (!input || !last) return input;
  const final = fold.state();
  const isCurrent = inputTurnOf(final.kept.progress) === input.turn;
  const state = isCurrent ? { ...final, reason: last.data.reason } : last.state;
  const { error } = last.data;
  return {
    ...input,
    rest: { context: contextOf(state, settings), ...(error && { error: errorFrom(error) }) },
  };
}

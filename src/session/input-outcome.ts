import { shortened } from "../base/shown.ts";
import { AgentError, errorFrom } from "../base/error.ts";
import type { JsonObject } from "../base/json.ts";
import type { Msg, Reason } from "../message/types.ts";
import type { SessionStore } from "../store/port.ts";
import { hashInput } from "../tool/hash.ts";
import { inputTurnOf, type AgentContext } from "../../machines/agent/context.ts";
import type { Settings } from "../../machines/agent/settings.ts";
import type { TurnEnd } from "./entry.ts";
import { readEntries } from "./read-entry.ts";
import { contextOf, JournalFold } from "./fold.ts";
import type { SessionState } from "./format.ts";

/** An input that a session has taken. */
export type TakenInput = {
  /** {@link inputHash} of its messages; undefined if an earlier release stored it. */
  readonly hash?: string | undefined;
  /** The turn that it belongs to; undefined until that turn has come to rest. */
  readonly turn?: number;
  /** It was refused and has changed nothing. */
  readonly isRefused?: boolean;
  /** How its turn came to rest last: while the turn is suspended, and once it has ended. */
  readonly rest?: {
    readonly context: AgentContext;
    /** The error of a turn that failed. */
    readonly error?: AgentError;
  };
};

/** Returns a hash of what messages say, without their ids and times. */
export function inputHash(messages: readonly Msg[]): string {
  const said = messages.map(({ role, name, content }) => ({ role, name, content }));
  return hashInput({ said } as unknown as JsonObject);
}

/** Throws `run/key-reused` if both hashes are known and differ. */
export function checkSameInput(key: string, known: string | undefined, hash: string): void {
  if (known === undefined || known === hash) return;
  throw new AgentError(
    "run/key-reused",
    `The idempotency key '${shortened(key)}' belongs to another input of this session; expected the same input, or another key.`,
    { data: { idempotencyKey: key } },
  );
}

/** Returns the hash with which the journal says that the input `id` was taken; undefined if it does not say so. */
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

/** True if the journal says that the input `id` was taken, or refused. */
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

/** Reads from the journal the outcome of the input `id`, also if another call or process resumed its turn; undefined if it was not taken. A turn that
 *  was shut down has not come to rest. */
export async function readTakenInput(
  store: SessionStore,
  settings: Settings,
  id: string,
): Promise<TakenInput | undefined> {
  const fold = new JournalFold(settings);
  let input: TakenInput | undefined;
  let ends: End[] = []; // of this append: its position comes last
  let last: End | undefined;
  for await (const entry of readEntries(store, settings.sessionId)) {
    fold.push(entry);
    if (entry.type === "position" && entry.data.taken === id) {
      input = { hash: entry.data.hash };
      last = undefined;
    } else if (!input) continue;
    else if (entry.type === "turn.end" && entry.data.reason !== "SHUTDOWN") {
      ends.push({ data: entry.data, state: stateAt(fold, entry.data.reason) });
    } else if (entry.type === "position" && entry.data.state !== undefined) {
      for (const { data, state } of ends) {
        const turn = data.turn ?? inputTurnOf(fold.state().kept.progress);
        const isFirst = input.turn === undefined && !input.isRefused;
        if (isFirst && data.isRefusal) input = { ...input, isRefused: true };
        if (data.isRefusal || (!isFirst && turn !== input.turn)) continue;
        input = { ...input, turn };
        last = { data, state: counted(state, fold) };
      }
      ends = [];
    }
  }
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

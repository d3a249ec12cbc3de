import { errorFrom, type AgentError } from "../base/error.ts";
import type { Reason } from "../message/types.ts";
import type { SessionStore } from "../store/port.ts";
import type { AgentContext, Settings } from "../../machines/agent/context.ts";
import { readEntries, type TurnEnd } from "./entry.ts";
import { contextOf, JournalFold } from "./fold.ts";
import type { SessionState } from "./format.ts";

/** The outcome of an input that a session has accepted. */
export type InputOutcome =
  /** The context in which its call came to rest. */
  | { readonly context: AgentContext }
  /** Its turn failed. `isLast`: it was the last turn of the session. */
  | { readonly error: AgentError; readonly isLast: boolean }
  /** It was refused and has changed nothing. */
  | { readonly isRefused: true };

/** Returns the session when its turn ended with `reason`. Later entries of the same append may belong to the next turn. */
function stateAt(fold: JournalFold, reason: Reason): SessionState {
  const state = fold.state();
  return { ...state, reason, messages: [...state.messages] };
}

/** Returns the state with the counters of the position that was written next. */
function counted(state: SessionState, fold: JournalFold): SessionState {
  return { ...state, kept: { ...state.kept, progress: fold.state().kept.progress } };
}

/** Reads the outcome of the input `id` from the journal; undefined if it has none yet. A turn that was cut off or shut down
 *  ends where it was resumed to. */
export async function readInputOutcome(
  store: SessionStore,
  settings: Settings,
  id: string,
): Promise<InputOutcome | undefined> {
  const fold = new JournalFold(settings);
  let isAccepted = false;
  let end: TurnEnd | undefined;
  let ended: SessionState | undefined;
  let context: AgentContext | undefined;
  let isLast = true;
  for await (const entry of readEntries(store, settings.sessionId)) {
    fold.push(entry);
    if (entry.type === "position" && entry.data.taken === id) isAccepted = true;
    else if (!isAccepted) continue;
    else if (entry.type === "turn.end") {
      const found = entry.data;
      if (end) isLast = false;
      else if (found.reason !== "SHUTDOWN") {
        end = found;
        ended = stateAt(fold, found.reason);
      }
    } else if (entry.type === "position" && ended) context ??= contextOf(counted(ended, fold), settings);
  }
  if (!end || !context) return undefined;
  if (end.isRefusal) return { isRefused: true };
  return end.error ? { error: errorFrom(end.error), isLast } : { context };
}

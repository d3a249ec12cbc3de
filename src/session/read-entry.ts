import { AgentError } from "../core/base/error.ts";
import { runsOf } from "../store/entry-runs.ts";
import type { JournalEntry, SessionStore } from "../store/port.ts";
import type { Fact, SessionEntry } from "./entry.ts";
import { shapeProblem } from "./entry-shapes.ts";
import { longForm } from "./entries.ts";

/** Returns an entry of a store as one of a session. Throws `session/version` for a type that this release does not know, and
 *  `session/damaged` for data of another shape. */
export function readEntry(entry: JournalEntry): SessionEntry {
  const { seq, type } = entry;
  const data = longForm(entry);
  const problem = shapeProblem(type, data);
  if (problem === "unknown")
    throw new AgentError("session/version", `Journal entry ${seq} has the unknown type '${type}'.`);
  if (problem !== undefined) throw damagedEntry(entry, problem);
  return data === entry.data ? (entry as JournalEntry & Fact) : ({ ...entry, data } as SessionEntry);
}

/** Yields the entries of a session as {@link SessionStore.read} does. Throws as {@link readEntry}. */
export async function* readEntries(
  store: SessionStore,
  sessionId: string,
  options?: { readonly after?: number; readonly limit?: number },
): AsyncGenerator<SessionEntry> {
  for await (const run of runsOf(store.read(sessionId, options)))
    for (const entry of run) yield readEntry(entry);
}

/** Yields the entries of a journal up to its damage, if it has any. */
export async function* readableEntries(
  ...args: Parameters<typeof readEntries>
): AsyncGenerator<SessionEntry> {
  try {
    yield* readEntries(...args);
  } catch (error) {
    if (!AgentError.is(error) || error.code !== "session/damaged") throw error;
  }
}

/** Returns a `session/damaged` about an entry. */
export function damagedEntry({ seq, type }: Pick<JournalEntry, "seq" | "type">, problem: string): AgentError {
  return new AgentError("session/damaged", `Journal entry ${seq} (${type}): ${problem}`, { data: { seq } });
}

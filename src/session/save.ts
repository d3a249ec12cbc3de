import * as s from "../core/base/option-schema.ts";
import { Transcript } from "../core/message/transcript.ts";
import type { Json } from "../core/base/json.ts";
import { withLease } from "../store/lease.ts";
import type { Lease, SessionStore } from "../store/port.ts";
import { freshContext, type AgentContext } from "../../machines/agent/context.ts";
import { writeSession } from "./batch.ts";
import { wholeSession } from "./entries.ts";
import { persistedContext, type JournalState } from "./format.ts";

/** The parts of an agent that are saved or loaded: all that are not `false`, as AgentScope's StatePersistence. */
export type SavedParts = {
  /** Messages, open calls and counters; default true. */
  readonly memory?: boolean | undefined;
  /** Active tool groups; default true. */
  readonly toolkit?: boolean | undefined;
  /** Slots, such as a plan; default as `memory`. */
  readonly slots?: boolean | undefined;
};

/** The schema of {@link SavedParts}. */
export const savedPartsSchema = s.lazily(() =>
  s.options<SavedParts>({
    memory: s.optional(s.boolean()),
    toolkit: s.optional(s.boolean()),
    slots: s.optional(s.boolean()),
  }),
);

/** Returns a context with the saved parts only. */
function savedContext(context: AgentContext, { memory = true, slots = memory }: SavedParts): AgentContext {
  const kept = memory ? context : freshContext(context.settings, Transcript.of());
  return { ...kept, slots: slots ? context.slots : {} };
}

/** Returns the state of a session in which nothing has happened yet. */
function withoutMemory(journalState: JournalState): JournalState {
  const state = "stopped.idle";
  const { meta } = journalState.position;
  return {
    ...journalState,
    state,
    position: { phase: "stopped", state, ...(meta !== undefined && { meta }) },
  };
}

/** Writes a whole session under `key`, over the one that was there. Rejects `session/conflict` while that session is open. */
export async function saveSession(
  store: SessionStore,
  key: string,
  journalState: JournalState,
  options: {
    readonly now: () => number;
    readonly redact?: (value: Json) => Json;
    readonly parts?: SavedParts;
  },
): Promise<void> {
  const { now, redact, parts = {} } = options;
  const { toolkit = true } = parts;
  const { activeGroups = [], ...rest } = journalState;
  const context = savedContext(journalState.context, parts);
  const saved: JournalState = {
    ...(parts.memory === false ? withoutMemory(rest) : rest),
    ...(toolkit && { activeGroups }),
    context,
    isAtRest: true,
  };
  const write = async (lease: Lease): Promise<void> => {
    const seq = (await store.load(key))?.seq ?? 0;
    const facts = wholeSession({
      messages: context.transcript.slice(),
      kept: persistedContext(context),
      ...(toolkit && { activeGroups }),
    });
    await writeSession(store, lease, facts, { seq, at: now(), journalState: saved, redact });
  };
  await withLease(store, key, write);
}

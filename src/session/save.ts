import { randomUUID } from "node:crypto";
import { AgentError } from "../base/error.ts";
import { Transcript } from "../message/transcript.ts";
import type { Json } from "../base/json.ts";
import type { SessionStore } from "../store/port.ts";
import { freshContext, type AgentContext } from "../../machines/agent/context.ts";
import type { JournalState } from "./format.ts";
import { Journal } from "./journal.ts";

const LEASE_MS = 30_000;

/** Which parts of an agent are saved or loaded; all, unless one says false. AgentScope calls it StatePersistence. */
export type SavedParts = {
  /** Messages, open calls and counters. */
  readonly memory?: boolean;
  /** Active tool groups. */
  readonly toolkit?: boolean;
};

/** The context of which only the saved parts are left. */
function savedContext(context: AgentContext, { memory = true }: SavedParts): AgentContext {
  return memory ? context : freshContext(context.settings, Transcript.of());
}

/** Where a session stands of which nothing has happened yet. */
function withoutMemory(standing: JournalState): JournalState {
  const state = "stopped.idle";
  const { meta } = standing.position;
  return { ...standing, state, position: { phase: "stopped", state, ...(meta !== undefined && { meta }) } };
}

/** Writes a whole session under `key`, over what was there. Throws `session/conflict` while somebody else has that
 *  session. */
export async function saveSession(
  store: SessionStore,
  key: string,
  standing: JournalState,
  options: {
    readonly now: () => number;
    readonly redact?: (value: Json) => Json;
    readonly parts?: SavedParts;
  },
): Promise<void> {
  const { now, redact, parts = {} } = options;
  const lease = await store.acquire(key, { owner: randomUUID(), ttlMs: LEASE_MS });
  if (!lease) throw new AgentError("session/conflict", `Session '${key}' is open elsewhere.`);
  try {
    const seq = (await store.load(key))?.seq ?? 0;
    const context = savedContext(standing.context, parts);
    const { toolkit = true } = parts;
    const { activeGroups = [], ...rest } = standing;
    const saved: JournalState = {
      ...(parts.memory === false ? withoutMemory(rest) : rest),
      ...(toolkit && { activeGroups }),
      context,
      isAtRest: true,
    };
    const journal = new Journal({ store, lease, seq, now, state: () => saved, ...(redact && { redact }) });
    const { inbox, remembered, wanted, request } = context;
    journal.record([
      { type: "messages", data: { from: 0, messages: context.transcript.slice() } },
      { type: "calls.closed", data: {} },
      ...context.calls.map(({ call, ...set }) => ({ type: "call", data: { id: call.id, set, call } })),
      { type: "kept", data: { inbox, remembered, wanted, system: request.system } },
      ...(toolkit ? [{ type: "groups", data: { active: activeGroups } }] : []),
    ]);
    await journal.flush();
  } finally {
    await store.release(lease);
  }
}

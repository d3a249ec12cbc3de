import { randomUUID } from "node:crypto";
import { AgentError } from "../base/error.ts";
import { toolUsesOf } from "../message/query.ts";
import { Transcript } from "../message/transcript.ts";
import type { JsonObject } from "../base/json.ts";
import type { Msg } from "../message/types.ts";
import { checkMessages } from "../message/validate.ts";
import type { JournalEntry, SessionStore } from "../store/port.ts";
import { pendingCalls } from "../../machines/agent/updates/calls.ts";
import type { AgentContext } from "../../machines/agent/context.ts";
import type { PendingCall } from "../tool/pending.ts";
import { contextOf } from "./fold.ts";
import type { SessionState } from "./format.ts";
import type { JournalState } from "./format.ts";
import { Journal } from "./journal.ts";
import { READER_SETTINGS } from "./reader-settings.ts";

const LEASE_MS = 30_000;

/** A call as lists of a fork show it. */
export type ForkedCall = { readonly callId: string; readonly name: string; readonly input: JsonObject };

export type ForkOptions = {
  /** Default: a new UUID. */
  readonly sessionId?: string;
  /** Other messages for the fork; the original keeps its own. */
  readonly edits?: (messages: readonly Msg[]) => readonly Msg[];
};

export type Fork = {
  readonly sessionId: string;
  /** Calls that are open at this position: they run, or wait for an answer, in the fork too. */
  readonly runsAgain: readonly PendingCall[];
  /** Calls that the original made later and has results of. The fork makes them anew if it goes the same way, unless it
   *  is driven by {@link replayOf}, which hands out the recorded results. */
  readonly recordedLater: readonly ForkedCall[];
};

/** The entries of a journal, up to the damage if it has one. */
async function* readableEntries(store: SessionStore, sessionId: string): AsyncGenerator<JournalEntry> {
  try {
    yield* store.read(sessionId);
  } catch (error) {
    if (!AgentError.is(error) || error.code !== "session/damaged") throw error;
  }
}

/** The calls whose results the journal recorded after `seq`, as far as it can be read. */
export async function recordedAfter(
  store: SessionStore,
  sessionId: string,
  seq: number,
): Promise<readonly ForkedCall[]> {
  const calls = new Map<string, ForkedCall>();
  const later = new Map<string, ForkedCall>();
  const take = (id: string, at: number): void => {
    const known = calls.get(id);
    if (known && at > seq) later.set(id, known);
  };
  for await (const entry of readableEntries(store, sessionId)) {
    if (entry.type === "messages") {
      const { messages } = entry.data as unknown as {
        readonly messages: readonly (Partial<Msg> & { readonly ref?: string })[];
      };
      for (const { ref, content = [] } of messages) {
        if (ref !== undefined) take(ref, entry.seq);
        for (const block of content) if (block.type === "tool_result") take(block.id, entry.seq);
      }
    }
    if (entry.type !== "call") continue;
    const { id, set, call } = entry.data as unknown as {
      readonly id: string;
      readonly set: { readonly result?: unknown };
      readonly call?: { readonly name: string; readonly input: JsonObject };
    };
    if (call) calls.set(id, { callId: id, name: call.name, input: call.input });
    if (set.result) take(id, entry.seq);
  }
  return [...later.values()];
}

/** The context of the fork: what waits to be tried again is tried at once, and open calls stay only while the message that asked for
 *  them is still there. */
function forkedContext(session: SessionState, messages: readonly Msg[]): AgentContext {
  const stored = contextOf(session, READER_SETTINGS);
  const context = {
    ...stored,
    transcript: Transcript.of(messages),
    request: { ...stored.request, notBeforeAt: null },
    calls: stored.calls.map(({ notBeforeAt: _, ...record }) => record),
  };
  if (context.calls.length === 0) return context;
  const first = context.calls[0]!.call.id;
  const batchAt = messages.findLastIndex((message) => toolUsesOf(message).some(({ id }) => id === first));
  const calls = batchAt < 0 ? [] : context.calls;
  const resumeAt = batchAt < 0 ? null : context.progress.resumeAt;
  return { ...context, calls, progress: { ...context.progress, batchAt, resumeAt } };
}

function forkedState(context: AgentContext, session: SessionState, meta: JsonObject): JournalState {
  const isSuspended = context.calls.length > 0 || context.progress.exceeded !== null;
  const rest = isSuspended ? "suspended" : "stopped";
  const { activeGroups } = session;
  const state =
    context.progress.resumeAt === null ? `${rest}.${isSuspended ? "waiting" : "idle"}` : session.state;
  const phase = context.progress.resumeAt === null ? rest : "unfinished";
  return {
    context,
    state,
    activeGroups,
    isAtRest: true,
    chart: "",
    hooks: [],
    position: { phase, state, meta },
  };
}

/** Writes a session that begins as another stood. Throws `session/conflict` if the new id is taken. */
export async function forkSession(
  store: SessionStore,
  session: SessionState & { readonly seq: number; readonly sessionId: string },
  options: ForkOptions,
): Promise<Fork> {
  const { sessionId, seq } = session;
  const forked = options.sessionId ?? randomUUID();
  const edited = options.edits?.(session.messages);
  const messages = edited ? checkMessages(edited, "fork: `edits`") : session.messages;
  const context = forkedContext(session, messages);
  const lease = await store.acquire(forked, { owner: randomUUID(), ttlMs: LEASE_MS });
  try {
    if (!lease || (await store.load(forked))) {
      throw new AgentError("session/conflict", `Session '${forked}' exists already.`);
    }
    const standing = forkedState(context, session, { forkedFrom: sessionId, forkedAt: seq });
    const journal = new Journal({ store, lease, seq: 0, now: Date.now, state: () => standing });
    const { inbox, remembered, wanted, calls } = context;
    journal.record([
      { type: "messages", data: { from: 0, messages } },
      ...calls.map(({ call, ...set }) => ({ type: "call", data: { id: call.id, set, call } })),
      { type: "kept", data: { inbox, remembered, wanted } },
      { type: "groups", data: { active: session.activeGroups } },
    ]);
    await journal.flush();
  } finally {
    if (lease) await store.release(lease);
  }
  const recordedLater = await recordedAfter(store, sessionId, seq);
  return { sessionId: forked, runsAgain: pendingCalls(context), recordedLater };
}

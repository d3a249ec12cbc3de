import { randomUUID } from "node:crypto";
import { AgentError } from "../error/error.ts";
import { Transcript } from "../message/transcript.ts";
import type { JsonObject, Msg } from "../message/types.ts";
import { checkMessages } from "../message/validate.ts";
import type { JournalEntry, SessionStore } from "../store/port.ts";
import { pendingCalls } from "../turn/calls.ts";
import { freshContext, type Settings } from "../turn/context.ts";
import type { PendingCall } from "../turn/pending.ts";
import { contextOf, JournalFold } from "./fold.ts";
import type { SessionState } from "./format.ts";
import { Journal } from "./journal.ts";

const LEASE_MS = 30_000;

/** A stored session as it stood at one journal position. */
export type Moment = {
  readonly seq: number;
  /** The chart's state, as "acting.executing". */
  readonly state: string;
  /** Epoch ms. */
  readonly at: number;
  readonly reason?: string;
  readonly messages: readonly Msg[];
  /** Counters, open calls, waiting messages: all that is kept beside the messages. */
  readonly context: JsonObject;
  readonly pending: readonly PendingCall[];
};

/** A stored session, to look at and to fork. Nothing here takes its lease. */
export interface StoredSession {
  readonly sessionId: string;
  /** Every fact, in order. */
  entries(options?: { readonly after?: number; readonly limit?: number }): AsyncIterable<JournalEntry>;
  /** The session as it stood after entry `seq`; default: now. Throws `session/not-found` for a position it never had. */
  at(seq?: number): Promise<Moment>;
  /** A new session that begins as this one stood at `seq`, with other messages if `edits` says so. It knows where it comes
   *  from (`meta.forkedFrom`). Gives its id and the calls that would run again. */
  fork(
    seq: number,
    options?: { readonly sessionId?: string; readonly edits?: (messages: readonly Msg[]) => readonly Msg[] },
  ): Promise<{ readonly sessionId: string; readonly runsAgain: readonly PendingCall[] }>;
}

const NO_SETTINGS: Settings = {
  agent: "",
  sessionId: "",
  system: "",
  maxIters: 10,
  maxGotos: 3,
  maxEmptyRetries: 2,
  parallel: 1,
  onTextWhilePending: "refuse",
  recoverOrphans: true,
  interruptGraceMs: 2_000,
  model: {},
  hasFallback: false,
  isDurable: true,
  budget: {},
  onBudget: "suspend",
};

async function stateAt(store: SessionStore, sessionId: string, seq: number): Promise<SessionState & { seq: number }> {
  const fold = new JournalFold(NO_SETTINGS);
  for await (const entry of store.read(sessionId)) {
    if (entry.seq > seq) break;
    fold.push(entry);
  }
  return { ...fold.state(), seq: fold.seq };
}

/** Opens a stored session read-only. Throws `session/not-found`. */
export async function openSession(store: SessionStore, sessionId: string): Promise<StoredSession> {
  const found = await store.load(sessionId);
  if (!found || found.seq === 0) throw new AgentError("session/not-found", `Session not found: ${sessionId}`);
  const newest = found.seq;

  const at = async (seq: number = Number.POSITIVE_INFINITY): Promise<Moment> => {
    if (Number.isFinite(seq) && (!Number.isInteger(seq) || seq < 1)) {
      throw new AgentError("session/not-found", `Session '${sessionId}' has no position ${seq}; it has 1 to ${newest}.`);
    }
    const session = await stateAt(store, sessionId, seq);
    if (Number.isFinite(seq) && session.seq < seq) {
      throw new AgentError("session/not-found", `Session '${sessionId}' has no position ${seq}; it has 1 to ${session.seq}.`);
    }
    return {
      seq: session.seq,
      state: session.state,
      at: session.at,
      ...(session.reason && { reason: session.reason }),
      messages: [...session.messages],
      context: session.kept as unknown as JsonObject,
      pending: pendingCalls(contextOf(session, NO_SETTINGS)),
    };
  };

  return {
    sessionId,
    entries: (options) => store.read(sessionId, options),
    at,
    async fork(seq, options = {}) {
      const forked = options.sessionId ?? randomUUID();
      const session = await stateAt(store, sessionId, seq);
      const edited = options.edits?.(session.messages);
      const messages = edited ? checkMessages(edited, "fork: `edits`") : session.messages;
      const context = { ...contextOf(session, NO_SETTINGS), transcript: Transcript.of(messages) };
      const lease = await store.acquire(forked, { owner: randomUUID(), ttlMs: LEASE_MS });
      if (!lease || (await store.load(forked))) {
        if (lease) await store.release(lease);
        throw new AgentError("session/conflict", `Session '${forked}' exists already.`);
      }
      const journal = new Journal({
        store,
        lease,
        seq: 0,
        now: Date.now,
        standing: () => ({
          context,
          state: session.state,
          activeGroups: session.activeGroups,
          isAtRest: true,
          chart: "",
          hooks: [],
          position: {
            phase: context.progress.resumeAt === null ? (context.calls.length > 0 ? "suspended" : "stopped") : "unfinished",
            state: session.state,
            meta: { forkedFrom: sessionId, forkedAt: seq },
          },
        }),
      });
      const empty = freshContext(NO_SETTINGS, Transcript.of());
      journal.note([
        { type: "messages", data: { from: 0, messages } },
        ...context.calls.map(({ call, ...set }) => ({ type: "call", data: { id: call.id, set, call } })),
        { type: "kept", data: { inbox: context.inbox, remembered: context.remembered, wanted: context.wanted ?? empty.wanted } },
        { type: "groups", data: { active: session.activeGroups } },
      ]);
      try {
        await journal.flush();
      } finally {
        await store.release(lease);
      }
      return { sessionId: forked, runsAgain: pendingCalls(context) };
    },
  };
}

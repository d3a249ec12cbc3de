import { AgentError } from "../core/base/error.ts";
import * as s from "../core/base/option-schema.ts";
import { check } from "../core/base/options.ts";
import type { JsonObject } from "../core/base/json.ts";
import type { AgentEvent } from "../core/event/types.ts";
import type { Msg } from "../core/message/types.ts";
import type { JournalEntry, SessionStore } from "../store/port.ts";
import { pendingCalls } from "../../machines/agent/updates/calls.ts";
import type { PendingCall } from "../core/tool/pending.ts";
import type { SessionEntry } from "./entry.ts";
import { readEntries } from "./read-entry.ts";
import { contextOf, JournalFold } from "./fold.ts";
import {
  forkPointSchema,
  forkSession,
  type Fork,
  type ForkedSession,
  type ForkOptions,
  type ForkPoint,
} from "./fork.ts";
import { readMessages, type MessagePage } from "./read-messages.ts";
import { EntryReader } from "./replay.ts";
import { READER_SETTINGS } from "./reader-settings.ts";
import { storeSchema } from "../store/store-schema.ts";
import { pagesOf } from "../store/pages.ts";

/** A stored session at one journal position. */
export type Moment = {
  /** The number of the newest journal entry at this position. */
  readonly seq: number;
  /** The chart's state, such as "acting.executing". */
  readonly state: string;
  /** Epoch ms of the last event. */
  readonly at: number;
  /** The reason for which the last turn ended; absent before the first end. */
  readonly reason?: string | undefined;
  /** The transcript at this position. */
  readonly messages: readonly Msg[];
  /** The data that are stored beside the messages: counters, open calls, queued messages. */
  readonly context: JsonObject;
  /** The calls that wait for a decision or an answer. */
  readonly pending: readonly PendingCall[];
};

/** A stored session, read-only. No method acquires its lease. */
export interface StoredSession {
  readonly sessionId: string;
  /** Yields the entries with a `seq` above `after` (default 0) in order, at most `limit` of them. */
  entries(options?: {
    readonly after?: number | undefined;
    readonly limit?: number | undefined;
  }): AsyncIterable<JournalEntry>;
  /** Returns the session after entry `seq`; default: the newest. Rejects `session/not-found` for a position that it does not
   *  have, and `session/damaged` for one after the damage of its journal. */
  at(seq?: number): Promise<Moment>;
  /** Returns `limit` (default 100) messages of the transcript from index `after` (default 0) on, and how many there are. It reads the
   *  entries of these messages and few others. Rejects `session/damaged` if it reaches damage, and `session/not-found` if the session was
   *  deleted meanwhile. */
  messages(options?: {
    readonly after?: number | undefined;
    readonly limit?: number | undefined;
  }): Promise<MessagePage>;
  /** Yields the events of the session so far, as `agent.subscribe(listener, { after: 0 })` delivers them. */
  events(): AsyncIterable<AgentEvent>;
  /** Writes a new session that begins as this one was at a position: after the last entry of the append that wrote entry `place`. With
   *  `{ before: seq }` it begins before the step that wrote entry `seq`, which then happens again.
   *  The new session has `meta.forkedFrom` and `meta.forkedAt`. Rejects `session/not-found` for a position that this one does
   *  not have, or with nothing before it, `session/conflict` if a session with the new id exists, and `session/bad-change` for a change that
   *  does not fit. */
  fork(place: ForkPoint, options?: ForkOptions): Promise<Fork>;
  /** Returns the ids of the sessions that were forked from this one. */
  forks(): Promise<readonly string[]>;
}

/** The schema of the options of {@link StoredSession.messages}. */
export const messagesSchema = s.lazily(() =>
  s.options<NonNullable<Parameters<StoredSession["messages"]>[0]>>({
    after: s.optional(s.integer(0)),
    limit: s.optional(s.integer(1)),
  }),
);

/** Adds to a `session/damaged` which positions of the session can be read. */
export function withReadablePart(error: unknown, seq: number): unknown {
  if (!AgentError.is(error) || error.code !== "session/damaged" || seq === 0) return error;
  const { code, message, data } = error;
  return new AgentError(code, `${message} Its positions up to ${seq} can be read.`, { cause: error, data });
}

function endsAppend(entry: SessionEntry): boolean {
  return entry.type === "position" && entry.data.state !== undefined;
}

/** The last position before the append that wrote an entry. Rejects `session/not-found` if there is none. */
async function positionBefore(store: SessionStore, sessionId: string, seq: number): Promise<number> {
  let before = 0;
  for await (const entry of readEntries(store, sessionId)) {
    if (entry.seq >= seq) {
      if (before > 0) return before;
      break;
    }
    if (endsAppend(entry)) before = entry.seq;
  }
  throw new AgentError(
    "session/not-found",
    `Session '${sessionId}' has no step of position ${seq} with anything before it.`,
  );
}

async function exists(store: SessionStore, sessionId: string): Promise<boolean> {
  try {
    return ((await store.load(sessionId))?.seq ?? 0) > 0;
  } catch (error) {
    if (AgentError.is(error) && error.code === "session/damaged") return true;
    throw error;
  }
}

/**
 * Opens a stored session read-only, also a damaged one or one that is running in another process. Rejects `session/not-found`,
 * and `config/invalid` unless `store` is a session store.
 *
 * @example
 * ```ts
 * import { openSession } from "agentchart/session";
 * import { fileStore } from "agentchart/store/file";
 *
 * const stored = await openSession(fileStore({ dir: "./sessions" }), "customer-42");
 * const { seq, state, messages } = await stored.at();
 * console.log(seq, state, messages.length);
 * const { sessionId } = await stored.fork(seq, { edits: (all) => all.slice(0, -1) });
 * ```
 */
export async function openSession(store: SessionStore, sessionId: string): Promise<StoredSession> {
  check(storeSchema(), store, "openSession", "`store`");
  const notFound = () => new AgentError("session/not-found", `Session not found: ${sessionId}`);
  if (!(await exists(store, sessionId))) throw notFound();

  const stateAt = async (
    seq: number,
    isEnough: (entry: SessionEntry) => boolean = () => true,
  ): Promise<Omit<ForkedSession, "sessionId">> => {
    const fold = new JournalFold(READER_SETTINGS);
    try {
      for await (const entry of readEntries(store, sessionId)) {
        fold.push(entry);
        if (entry.seq >= seq && isEnough(entry)) break;
      }
    } catch (error) {
      throw withReadablePart(error, fold.seq);
    }
    if (fold.seq === 0) throw notFound(); // deleted meanwhile
    const isThere =
      seq === Number.POSITIVE_INFINITY || (Number.isInteger(seq) && seq >= 1 && fold.seq >= seq);
    if (!isThere) {
      const last = (await store.load(sessionId))?.seq ?? 0;
      throw new AgentError(
        "session/not-found",
        `Session '${sessionId}' has no position ${seq}; it has 1 to ${last}.`,
      );
    }
    return { ...fold.state(), seq: fold.seq, saysSystem: fold.saysSystem };
  };

  return {
    sessionId,
    entries: (options) => store.read(sessionId, options),
    async at(seq = Number.POSITIVE_INFINITY) {
      const { state, at, reason, messages, kept, seq: last, ...session } = await stateAt(seq);
      const pending = pendingCalls(contextOf({ state, at, messages, kept, ...session }, READER_SETTINGS));
      const context = kept as unknown as JsonObject;
      return { seq: last, state, at, ...(reason && { reason }), messages: [...messages], context, pending };
    },
    async messages(options = {}) {
      check(messagesSchema(), options, "messages");
      const { after = 0, limit = 100 } = options;
      const page = await readMessages(store, sessionId, { after, limit });
      const { length } = page.messages;
      const isWhole = length === Math.min(limit, Math.max(0, page.total - after));
      if (!isWhole || (page.total === 0 && !(await exists(store, sessionId)))) throw notFound(); // deleted meanwhile
      return page;
    },
    async *events() {
      const reader = new EntryReader();
      for await (const entry of readEntries(store, sessionId)) yield* reader.events(entry);
    },
    async fork(place, options = {}) {
      check(forkPointSchema(), place, "fork", "The place");
      const seq = typeof place === "number" ? place : await positionBefore(store, sessionId, place.before);
      return forkSession(store, { ...(await stateAt(seq, endsAppend)), sessionId }, options);
    },
    async forks() {
      const ids: string[] = [];
      const meta = { forkedFrom: sessionId };
      for await (const { sessions } of pagesOf((from) => store.list({ meta, ...from })))
        ids.push(...sessions.map((session) => session.sessionId));
      return ids;
    },
  };
}

import { AgentError } from "../base/error.ts";
import type { JsonObject } from "../base/json.ts";
import type { Msg } from "../message/types.ts";
import type { JournalEntry, SessionStore } from "../store/port.ts";
import { pendingCalls } from "../../machines/agent/updates/calls.ts";
import type { PendingCall } from "../tool/pending.ts";
import { checkStore } from "./check-store.ts";
import { contextOf, JournalFold } from "./fold.ts";
import { forkSession, type Fork, type ForkOptions } from "./fork.ts";
import type { SessionState } from "./format.ts";
import { READER_SETTINGS } from "./reader-settings.ts";

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
  /** The session as it stood after entry `seq`; default: now. Rejects `session/not-found` for a position it never had. */
  at(seq?: number): Promise<Moment>;
  /** A new session that begins as this one stood at `seq`; among entries that were written together, as it stood after the
   *  last of them. It knows where it comes from (`meta.forkedFrom`, `meta.forkedAt`). Rejects `session/not-found` for a
   *  position this one never had. */
  fork(seq: number, options?: ForkOptions): Promise<Fork>;
  /** The ids of the sessions that were forked from this one. */
  forks(): Promise<readonly string[]>;
}

/** What one may look at of a damaged session: the moments before the damage. */
function withReadablePart(error: unknown, seq: number): unknown {
  if (!AgentError.is(error) || error.code !== "session/damaged" || seq === 0) return error;
  const { code, message, data } = error;
  return new AgentError(code, `${message} Its positions up to ${seq} can be read.`, { cause: error, data });
}

/** True for the last entry of an append: between those before it the session never stood. */
function endsAppend({ type, data }: JournalEntry): boolean {
  return type === "position" && data["state"] !== undefined;
}

async function exists(store: SessionStore, sessionId: string): Promise<boolean> {
  try {
    return ((await store.load(sessionId))?.seq ?? 0) > 0;
  } catch (error) {
    if (AgentError.is(error) && error.code === "session/damaged") return true;
    throw error;
  }
}

/** Opens a stored session read-only, a damaged one too: then moments behind the damage reject `session/damaged`. Rejects
 *  `session/not-found`, and `config/invalid` for what is no store. */
export async function openSession(store: SessionStore, sessionId: string): Promise<StoredSession> {
  checkStore(store, "openSession");
  if (!(await exists(store, sessionId)))
    throw new AgentError("session/not-found", `Session not found: ${sessionId}`);

  const stateAt = async (
    seq: number,
    isEnough: (entry: JournalEntry) => boolean = () => true,
  ): Promise<SessionState & { readonly seq: number }> => {
    const fold = new JournalFold(READER_SETTINGS);
    try {
      for await (const entry of store.read(sessionId)) {
        fold.push(entry);
        if (entry.seq >= seq && isEnough(entry)) break;
      }
    } catch (error) {
      throw withReadablePart(error, fold.seq);
    }
    const isThere =
      seq === Number.POSITIVE_INFINITY || (Number.isInteger(seq) && seq >= 1 && fold.seq >= seq);
    if (!isThere) {
      const last = (await store.load(sessionId))?.seq ?? 0;
      throw new AgentError(
        "session/not-found",
        `Session '${sessionId}' has no position ${seq}; it has 1 to ${last}.`,
      );
    }
    return { ...fold.state(), seq: fold.seq };
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
    fork: async (seq, options = {}) =>
      forkSession(store, { ...(await stateAt(seq, endsAppend)), sessionId }, options),
    async forks() {
      const ids: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await store.list({
          meta: { forkedFrom: sessionId },
          ...(cursor !== undefined && { cursor }),
        });
        ids.push(...page.sessions.map((session) => session.sessionId));
        cursor = page.cursor;
      } while (cursor !== undefined);
      return ids;
    },
  };
}

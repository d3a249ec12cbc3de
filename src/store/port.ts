// src/store defines the port of session stores, and implements it in memory, files, SQLite and Postgres.
import type { JsonObject } from "../base/json.ts";
import type { WaitsFor } from "../tool/pending.ts";

/** Where a session stands, as lists show it. */
export const SESSION_PHASES = ["stopped", "running", "suspended", "unfinished", "quarantined"] as const;
export type SessionPhase = (typeof SESSION_PHASES)[number];

/** The right to advance one session. `fence` is what counts: it rises for ever, and only the newest one may append.
 *  `expiresAt` is on the clock of the store, so a holder renews in good time instead of comparing it with its own. */
export type Lease = {
  readonly sessionId: string;
  readonly owner: string;
  readonly fence: number;
  readonly expiresAt: number;
  /** How many holders in a row, before this one, let their lease expire instead of releasing it: they died, or stood still. */
  readonly takeovers: number;
};

/** One fact of a session. `seq` counts from 1 without gaps; a stored entry never changes. */
export type JournalEntry = {
  readonly seq: number;
  /** Epoch ms, as the writer says. */
  readonly at: number;
  readonly type: string;
  readonly data: JsonObject;
};

/** What one append writes. */
export type Batch = {
  /** The session's `seq` before this append; 0 for a new one. */
  readonly expectedSeq: number;
  readonly fence: number;
  /** Numbered from `expectedSeq + 1`. Empty: the sequence stays, the rest of the batch is written all the same. */
  readonly entries: readonly JournalEntry[];
  /** Where the session now stands; replaces the former one and must stay small (≤ 300 bytes). Stores read
   *  `{ phase, waitsFor?, wakeAt?, meta? }` out of it, see {@link SessionInfo}; its other fields are the writer's. */
  readonly position: JsonObject;
  /** What a restore may begin from; replaces the former one. Without it the former one stays. */
  readonly checkpoint?: JsonObject;
  /** Inputs that this batch has taken in. Ids that are acknowledged already, or unknown, are no error. */
  readonly ackInputs?: readonly string[];
};

/** A session as lists show it, read out of the newest `position`:
 *  - `phase`: `position.phase`, `unfinished` if that is none of {@link SESSION_PHASES};
 *  - `waitsFor`: `position.waitsFor`, `[]` if absent;
 *  - `wakeAt`: `position.wakeAt`, epoch ms when something has to be done; absent if nothing has;
 *  - `meta`: the newest `position.meta` there ever was, so it may come with the first append only.
 *  A session whose journal cannot be read is listed as `quarantined`. */
export type SessionInfo = {
  readonly sessionId: string;
  readonly seq: number;
  readonly phase: SessionPhase;
  readonly waitsFor: readonly WaitsFor[];
  readonly wakeAt?: number;
  readonly meta: JsonObject;
  /** Epoch ms of the last append, on the clock of the store. */
  readonly updatedAt: number;
};

/** A message for a session that waits to be taken in. */
export type SessionInput = {
  readonly id: string;
  readonly data: JsonObject;
  /** Epoch ms before which it is not to be taken in; absent for one that is due at once. */
  readonly dueAt?: number;
};

/** Which sessions wait for somebody. */
export type DueFilter = {
  /** A `dueAt` or `wakeAt` not later than this is due; epoch ms. */
  readonly before: number;
  /** The `cursor` of the page before. */
  readonly cursor?: string;
  /** Default 100. */
  readonly limit?: number;
};

export type DuePage = { readonly sessionIds: readonly string[]; readonly cursor?: string };

/** Which sessions to list; all that is given must hold. */
export type SessionFilter = {
  /** The id begins so. */
  readonly prefix?: string;
  readonly phase?: SessionPhase;
  /** Every one of these keys is in the session's `meta`, with an equal value. */
  readonly meta?: JsonObject;
  /** `wakeAt` is there and not later than this. */
  readonly wakeBefore?: number;
  /** The `cursor` of the page before. */
  readonly cursor?: string;
  /** Default 100. */
  readonly limit?: number;
};

export type SessionPage = { readonly sessions: readonly SessionInfo[]; readonly cursor?: string };

/** What a restore begins with. */
export type LoadedSession = {
  readonly seq: number;
  readonly position: JsonObject;
  readonly checkpoint?: JsonObject;
};

/**
 * Where sessions are kept. Correctness lives here: any number of processes may use one storage at once.
 *
 * P1 A session has one writer: it must hold a lease, and an append is taken only with the newest fence of the session.
 * P2 An append is all or nothing. A refused one has changed nothing and is refused the same way when repeated.
 * P3 What an append or `putInput` was acknowledged for survives `kill -9`; what it needs to survive a power loss is an
 *    option of the store.
 * P4 A session exists from its first append until it is deleted. Leases and inputs may come before.
 * P5 An append costs as much as its batch and a `load` the same at any length of the journal.
 * P6 Ids are non-empty well-formed Unicode, otherwise free: two ids that differ in any character are two sessions.
 *    Anything else is refused with `config/invalid`.
 * P7 Values given and returned are JSON and never shared with the caller.
 *
 * Errors are AgentErrors. `session/lease-lost`, `session/conflict`: see {@link SessionStore.append}. `session/damaged`:
 * stored bytes are not what was written. `session/version`: the storage was made by a newer release. `store/failed`: the
 * storage failed, with the reason as `cause`; the outcome of an append is then unknown, so load and compare `seq`. Never does
 * an error hold a secret or a connection string.
 */
export interface SessionStore {
  /** A lease with a fence that was never issued before, or undefined while another owner's lease has not expired. The same
   *  owner always gets a new one. Issuing a fence takes the session from whoever held the former. */
  acquire(
    sessionId: string,
    options: { readonly owner: string; readonly ttlMs: number },
  ): Promise<Lease | undefined>;
  /** The same lease, to expire `ttlMs` from now; also after it expired, as long as nobody took it. Throws
   *  `session/lease-lost`. */
  renew(lease: Lease, ttlMs: number): Promise<Lease>;
  /** Gives the lease up: it may no longer append, and anybody may acquire at once. Never throws for a lease that is lost. */
  release(lease: Lease): Promise<void>;
  /**
   * Writes a batch and returns the new `seq`. Throws, in this order and having changed nothing:
   * - `session/lease-lost` if `fence` is not the newest one issued for this session, was released, or the session was deleted.
   *   That a lease has expired alone is no reason;
   * - `session/conflict` if `expectedSeq` is not the session's `seq`, or the entries are not numbered from it.
   */
  append(sessionId: string, batch: Batch): Promise<number>;
  /** The entries with a `seq` above `after`, in order; none for an unknown session. Entries appended while it reads may be
   *  missing. Throws `session/damaged` when it comes to something that is not what was written. */
  read(
    sessionId: string,
    options?: { readonly after?: number; readonly limit?: number },
  ): AsyncIterable<JournalEntry>;
  /** The newest position and checkpoint; undefined for a session that does not exist. */
  load(sessionId: string): Promise<LoadedSession | undefined>;
  /** Keeps an input until an append acknowledges it. Needs no lease. `duplicate` for an id that this session was ever given,
   *  acknowledged or not: then nothing is stored. */
  putInput(sessionId: string, input: SessionInput): Promise<"accepted" | "duplicate">;
  /** The first inputs that are not acknowledged: those without a `dueAt` in the order they came, then the others in the order
   *  of their `dueAt`, whether it has come or not. They stay until an append acknowledges them. */
  takeInputs(sessionId: string, limit: number): Promise<readonly SessionInput[]>;
  /** One page of sessions in the order of their ids (by code point), with a `cursor` if there may be more. */
  list(filter?: SessionFilter): Promise<SessionPage>;
  /** One page of the sessions that wait for somebody to go on with them, in the order of their ids: nobody holds a lease that
   *  has not expired, and an input is due, or the phase is `running` or `unfinished`, or a `wakeAt` has come. A session that
   *  has inputs only is one of them; one that is `quarantined` is not. Costs what it finds, not what is stored, if the storage
   *  has indexes. */
  listDue(filter: DueFilter): Promise<DuePage>;
  /** Removes everything of a session, its lease too; no lease is needed. False if there was no session and no input. Fences
   *  of a later session of this id are higher than those issued before. */
  delete(sessionId: string): Promise<boolean>;
  /** The session's `seq` now, if it exists, and whenever it changed; values in between may be left out. Ends without an error
   *  when the signal aborts, and never by a lost connection. */
  watch?(sessionId: string, options: { readonly signal: AbortSignal }): AsyncIterable<number>;
  /** Frees connections and files. Later calls reject `store/failed`. */
  close(): Promise<void>;
}

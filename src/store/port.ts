// src/store defines the port of session stores, and implements it in memory, files, SQLite and Postgres.
import type { SessionPhase } from "../core/base/phase.ts";
import type { JsonObject } from "../core/base/json.ts";
import type { Reason, Usage } from "../core/message/types.ts";
import type { WaitsFor } from "../core/tool/pending.ts";

export { SESSION_PHASES, type SessionPhase } from "../core/base/phase.ts";

/** The right to advance one session. */
export type Lease = {
  readonly sessionId: string;
  /** The name under which it was acquired. */
  readonly owner: string;
  /** Rises with every lease of the session; only the newest fence may append. */
  readonly fence: number;
  /** Epoch ms on the clock of the store. A holder renews well before instead of comparing it with its own clock. */
  readonly expiresAt: number;
  /** The number of holders in a row, directly before this one, that let their lease expire instead of releasing it. Their processes died or
   *  stalled. */
  readonly takeovers: number;
  /** The last of them; absent if there is none, and if it has the same owner. */
  readonly takenFrom?: FormerHolder | undefined;
  /** The session that its holder got with it, if it was asked for and the store reads it in the same operation. */
  readonly found?: AcquiredSession | undefined;
};

/** The data of a session at the instant at which its lease was given. */
export type AcquiredSession = {
  /** As {@link SessionStore.load} returns it. */
  readonly session?: LoadedSession | undefined;
  /** The first of its inputs, as {@link SessionStore.takeInputs} returns them. */
  readonly inputs: readonly SessionInput[];
  /** Somebody watches it, and says so again until it is watched no longer. */
  readonly isWatched: boolean;
};

/** The data of a session by which somebody decides whether to acquire it. */
export type PeekedSession = {
  /** The position of the newest append; absent for a session that does not exist. */
  readonly position?: JsonObject | undefined;
  /** The first of its inputs, as {@link SessionStore.takeInputs} returns them. */
  readonly inputs: readonly SessionInput[];
};

/** A holder that has not released its lease. */
export type FormerHolder = {
  /** The name under which it was acquired. */
  readonly owner: string;
  /** Epoch ms at which its lease expired, or would have if the store had not known that its process is dead. */
  readonly expiresAt: number;
};

/** Who holds the lease of a session. */
export type LeaseHolder = {
  /** The name under which it was acquired. */
  readonly owner: string;
  /** For how many ms it still lasts unless it is renewed or released. */
  readonly leftMs: number;
};

/** One fact of a session. A stored entry never changes. */
export type JournalEntry = {
  /** Counts from 1 without gaps. */
  readonly seq: number;
  /** Epoch ms on the clock of the writer. */
  readonly at: number;
  readonly type: string;
  readonly data: JsonObject;
};

/** The data that one append writes. */
export type Batch = {
  /** The session's `seq` before this append; 0 for a new session. */
  readonly expectedSeq: number;
  /** The fence of the writer's lease. */
  readonly fence: number;
  /** Numbered from `expectedSeq + 1`. If empty, `seq` stays and the rest of the batch is written. */
  readonly entries: readonly JournalEntry[];
  /** The state of the session after the append; replaces the former position and must stay small (≤ 300 bytes). Stores read
   *  `{ phase, reason?, waitsFor?, wakeAt?, meta? }` out of it, see {@link SessionInfo}; its other fields belong to the writer. */
  readonly position: JsonObject;
  /** The state that a restore may start from; replaces the former checkpoint, which stays if this is absent. */
  readonly checkpoint?: JsonObject | undefined;
  /** Ids of the inputs that this batch acknowledges. Unknown ids and those acknowledged before are ignored. */
  readonly ackInputs?: readonly string[] | undefined;
  /** Asks the store to end the lease in the same operation, unless an input is due that the batch does not acknowledge. A store that can is
   *  to call it before `append` resolves, with whether it has. It is not called if the append rejects, nor by a store that cannot: its
   *  caller releases the lease. */
  readonly onRelease?: ((isReleased: boolean) => void) | undefined;
};

/** A session as lists show it, read out of its newest `position`. A session whose journal cannot be read is listed as
 *  `quarantined`. */
export type SessionInfo = {
  readonly sessionId: string;
  /** The number of its newest journal entry. */
  readonly seq: number;
  /** `position.phase`; `unfinished` if that is not one of {@link SESSION_PHASES}. */
  readonly phase: SessionPhase;
  /** `position.reason`: why the newest turn ended or rests; absent before the first end, and if it is not one of `REASONS`. */
  readonly reason?: Reason | undefined;
  /** `position.waitsFor`; `[]` if absent. */
  readonly waitsFor: readonly WaitsFor[];
  /** `position.wakeAt`: epoch ms at which the session must be resumed; absent if it need not be. */
  readonly wakeAt?: number | undefined;
  /** `position.agent`: the name of the agent that wrote it last; absent in sessions of 0.1.0. */
  readonly agent?: string | undefined;
  /** `position.title`: the first words of the first user message, at most 80 characters; absent in sessions of 0.1.0. */
  readonly title?: string | undefined;
  /** `position.error`: why the newest turn failed; absent if it did not fail. The message is at most 500 characters. */
  readonly error?: { readonly code: string; readonly message: string } | undefined;
  /** The newest `position.meta` of all appends, so that a writer may send it with the first append only; `{}` if none. */
  readonly meta: JsonObject;
  /** Epoch ms of the last append, on the clock of the store. */
  readonly updatedAt: number;
};

/** A message in the inbox of a session. */
export type SessionInput = {
  /** Unique in the session. */
  readonly id: string;
  readonly data: JsonObject;
  /** Epoch ms before which the input must not be processed; absent: it is due at once. */
  readonly dueAt?: number | undefined;
};

/** A statement that wakes a worker for a session, for a store in the same database. */
export type WakeStatement = {
  /** The connection string of the database. */
  readonly database: string;
  readonly sql: string;
  /** The values of its parameters, which it names `$1`, `$2` …. */
  readonly values: readonly unknown[];
};

/** Options of {@link SessionStore.offerInput}. */
export type OfferOptions = {
  /** True: only to a session that exists, or has inputs that are not acknowledged. */
  readonly isKnown: boolean;
  /** It is run with what is stored, if the database is that of the store. */
  readonly wake?: WakeStatement | undefined;
};

/** The data of an input that was offered. */
export type OfferedInput = {
  /** As {@link SessionStore.putInput} returns it. */
  readonly state: "accepted" | "duplicate";
  /** The phase of the session; absent for one that does not exist. */
  readonly phase?: SessionPhase | undefined;
  /** A worker was woken. */
  readonly isWoken: boolean;
};

/** Options of {@link SessionStore.listDue}. */
export type DueFilter = {
  /** Epoch ms. An input is due if its `dueAt` is not later, a session if its `wakeAt` is not later. */
  readonly before: number;
  /** The `cursor` of the previous page. */
  readonly cursor?: string | undefined;
  /** Sessions per page; default 100. */
  readonly limit?: number | undefined;
};

/** A page of {@link SessionStore.listDue}; `cursor` is absent on the last page. */
export type DuePage = { readonly sessionIds: readonly string[]; readonly cursor?: string | undefined };

/** Options of {@link SessionStore.list}. A session is listed if all conditions hold. */
export type SessionFilter = {
  /** The id begins with this string. */
  readonly prefix?: string | undefined;
  readonly phase?: SessionPhase | undefined;
  /** The session's `meta` has each of these keys with an equal value. */
  readonly meta?: JsonObject | undefined;
  /** Epoch ms. The session has a `wakeAt`, which is not later. */
  readonly wakeBefore?: number | undefined;
  /** The `cursor` of the previous page. */
  readonly cursor?: string | undefined;
  /** Sessions per page; default 100. */
  readonly limit?: number | undefined;
};

/** A page of {@link SessionStore.list}; `cursor` is absent on the last page. */
export type SessionPage = { readonly sessions: readonly SessionInfo[]; readonly cursor?: string | undefined };

/** Options of {@link SessionStore.search}. A session is found if all conditions hold. */
export type SessionSearch = {
  /** Words in any order. Each must begin a word of the session: of its id, its agent, its title, its messages, or the names, arguments
   *  and results of its calls. Case and accents do not count. Of Chinese, Japanese and other text without spaces each two neighbours
   *  must stand next to each other. Of one text the first 65,536 characters are searched, and no values of keys that are named like
   *  secrets. */
  readonly text?: string | undefined;
  /** The id begins with this string. */
  readonly prefix?: string | undefined;
  /** The id is not one of these; at most 10,000. */
  readonly except?: readonly string[] | undefined;
  /** The agent's name. */
  readonly agent?: string | undefined;
  /** The phase is one of these. */
  readonly phases?: readonly SessionPhase[] | undefined;
  /** {@link SessionInfo.reason} is one of these. */
  readonly reasons?: readonly Reason[] | undefined;
  /** True: {@link SessionInfo.waitsFor} names something; false: it does not. */
  readonly isWaiting?: boolean | undefined;
  /** The model has asked for a tool of this name. */
  readonly tool?: string | undefined;
  /** The session's `meta` has each of these keys with an equal value. */
  readonly meta?: JsonObject | undefined;
  /** Epoch ms. The last append was not earlier. */
  readonly since?: number | undefined;
  /** Epoch ms. The last append was earlier. */
  readonly until?: number | undefined;
  /** The known cost is at least this. */
  readonly minCost?: number | undefined;
  /** The known cost is at most this. */
  readonly maxCost?: number | undefined;
  /** The `cursor` of the previous page. */
  readonly cursor?: string | undefined;
  /** Sessions per page; default 100. */
  readonly limit?: number | undefined;
  /** The time to wait for sessions that are not in the index yet, ms; default: as long as it takes. Their number is then {@link
   *  SearchPage.unindexed}, and the work goes on. */
  readonly waitMs?: number | undefined;
  /** Called while sessions are added to the index, with how many of how many were. */
  readonly onProgress?: ((indexed: number, total: number) => void) | undefined;
};

/** A session that a search found. */
export type FoundSession = SessionInfo & {
  /** Epoch ms of the first entry, on the clock of its writer. */
  readonly startedAt?: number | undefined;
  /** The usage of all messages. */
  readonly usage: Usage;
  /** The names of the tools that the model has asked for. */
  readonly tools: readonly string[];
};

/** A page of {@link SessionStore.search}; `cursor` is absent on the last page. */
export type SearchPage = {
  readonly sessions: readonly FoundSession[];
  /** The number of sessions that all pages have together. */
  readonly total: number;
  readonly cursor?: string | undefined;
  /** The number of sessions that were not in the index when `waitMs` was over; absent if all were. */
  readonly unindexed?: number | undefined;
};

/** Options of {@link SessionStore.prune}. */
export type PruneOptions = {
  /** Only sessions whose last append was longer ago than this, ms. */
  readonly olderThan: number;
  /** Only ids that begin with this string; default: all. */
  readonly prefix?: string | undefined;
  /** Only sessions whose `meta` has each of these keys with an equal value; default: all. */
  readonly meta?: JsonObject | undefined;
  /** True finds the sessions, calls `onSession`, and changes nothing; default false. */
  readonly dryRun?: boolean | undefined;
  /** Stores what `importSession` restores: the lines of `exportSession`, secrets included. The session is deleted once this has
   *  resolved, and stays if it rejects. Default: nothing is archived. */
  readonly archive?: ((session: SessionInfo, lines: AsyncIterable<string>) => Promise<void>) | undefined;
  /** Called with each session once it is deleted, and with `dryRun` for each that would be. */
  readonly onSession?: ((session: SessionInfo) => void) | undefined;
  /** Once aborted, no further session is deleted. */
  readonly signal?: AbortSignal | undefined;
};

/** The result of {@link SessionStore.prune}. */
export type PruneReport = {
  /** The number of sessions that were deleted, or would be with `dryRun`. */
  readonly pruned: number;
  /** The number of old sessions that stay: another process holds them, an input waits, or they are damaged. */
  readonly kept: number;
};

/** The data of a session that {@link SessionStore.load} returns. */
export type LoadedSession = {
  /** The number of the newest journal entry. */
  readonly seq: number;
  /** The `position` of the newest append. */
  readonly position: JsonObject;
  /** The newest checkpoint; absent if no append had one. */
  readonly checkpoint?: JsonObject | undefined;
};

/**
 * A storage of sessions. It guarantees correctness on its own: any number of processes may use it at once.
 *
 * P1 A session has one writer: an append needs a lease and is accepted only with the newest fence of the session.
 * P2 An append is all or nothing. A refused append has changed nothing and is refused in the same way when repeated.
 * P3 What `append` or `putInput` has acknowledged survives `kill -9`; whether it survives a power loss is an option of the
 *    store.
 * P4 A session exists from its first append until it is deleted. Leases and inputs may exist before.
 * P5 An append costs as much as its batch, and a `load` the same at any length of the journal.
 * P6 Ids are non-empty strings of well-formed Unicode: two ids that differ in any character are two sessions. Any other id
 *    is refused with `config/invalid`.
 * P7 Values passed in and out are JSON and are never shared with the caller.
 * P8 What is returned of a session is what was written. Damaged storage gives `session/damaged`, also where the end of a journal is
 *    missing; a storage that was put back as a whole to a former state is not noticed.
 *
 * Errors are AgentErrors. `session/lease-lost`, `session/conflict`: see {@link SessionStore.append}. `session/damaged`:
 * stored bytes are not what was written. `session/version`: a newer release made the storage. `store/failed`: the storage
 * failed, with the reason as `cause`; whether an append was written is then unknown, so load and compare `seq`. No error
 * holds a secret or a connection string.
 */
export interface SessionStore {
  /** The time for which its users wait for an operation, ms; default 10,000. Then they go on as after a retryable `store/failed`. */
  readonly timeoutMs?: number | undefined;
  /** True for a store that can look whether a session is ready in the operation that gives its lease. */
  readonly acquiresIfReady?: boolean | undefined;
  /** Returns a lease with a fence that was never issued before, or undefined while another owner's lease has not expired.
   *  The same owner always gets a new lease. The former lease of the session, if any, is lost. `ttlMs`: the lease expires
   *  after so many ms unless it is renewed. A store may treat a lease as expired once it knows that its process is dead: the stores of
   *  this package do, on Linux, for agents of a process on the same machine and in the same namespace of processes. `inputs`: the lease
   *  has, as {@link Lease.found}, the session and at most so many of its inputs, if the store can read both in the operation that gives the
   *  lease. A store may leave them out; its caller reads them then. `ifReady`: only if an input is due or a turn is unfinished, and nothing
   *  has to be waited for: nobody has the session, no call of it is open, and it has no parent in its `meta`. It is for stores that
   *  {@link acquiresIfReady}. `skips`: so many fences are left out before that of the lease; a store may ignore it. */
  acquire(
    sessionId: string,
    options: {
      readonly owner: string;
      readonly ttlMs: number;
      readonly inputs?: number | undefined;
      readonly ifReady?: boolean | undefined;
      readonly skips?: number | undefined;
    },
  ): Promise<Lease | undefined>;
  /** Returns the same lease, to expire `ttlMs` ms from now. An expired lease can be renewed until another owner acquires
   *  one. Rejects `session/lease-lost` after that. */
  renew(lease: Lease, ttlMs: number): Promise<Lease>;
  /** Renews several leases in one operation. Returns one for each, in their order; undefined for one that {@link renew} would reject.
   *  A process that holds many sessions calls it, if it is there, instead of `renew`. */
  renewAll?(leases: readonly Lease[], ttlMs: number): Promise<readonly (Lease | undefined)[]>;
  /** Ends the lease: it may no longer append, and any owner can acquire one at once. Does nothing if the lease is lost. A store
   *  that needs no network has done it when a call in the event `exit` of the process returns. */
  release(lease: Lease): Promise<void>;
  /** Returns who holds the lease; undefined while no process does. Only for messages: the next moment may change it. */
  holder?(sessionId: string): Promise<LeaseHolder | undefined>;
  /**
   * Writes a batch and returns the new `seq`. Rejects, in this order and having changed nothing:
   * - `session/lease-lost` if `fence` is not the newest one issued for this session, or its lease was released, or the session
   *   was deleted. A lease that has expired may append until another owner acquires one;
   * - `session/conflict` if `expectedSeq` is not the session's `seq`, or the entries are not numbered from it.
   */
  append(sessionId: string, batch: Batch): Promise<number>;
  /** Yields the entries with a `seq` above `after` (default 0) in order, at most `limit` of them (default all); none for an
   *  unknown session. Entries appended in the meantime may be missing. Throws `session/damaged` when it reaches an entry
   *  that is not what was written, and `session/not-found` if the session is deleted meanwhile and the rest of it cannot be read. */
  read(
    sessionId: string,
    options?: { readonly after?: number | undefined; readonly limit?: number | undefined },
  ): AsyncIterable<JournalEntry>;
  /** Returns the newest position and checkpoint; undefined for a session that does not exist. */
  load(sessionId: string): Promise<LoadedSession | undefined>;
  /** Adds an input to the session's inbox; needs no lease. Returns `duplicate`, and stores nothing, if the session was ever
   *  given an input with this id, acknowledged or not. */
  putInput(sessionId: string, input: SessionInput): Promise<"accepted" | "duplicate">;
  /** Adds an input as {@link putInput} does, and wakes a worker, in one operation. Resolves to undefined, and changes nothing, for a session
   *  with a `parent` in its `meta`, and for one that is not known and has to be. Without it, and then, callers use `peek` and `putInput`. */
  offerInput?(
    sessionId: string,
    input: SessionInput,
    options: OfferOptions,
  ): Promise<OfferedInput | undefined>;
  /** Returns the first `limit` inputs that are not acknowledged. Those without a `dueAt` come in the order they came, then the others in
   *  the order of their `dueAt`, due or not. They stay in the inbox until an append acknowledges them. */
  takeInputs(sessionId: string, limit: number): Promise<readonly SessionInput[]>;
  /** Returns the position, and the first `limit` inputs that are not acknowledged, in one operation. It need not notice damage that
   *  {@link load} notices. Without it, callers use `load` and `takeInputs`. */
  peek?(sessionId: string, limit: number): Promise<PeekedSession>;
  /** Returns ids of inputs that appends have acknowledged, at most `limit` of those after the id `after`, in an order that stays. A session
   *  is moved to another store with them. */
  takenInputs?(
    sessionId: string,
    options: { readonly after: string; readonly limit: number },
  ): Promise<readonly string[]>;
  /** Returns one page of sessions in the order of their ids (by code point). Without a `prefix` that begins with `agentchart/`, those whose ids
   *  begin so are left out, here and by {@link search}: the package keeps there what is not a session, such as schedules. */
  list(filter?: SessionFilter): Promise<SessionPage>;
  /** Returns one page of the sessions that match, the last changed first. What was appended before the call is found: sessions that
   *  have changed since the last search are added to the index of the storage first, each once and from its newest indexed entry on, so
   *  that appends cost nothing more. What is deleted is not found, and leaves the index with the session. */
  search?(query?: SessionSearch): Promise<SearchPage>;
  /** Returns one page, in the order of their ids, of the sessions that a worker should resume. No owner holds an unexpired lease of them,
   *  and an input is due, or the phase is `running` or `unfinished`, or `wakeAt` has come. A session that has only inputs is included, a
   *  `quarantined` one is not. With indexes the cost is that of the result, not of the storage. */
  listDue(filter: DueFilter): Promise<DuePage>;
  /** Removes everything of a session, its lease included; needs no lease. Returns false if there was neither a session nor
   *  an input. A later session of this id gets higher fences. `keepsInputs`: inputs that are not acknowledged stay, as those of a
   *  new session. */
  delete(sessionId: string, options?: { readonly keepsInputs?: boolean | undefined }): Promise<boolean>;
  /** Deletes the sessions that have been stopped for long, each after its archive is written, if one is asked for. A session that
   *  another process holds, one with a waiting input and a damaged one stay. Rejects with the first error of the store or of
   *  `archive`; the session that it is about stays. */
  prune(options: PruneOptions): Promise<PruneReport>;
  /** Yields the session's current `seq`, if the session exists, and then each new `seq`; values in between may be skipped.
   *  Ends without an error when the signal aborts; a lost connection does not end it. */
  watch?(sessionId: string, options: { readonly signal: AbortSignal }): AsyncIterable<number>;
  /** Closes connections and files. Later calls reject `store/failed`. */
  close(): Promise<void>;
}

import { AgentError, messageOf } from "../base/error.ts";
import type { Json, JsonObject } from "../base/json.ts";
import type { Msg, TakeOver } from "../message/types.ts";
import { LEASE_MS, sessionLocked } from "../store/lease.ts";
import { newOwner, processOf } from "../store/lease-owner.ts";
import type { Lease, SessionStore } from "../store/port.ts";
import type { AgentContext } from "../../machines/agent/context.ts";
import type { Settings } from "../../machines/agent/settings.ts";
import type { SessionEvent } from "../../machines/session/session.machine.ts";
import type { ChartStepRecord } from "./entries.ts";
import type { Fact } from "./entry.ts";
import { checkSameInput, inputHash } from "./input-outcome.ts";
import { Journal, type JournalOwner } from "./journal.ts";
import type { ModelCall } from "../../machines/agent/model-call.ts";
import { keepLease, type KeptLease, type LeaseKeeper } from "./lease-keeper.ts";
import type { KeptBefore, KeptSessions } from "./kept-sessions.ts";
import { loadTurn, restoreSession, type RestoredSession } from "./restore.ts";

/** What has become of a lease. */
export type LeaseEvent = Extract<SessionEvent, { readonly type: `lease.${string}` }>;

/** The session that is stored, as its journal and its lease need it. */
export interface DurableOwner extends JournalOwner {
  /** `sessionId` names the session. */
  readonly settings: Settings;
  /** True if somebody looks at contexts, such as an inspector: then the session is opened with all its messages. */
  readonly isSeen?: boolean;
  /** Called when the lease was renewed, was not renewed, or is lost; also lost: another process has appended. */
  leaseChanged(event: LeaseEvent): void;
}

/** Options of a {@link DurableSession}. */
export type DurableOptions = {
  readonly store: SessionStore;
  readonly session: DurableOwner;
  /** How long the lease lasts without being renewed, ms; default {@link LEASE_MS}. */
  readonly leaseMs?: number;
  /** Applied to everything before it is written. */
  readonly redact?: (value: Json) => Json;
  /** What this process keeps of sessions that it has released. Default: nothing. */
  readonly kept?: KeptSessions;
  /** Called with the lease before anything is read. If it rejects, the lease is released and `open` rejects. */
  readonly admit?: (lease: Lease) => Promise<void>;
};

function takeOverOf(
  { owner, takenFrom, takeovers }: Lease,
  { progress }: AgentContext,
): TakeOver | undefined {
  if (!takenFrom) return undefined;
  const from = processOf(takenFrom.owner);
  const isUnfinished = progress.resumeAt !== null;
  return { from, until: takenFrom.expiresAt, by: processOf(owner), takeovers, isUnfinished };
}

/** The stored session of an agent: its lease, its restore and its journal. */
export class DurableSession implements KeptLease {
  readonly #options: DurableOptions;
  readonly #owner: string;
  #journal: Journal | undefined;
  /** What was kept of the session when it was opened. */
  #keptBefore: KeptBefore | undefined;
  #modelCalls = 0;
  #keeper: LeaseKeeper | undefined;
  #leaseUntil = 0;
  #takeOver: TakeOver | undefined;

  constructor(options: DurableOptions) {
    this.#options = options;
    this.#owner = newOwner(options.session.settings.agent);
  }

  get #leaseMs(): number {
    return this.#options.leaseMs ?? LEASE_MS;
  }

  /** Acquires the lease and restores the session; undefined for a new one. Rejects `session/conflict` while another process
   *  holds the lease. */
  async open(): Promise<RestoredSession | undefined> {
    const { store, session, redact } = this.#options;
    const { settings } = session;
    const { sessionId } = settings;
    const now = () => session.now();
    this.#leaseUntil = now() + this.#leaseMs;
    const lease = await store.acquire(sessionId, { owner: this.#owner, ttlMs: this.#leaseMs });
    if (!lease) throw await sessionLocked(store, sessionId, { leaseMs: this.#leaseMs, now });
    try {
      await this.#options.admit?.(lease);
      const kept = this.#options.kept?.take(lease);
      const stored = await restoreSession(store, sessionId, settings, kept);
      this.#modelCalls = stored?.modelCalls ?? 0;
      this.#takeOver = stored && takeOverOf(lease, stored.context);
      if (kept) {
        const { size, transcript } = kept;
        this.#keptBefore = { from: transcript.from, length: transcript.length, size };
      }
      if (stored) await this.#loadMessages(stored.context);
      this.#journal = new Journal({ store, owner: session, redact }, lease, {
        seq: stored?.seq ?? 0,
        ...(stored && { format: stored.format }),
        groups: stored?.activeGroups,
        marks: stored?.marks,
        known: stored?.known,
        modelCalls: stored?.modelCalls,
      });
      this.#keeper = keepLease(store, this.#leaseMs, this);
      return stored;
    } catch (error) {
      await store.release(lease);
      throw error;
    }
  }

  /** Reads what somebody looks at without waiting: all messages, or those of a turn that may go on by itself. */
  async #loadMessages(context: AgentContext): Promise<void> {
    if (this.#options.session.isSeen) await context.transcript.load();
    else if (this.#options.admit || context.progress.resumeAt !== null || context.calls.length > 0)
      await loadTurn(context); // a worker opens a session for a turn
  }

  get seq(): number {
    return this.#journal?.seq ?? 0;
  }

  /** See {@link Journal.recordedSeq}. */
  get recordedSeq(): number {
    return this.#journal?.recordedSeq ?? 0;
  }

  /** See {@link Journal.written}. */
  written(seq: number): Promise<void> | undefined {
    return this.#journal?.written(seq);
  }

  get lease(): Lease | undefined {
    return this.#journal?.lease;
  }

  /** Epoch ms until which the lease holds for sure, on the clock of this process: counted from when it was asked for. */
  get leaseUntil(): number {
    return this.#leaseUntil;
  }

  /** How the session was taken over; undefined if its former holder had released it, and if it is new. */
  get takeOver(): TakeOver | undefined {
    return this.#takeOver;
  }

  /** Records facts; {@link flush} writes them. */
  record(facts: readonly Fact[]): void {
    this.#journal?.record(facts);
  }

  /** Records a step of the chart; written with the position of the next {@link flush}. */
  recordStep(step: ChartStepRecord): void {
    this.#journal?.recordStep(step);
  }

  /** Records a model call; written with the position of the next {@link flush}. */
  recordCall(call: ModelCall): void {
    this.#modelCalls = call.number;
    this.#journal?.recordCall(call);
  }

  /** Puts an input into the session's inbox, to be acknowledged by the append that stores its messages. Returns the messages
   *  to process: these, or those that came with the same key before and are not stored yet; undefined if those are stored.
   *  Rejects `run/key-reused` if other messages came with the key. */
  async claim(key: string, messages: readonly Msg[]): Promise<readonly Msg[] | undefined> {
    const { store, session } = this.#options;
    const { settings } = session;
    const data = JSON.parse(JSON.stringify({ messages })) as JsonObject;
    const state = await store.putInput(settings.sessionId, { id: key, data });
    if (state === "accepted") return messages;
    const waiting = await store.takeInputs(settings.sessionId, Number.MAX_SAFE_INTEGER);
    const known = waiting.find(({ id }) => id === key)?.data["messages"] as readonly Msg[] | undefined;
    if (known) checkSameInput(key, inputHash(known), inputHash(messages));
    return known;
  }

  /** Acknowledges the input with this key in the next append. */
  acknowledge(key: string, hash?: string): void {
    this.#journal?.acknowledge(key, hash);
  }

  /** Resolves when everything recorded is durable. A lease that expired in the meantime is renewed before. */
  async flush(): Promise<void> {
    if (!this.#journal) return;
    try {
      await this.#journal.flush();
    } catch (error) {
      this.#handleLoss(error);
      throw error;
    }
    if (this.#journal.lease.expiresAt > this.#options.session.now()) return;
    await this.renewedBy(this.#options.store.renew(this.#journal.lease, this.#leaseMs));
  }

  /** Writes what was recorded and releases the lease. */
  async close(): Promise<void> {
    this.#stopRenewing();
    const journal = this.#journal;
    if (!journal) return;
    try {
      await journal.flush();
      this.#keep(journal);
    } finally {
      await this.#options.store.release(journal.lease).catch(() => {});
    }
  }

  /** Keeps what was written, for the next agent of this process. What a store has of a session with secrets is something else. */
  #keep({ lease, seq, marks, known }: Journal): void {
    const { kept, redact, session } = this.#options;
    const { context, isAtRest } = session.journalState();
    if (!kept || redact || !isAtRest) return;
    const transcript = context.transcript.copy();
    kept.put(lease, { seq, transcript, marks, known, modelCalls: this.#modelCalls }, this.#keptBefore);
  }

  /** Releases the lease of a session that was opened in vain. Nothing is written. */
  discard(): void {
    this.#stopRenewing();
    const lease = this.#journal?.lease;
    this.#journal = undefined;
    if (lease) this.#options.store.release(lease).catch(() => {});
  }

  /** Stops renewing the lease, as if the process had died. */
  abandon(): void {
    this.#stopRenewing();
  }

  #stopRenewing(): void {
    this.#keeper?.remove(this);
    this.#keeper = undefined;
  }

  /** Settles with a renewal that has begun. */
  async renewedBy(renewal: Promise<Lease>): Promise<void> {
    const { session } = this.#options;
    const until = session.now() + this.#leaseMs;
    try {
      await this.#journal?.renewedBy(renewal);
      this.#leaseUntil = until;
      session.leaseChanged({ type: "lease.renewed", until });
    } catch (error) {
      if (this.#handleLoss(error)) return;
      session.leaseChanged({ type: "lease.unrenewed", at: session.now(), error: this.#late(error) });
    }
  }

  #late(cause: unknown): AgentError {
    const { sessionId } = this.#options.session.settings;
    const message = `The lease of session '${sessionId}' was not renewed in time: ${messageOf(cause)}`;
    return new AgentError("session/lease-lost", message, { cause, data: { sessionId } });
  }

  /** Returns true for an error which says that another process has the session. */
  #handleLoss(error: unknown): boolean {
    if (!AgentError.is(error)) return false;
    if (error.code !== "session/conflict" && error.code !== "session/lease-lost") return false;
    this.abandon();
    this.#options.session.leaseChanged({ type: "lease.lost", error });
    return true;
  }
}

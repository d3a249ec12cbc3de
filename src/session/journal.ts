import { AgentError, agentErrorOf, messageOf, type ErrorInfo } from "../core/base/error.ts";
import { unref } from "../core/base/time.ts";
import type { Json } from "../core/base/json.ts";
import type { TakeOver } from "../core/message/types.ts";
import { isLoss, LEASE_MS } from "../store/lease.ts";
import { newOwner, keepLease, type KeptLease, type LeaseKeeper } from "../store/leases.ts";
import type { Lease, SessionStore } from "../store/port.ts";
import { EMPTY_INBOX, type Inbox } from "../../machines/agent/context.ts";
import type { StepFacts } from "../../machines/agent/facts.ts";
import type { ModelCall } from "../../machines/agent/model-call.ts";
import type { Settings } from "../../machines/agent/settings.ts";
import type { SessionEvent } from "../../machines/session/session.machine.ts";
import {
  batchOf,
  BEGINNING,
  groupsOf,
  joined,
  NOTHING,
  recordOf,
  type Appended,
  type Recorded,
} from "./batch.ts";
import { entriesOf, needsFlush, onlyBegins, type ChartStepRecord } from "./entries.ts";
import type { Fact } from "./entry.ts";
import { JOURNAL_FORMAT, type JournalState } from "./format.ts";
import type { CachedBefore, SessionCache } from "./cached-sessions.ts";
import { ModelCallWriter } from "./model-calls.ts";
import { acquireSession, type RestoredSession, type AcquiredLease } from "./restore.ts";

/** The number of appends after which a session that does not come to rest gets a checkpoint. */
const CHECKPOINT_EVERY = 64;

/** The time for which the beginning of a turn may be written together with what follows it, ms. */
const BEGINNING_MS = 50;

/** The steps that wait for an append beyond which refused commands are not recorded: they may be any number, and append nothing. */
const MAX_REFUSED = 1_000;

/** The change of a lease. */
export type LeaseEvent = Extract<SessionEvent, { readonly type: `lease.${string}` }>;

/** The session that is stored, as its journal and its lease need it. */
export interface JournaledSession {
  /** `sessionId` names the session. */
  readonly settings: Settings;
  /** True if somebody looks at contexts, such as an inspector: then the session is opened with all its messages. */
  readonly isSeen?: boolean;
  /** Its hooks, of which some may write to it while it rests. */
  readonly host?: { hooks(): readonly { readonly onRest?: unknown }[] };
  /** The clock of entries, epoch ms. */
  now(): number;
  /** Called when a batch is written. */
  journalState(): JournalState;
  /** Called after each append. */
  committed(): void;
  /** Called when the lease was renewed, was not renewed, or is lost; also lost: another process has appended. */
  leaseChanged(event: LeaseEvent): void;
}

/** Options of a {@link Journal}. */
export type JournalOptions = {
  /** Absent: nothing is written, and everything counts as saved. */
  readonly store?: SessionStore | undefined;
  readonly session: JournaledSession;
  /** The duration of the lease without being renewed, ms; default {@link LEASE_MS}. */
  readonly leaseMs?: number | undefined;
  /** Applied to everything before it is written. */
  readonly redact?: ((value: Json) => Json) | undefined;
  /** The parts of released sessions that this process retains. Default: nothing. */
  readonly cache?: SessionCache | undefined;
  /** Returns a lease that was acquired for this journal, once; default: it acquires one. */
  readonly acquired?: (() => AcquiredLease | undefined) | undefined;
  /** Called with the lease before anything is read; if it rejects, the lease is released, and `open` rejects. */
  readonly admit?: ((lease: Lease) => Promise<void>) | undefined;
  /** True if the session is left once it rests as it does now. Default: somebody releases it. */
  readonly isLeft?: (() => boolean) | undefined;
};

/**
 * The journal of a session as its agent writes it, under the lease that the agent holds. It opens the session and holds it until its
 * release. Without a store nothing is written, and everything counts as saved.
 *
 * W1 Facts are written in order, each once. There is one append at a time, which writes all facts recorded before it.
 * W2 `saved` resolves when everything recorded before it is durable, and rejects with the error that prevented it.
 * W3 A refused append (`session/conflict`, `session/lease-lost`) is final: nothing is written after it.
 */
export class Journal implements KeptLease {
  /** The take-over of the session; undefined if its former holder had released it, and if it is new. */
  takeOver: TakeOver | undefined;
  readonly #options: JournalOptions;
  readonly #leaseMs: number;
  /** Made with the first lease: most sessions of a program have no store. */
  #owner: string | undefined;
  #lease: Lease | undefined;
  #keeper: LeaseKeeper | undefined;
  #leaseUntil = 0;
  /** The data of the session that were retained when it was opened. */
  #cachedBefore: CachedBefore | undefined;
  #calls: ModelCallWriter | undefined;
  #next: Recorded | undefined;
  /** The inbox in the newest facts; undefined if they have none yet. */
  #inbox: Inbox | undefined;
  /** The data that the store has. */
  #stored: Appended = NOTHING;
  /** The sequence number after the append that is under way, else {@link Journal.seq}. */
  #seqAfterWrite = 0;
  #writing: Promise<void> | undefined;
  /** The write that was put off. */
  #later: NodeJS.Timeout | undefined;
  #sinceCheckpoint = 0;
  #final: AgentError | undefined;
  /** True if the append that brings the session to rest is to end the lease. */
  #isLast = false;
  #isReleased: boolean | undefined;

  constructor(options: JournalOptions) {
    this.#options = options;
    this.#leaseMs = options.leaseMs ?? LEASE_MS;
  }

  /** Acquires the lease and restores the session; undefined for a new one. Rejects `session/conflict` while another process
   *  holds the lease. */
  async open(): Promise<RestoredSession | undefined> {
    const { store, session } = this.#options;
    if (!store) return undefined;
    const given = this.#options.acquired?.();
    this.#leaseUntil = session.now() + this.#leaseMs - (given?.ageMs ?? 0);
    this.#owner ??= newOwner(session.settings.agent);
    const options = { ...this.#options, leaseMs: this.#leaseMs, owner: this.#owner, acquired: given?.lease };
    const { lease, stored, cached, takeOver } = await acquireSession(store, session, options);
    this.takeOver = takeOver;
    this.#cachedBefore = cached;
    this.#lease = lease;
    this.#stored = stored ? { seq: stored.seq, marks: stored.marks, groups: groupsOf(stored) } : NOTHING;
    this.#seqAfterWrite = this.seq;
    this.#inbox = stored ? undefined : EMPTY_INBOX;
    this.#calls = new ModelCallWriter(stored?.known, stored?.modelCalls);
    if (stored?.format !== JOURNAL_FORMAT) this.#recorded.facts.push(BEGINNING);
    this.#keeper = keepLease(store, this.#leaseMs, this);
    return stored;
  }

  // True for a new session that its opening must make. One that a worker opens is made by the append that takes its input.
  get isAlone(): boolean {
    const { store, admit } = this.#options;
    return !!store && !admit && !this.seq;
  }

  /** Epoch ms until which the lease holds for sure, on the clock of this process: counted from when it was asked for. */
  get leaseUntil(): number {
    return this.#leaseUntil;
  }

  /** True if the append that brought the session to rest has ended the lease. It is false if an input has come that it did not take, and
   *  undefined if it was not asked to end the lease, or the store cannot. */
  get isReleased(): boolean | undefined {
    return this.#isReleased;
  }

  /** The lease under which this is written; undefined before {@link open}: then nothing is recorded. */
  get lease(): Lease | undefined {
    return this.#lease;
  }

  /** The last durable sequence number. */
  get seq(): number {
    return this.#stored.seq;
  }

  /** The sequence number that the last recorded fact has, or will have. */
  get recordedSeq(): number {
    return this.#seqAfterWrite + (this.#next?.facts.length ?? 0);
  }

  /** The data that the next append writes. */
  get #recorded(): Recorded {
    return (this.#next ??= recordOf());
  }

  /** Records what a step did. */
  recordFacts(step: StepFacts): void {
    if (!this.#lease) return;
    this.#recorded.facts.push(...entriesOf(step, this.#inbox));
    this.#inbox = step.kept?.inbox ?? this.#inbox;
  }

  /** Records a step of the chart. It is written with the next append. */
  recordStep(step: ChartStepRecord): void {
    if (!this.#lease) return;
    const { steps, facts } = this.#recorded;
    if (step.account?.refused && steps.length >= MAX_REFUSED) return;
    steps.push({ ...step, from: facts.length });
  }

  /** Records a model call. It is written with the next append. */
  recordCall(call: ModelCall): void {
    if (!this.#lease) return;
    const { calls, facts, steps } = this.#recorded;
    calls.push(this.#calls!.stored(call, { after: facts.length, steps: steps.length }));
  }

  /** Acknowledges an input in the next append, and records where in the journal that was, and the hash of its messages. */
  acknowledge(inputId: string, hash?: string): void {
    if (!this.#lease) return;
    const { acknowledged, facts } = this.#recorded;
    acknowledged.push(inputId);
    facts.push({ type: "position", data: { taken: inputId, ...(hash !== undefined && { hash }) } });
  }

  /** Records what a step did, and begins to write what may not be lost: all of it once a turn is at rest. `isDurable`: each step is written
   *  as soon as that is needed. The beginning of a turn from the inbox, which has its input until then, may wait for what the model answers. */
  follow(step: StepFacts, isDurable: boolean): void {
    this.recordFacts(step);
    const { isLeft, session } = this.#options;
    this.#isLast =
      step.hasSettled &&
      (isLeft?.() ?? false) &&
      !session.host?.hooks().some(({ onRest }) => onRest !== undefined);
    if (!step.hasSettled && (!isDurable || !needsFlush(step))) return;
    if (this.#options.admit && onlyBegins(step))
      this.#later ??= unref(setTimeout(() => this.save(), BEGINNING_MS));
    else this.save();
  }

  /** Journals that an input was refused, and acknowledges it. */
  async refuse(inputId: string, error: ErrorInfo): Promise<void> {
    this.acknowledge(inputId);
    await this.#note({ type: "input.refused", data: { id: inputId, error } });
  }

  /** Journals the position of the session, although nothing has changed. */
  async touch(): Promise<void> {
    await this.#note({ type: "position", data: {} });
  }

  async #note(fact: Fact): Promise<void> {
    if (this.#lease) this.#recorded.facts.push(fact);
    await this.saved();
  }

  /** Resolves when the entry with this number is durable, or nothing is being written; undefined if that is so already. What was put off
   *  is written at once, for somebody who waits for it. */
  written(seq: number): Promise<void> | undefined {
    if (this.#later && this.seq < seq) this.save();
    return this.#writing && this.seq < seq ? this.#writtenLater(seq) : undefined;
  }

  async #writtenLater(seq: number): Promise<void> {
    while (this.#writing && this.seq < seq) await this.#writing.catch(() => {});
  }

  /** Begins to write what has happened. An error reaches those who wait for `saved`. */
  save(): void {
    this.saved().catch(() => {});
  }

  /** Resolves when everything that has happened is durable. A lease that expired in the meantime is renewed before. */
  async saved(): Promise<void> {
    const { store, session } = this.#options;
    clearTimeout(this.#later);
    this.#later = undefined;
    if (!store || !this.#lease) return;
    try {
      await this.#flush();
    } catch (error) {
      this.#handleLoss(error);
      throw error;
    }
    const lease = this.#lease;
    if (lease && !this.#isReleased && lease.expiresAt <= session.now())
      await this.renewedBy(store.renew(lease, this.#leaseMs));
  }

  async #flush(): Promise<void> {
    while (this.#writing || (this.#next && this.#next.facts.length > 0)) {
      if (this.#final) throw this.#final;
      this.#writing ??= this.#write().finally(() => (this.#writing = undefined));
      await this.#writing;
    }
  }

  async #write(): Promise<void> {
    const recorded = this.#recorded;
    this.#next = undefined;
    try {
      await this.#append(recorded);
    } catch (error) {
      this.#seqAfterWrite = this.seq;
      this.#next = joined(recorded, this.#recorded);
      throw this.#failed(error);
    }
    this.#options.session.committed();
  }

  async #append(recorded: Recorded): Promise<void> {
    const { store, session, redact } = this.#options;
    const { fence, sessionId } = this.#lease!;
    const journalState = session.journalState();
    const isDue = journalState.isAtRest || ++this.#sinceCheckpoint >= CHECKPOINT_EVERY;
    const calls = isDue ? this.#calls!.calls : undefined;
    const at = session.now();
    const { batch, after } = batchOf(recorded, this.#stored, { journalState, at, calls, redact });
    this.#seqAfterWrite = after.seq;
    const onRelease = (isReleased: boolean): void => {
      this.#isReleased = isReleased;
      if (isReleased) this.abandon();
    };
    const seq = await store!.append(sessionId, {
      ...batch,
      fence,
      ...(journalState.isAtRest && this.#isLast && { onRelease }),
    });
    this.#stored = { ...after, seq };
    this.#seqAfterWrite = seq;
    if (isDue) this.#sinceCheckpoint = 0;
  }

  #failed(error: unknown): AgentError {
    const failure = agentErrorOf(error, "store/failed");
    if (isLoss(failure)) this.#final = failure;
    return failure;
  }

  /** Saves what has happened and releases the lease. */
  async release(): Promise<void> {
    this.abandon();
    const lease = this.#lease;
    if (!lease) return;
    try {
      await this.#flush();
      this.#keep();
    } finally {
      if (!this.#isReleased) await this.#options.store?.release(this.#lease ?? lease).catch(() => {});
    }
  }

  /** Keeps what was written, for the next agent of this process. What a store has of a session with secrets is something else. */
  #keep(): void {
    const { cache, redact, session } = this.#options;
    const { context, isAtRest } = session.journalState();
    if (!this.#lease || !cache || redact || !isAtRest) return;
    const transcript = context.transcript.copy();
    const { seq, marks } = this.#stored;
    const { known, number: modelCalls } = this.#calls!;
    cache.put(this.#lease, { seq, transcript, marks, known, modelCalls }, this.#cachedBefore);
  }

  /** Releases the lease of a session that was opened in vain. Nothing is written. */
  discard(): void {
    this.abandon();
    const lease = this.#lease;
    this.#lease = undefined;
    this.#next = undefined;
    if (lease) this.#options.store?.release(lease).catch(() => {});
  }

  /** Renews the lease no more, so that it expires, as if the process had died. */
  abandon(): void {
    this.#keeper?.remove(this);
    this.#keeper = undefined;
  }

  /** Settles with a renewal that has begun. */
  async renewedBy(renewal: Promise<Lease>): Promise<void> {
    const { session } = this.#options;
    const until = session.now() + this.#leaseMs;
    const { fence } = this.#lease ?? {}; // another one, or none, once it was given back
    try {
      const lease = await renewal.catch((error: unknown) => this.#unlessReleased(error));
      if (this.#isReleased || this.#lease?.fence !== fence) return;
      this.#lease = lease;
      this.#leaseUntil = until;
      session.leaseChanged({ type: "lease.renewed", until });
    } catch (cause) {
      if (this.#lease?.fence !== fence) return;
      const error = this.#failed(cause);
      if (this.#isReleased || this.#handleLoss(error)) return;
      const { sessionId } = session.settings;
      const message = `The lease of session '${sessionId}' was not renewed in time: ${messageOf(error)}`;
      const late = new AgentError("session/lease-lost", message, { cause: error, data: { sessionId } });
      session.leaseChanged({ type: "lease.unrenewed", at: session.now(), error: late });
    }
  }

  /** Returns the lease if it was not renewed because an append has ended it, whose answer may still be on its way. */
  async #unlessReleased(error: unknown): Promise<Lease> {
    if (this.#isLast) await this.#writtenLater(Number.POSITIVE_INFINITY);
    if (this.#isReleased && this.#lease) return this.#lease;
    throw error;
  }

  /** Returns true for an error which says that another process has the session. */
  #handleLoss(error: unknown): boolean {
    if (!isLoss(error)) return false;
    this.abandon();
    this.#options.session.leaseChanged({ type: "lease.lost", error });
    return true;
  }
}

import { AgentError, messageOf, type ErrorInfo } from "../core/base/error.ts";
import { unref } from "../core/base/time.ts";
import type { Json, JsonObject } from "../core/base/json.ts";
import type { Msg, TakeOver } from "../core/message/types.ts";
import { LEASE_MS, sessionLocked } from "../store/lease.ts";
import { newOwner, processOf, keepLease, type KeptLease, type LeaseKeeper } from "../store/leases.ts";
import type { Lease, SessionStore } from "../store/port.ts";
import type { AgentContext } from "../../machines/agent/context.ts";
import type { StepFacts } from "../../machines/agent/facts.ts";
import type { ModelCall } from "../../machines/agent/model-call.ts";
import type { Settings } from "../../machines/agent/settings.ts";
import type { SessionEvent } from "../../machines/session/session.machine.ts";
import { entriesOf, needsFlush, onlyBegins } from "./entries.ts";
import type { Fact } from "./entry.ts";
import { plain } from "./format.ts";
import { inputHash } from "./format.ts";
import { checkSameInput } from "./input-outcome.ts";
import { Journal, type JournalOwner } from "./journal.ts";
import type { KeptBefore, KeptSessions } from "./kept-sessions.ts";
import { loadTurn, restoreSession, type RestoredSession } from "./restore.ts";

/** The number of inputs that come with the lease of somebody who takes them from the inbox; there may be more if all of them come. */
export const LEASED_INPUTS = 20;

/** The time for which the beginning of a turn may be written together with what follows it, ms. */
const BEGINNING_MS = 50;

/** The change of a lease. */
export type LeaseEvent = Extract<SessionEvent, { readonly type: `lease.${string}` }>;

/** The session that is stored, as its journal and its lease need it. */
export interface JournaledSession extends JournalOwner {
  /** `sessionId` names the session. */
  readonly settings: Settings;
  /** True if somebody looks at contexts, such as an inspector: then the session is opened with all its messages. */
  readonly isSeen?: boolean;
  /** Its hooks, of which some may write to it while it rests. */
  readonly host?: { hooks(): readonly { readonly onRest?: unknown }[] };
  /** Called when the lease was renewed, was not renewed, or is lost; also lost: another process has appended. */
  leaseChanged(event: LeaseEvent): void;
}

/** Options of a {@link SessionJournal}. */
export type SessionJournalOptions = {
  /** Absent: nothing is written, and everything counts as saved. */
  readonly store?: SessionStore | undefined;
  readonly session: JournaledSession;
  /** The duration of the lease without being renewed, ms; default {@link LEASE_MS}. */
  readonly leaseMs?: number | undefined;
  /** Applied to everything before it is written. */
  readonly redact?: ((value: Json) => Json) | undefined;
  /** The parts of released sessions that this process retains. Default: nothing. */
  readonly kept?: KeptSessions | undefined;
  /** Called with the lease before anything is read. If it rejects, the lease is released and `open` rejects. */
  readonly admit?: ((lease: Lease) => Promise<void>) | undefined;
  /** True if the session is left once it rests as it does now. Default: somebody releases it. */
  readonly isLeft?: (() => boolean) | undefined;
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

/** The journal of a session as its agent writes it, under the lease that the agent holds. It opens the session and holds it until its
 *  release. Without a store nothing is written, and everything counts as saved. */
export class SessionJournal extends Journal implements KeptLease {
  readonly #options: SessionJournalOptions;
  /** Made with the first lease: most sessions of a program have no store. */
  #owner: string | undefined;
  /** The data of the session that were retained when it was opened. */
  #keptBefore: KeptBefore | undefined;
  #modelCalls = 0;
  #keeper: LeaseKeeper | undefined;
  #leaseUntil = 0;
  #isLast = false;
  #isReleased: boolean | undefined;
  #takeOver: TakeOver | undefined;
  /** The write that was put off. */
  #later: NodeJS.Timeout | undefined;

  constructor(options: SessionJournalOptions) {
    const { store, session: owner, redact } = options;
    super({ store, owner, redact });
    this.#options = options;
  }

  get #leaseMs(): number {
    return this.#options.leaseMs ?? LEASE_MS;
  }

  get #sessionId(): string {
    return this.#options.session.settings.sessionId;
  }

  /** Acquires the lease and restores the session; undefined for a new one. Rejects `session/conflict` while another process
   *  holds the lease. */
  async open(): Promise<RestoredSession | undefined> {
    const { store, session } = this.#options;
    if (!store) return undefined;
    const now = (): number => session.now();
    this.#leaseUntil = now() + this.#leaseMs;
    this.#owner ??= newOwner(session.settings.agent);
    const options = {
      owner: this.#owner,
      ttlMs: this.#leaseMs,
      inputs: this.#options.admit ? LEASED_INPUTS : 0,
    };
    const lease = await store.acquire(this.#sessionId, options);
    if (!lease) throw await sessionLocked(store, this.#sessionId, { leaseMs: this.#leaseMs, now });
    try {
      return await this.#read(store, lease);
    } catch (error) {
      await store.release(lease);
      throw error;
    }
  }

  async #read(store: SessionStore, { found, ...lease }: Lease): Promise<RestoredSession | undefined> {
    const { session, admit } = this.#options;
    await admit?.(found ? { ...lease, found } : lease);
    const kept = this.#options.kept?.take(lease);
    const stored = await restoreSession(store, this.#sessionId, session.settings, { kept, found });
    this.#modelCalls = stored?.modelCalls ?? 0;
    this.#takeOver = stored && takeOverOf(lease, stored.context);
    if (kept) {
      const { size, transcript } = kept;
      this.#keptBefore = { from: transcript.from, length: transcript.length, size };
    }
    if (stored) await this.#loadMessages(stored.context);
    this.begin(lease, {
      seq: stored?.seq ?? 0,
      ...(stored && { format: stored.format }),
      groups: stored?.activeGroups,
      marks: stored?.marks,
      known: stored?.known,
      modelCalls: stored?.modelCalls,
    });
    this.#keeper = keepLease(store, this.#leaseMs, this);
    return stored;
  }

  // True for a new session that its opening must make. One that a worker opens is made by the append that takes its input.
  get isAlone(): boolean {
    const { store, admit } = this.#options;
    return !!store && !admit && !this.seq;
  }

  /** Reads what somebody looks at without waiting: all messages, or those of a turn that may go on by itself. */
  async #loadMessages(context: AgentContext): Promise<void> {
    if (this.#options.session.isSeen) await context.transcript.load();
    else if (this.#options.admit || context.progress.resumeAt !== null || context.calls.length > 0)
      await loadTurn(context); // a worker opens a session for a turn
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

  protected override get isLast(): boolean {
    return this.#isLast;
  }

  protected override released(isReleased: boolean): void {
    this.#isReleased = isReleased;
    if (isReleased) this.abandon();
  }

  /** The take-over of the session; undefined if its former holder had released it, and if it is new. */
  get takeOver(): TakeOver | undefined {
    return this.#takeOver;
  }

  /** Records what a step did. */
  recordFacts(step: StepFacts): void {
    if (this.lease) this.record(entriesOf(step));
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

  /** Writes what was put off at once, for somebody who waits for it. */
  override written(seq: number): Promise<void> | undefined {
    if (this.#later && this.seq < seq) this.save();
    return super.written(seq);
  }

  override recordCall(call: ModelCall): void {
    this.#modelCalls = call.number;
    super.recordCall(call);
  }

  /** Accepts an input for an idempotency key. With a store it enters the session's inbox, and the append that stores its messages
   *  acknowledges it. Returns the messages to process: these, or those that came with the same key before and are not stored yet; undefined
   *  if those are stored. Rejects `run/key-reused` if other messages came with the key. */
  async claim(key: string, messages: readonly Msg[]): Promise<readonly Msg[] | undefined> {
    const { store } = this.#options;
    if (!store) return messages;
    const data = plain({ messages }) as unknown as JsonObject;
    const state = await store.putInput(this.#sessionId, { id: key, data });
    if (state === "accepted") return messages;
    const waiting = await store.takeInputs(this.#sessionId, Number.MAX_SAFE_INTEGER);
    const known = waiting.find(({ id }) => id === key)?.data["messages"] as readonly Msg[] | undefined;
    if (known) checkSameInput(key, inputHash(known), inputHash(messages));
    return known;
  }

  /** Journals that an input was refused, and acknowledges it. */
  async refuse(inputId: string, error: ErrorInfo): Promise<void> {
    this.acknowledge(inputId);
    await this.#write({ type: "input.refused", data: { id: inputId, error } });
  }

  /** Journals the position of the session, although nothing has changed. */
  async touch(): Promise<void> {
    await this.#write({ type: "position", data: {} });
  }

  async #write(fact: Fact): Promise<void> {
    this.record([fact]);
    await this.saved();
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
    if (!store || !this.lease) return;
    try {
      await this.flush();
    } catch (error) {
      this.#handleLoss(error);
      throw error;
    }
    const { lease } = this;
    if (lease && !this.#isReleased && lease.expiresAt <= session.now())
      await this.renewedBy(store.renew(lease, this.#leaseMs));
  }

  /** Saves what has happened and releases the lease. */
  async release(): Promise<void> {
    this.abandon();
    const { lease } = this;
    if (!lease) return;
    try {
      await this.flush();
      this.#keep();
    } finally {
      if (!this.#isReleased) await this.#options.store?.release(this.lease ?? lease).catch(() => {});
    }
  }

  /** Keeps what was written, for the next agent of this process. What a store has of a session with secrets is something else. */
  #keep(): void {
    const { kept, redact, session } = this.#options;
    const { lease, seq, marks, known } = this;
    const { context, isAtRest } = session.journalState();
    if (!lease || !kept || redact || !isAtRest) return;
    const transcript = context.transcript.copy();
    kept.put(lease, { seq, transcript, marks, known, modelCalls: this.#modelCalls }, this.#keptBefore);
  }

  /** Releases the lease of a session that was opened in vain. Nothing is written. */
  discard(): void {
    this.abandon();
    const lease = this.end();
    if (lease) this.#options.store?.release(lease).catch(() => {});
  }

  /** Renews the lease no more, so that it expires, as if the process had died. */
  abandon(): void {
    this.#keeper?.remove(this);
    this.#keeper = undefined;
  }

  /** Settles with a renewal that has begun. */
  override async renewedBy(renewal: Promise<Lease>): Promise<void> {
    const { session } = this.#options;
    const until = session.now() + this.#leaseMs;
    try {
      await super.renewedBy(renewal.catch((error: unknown) => this.#unlessReleased(error)));
      if (this.#isReleased) return;
      this.#leaseUntil = until;
      session.leaseChanged({ type: "lease.renewed", until });
    } catch (error) {
      if (this.#isReleased || this.#handleLoss(error)) return;
      const sessionId = this.#sessionId;
      const message = `The lease of session '${sessionId}' was not renewed in time: ${messageOf(error)}`;
      const late = new AgentError("session/lease-lost", message, { cause: error, data: { sessionId } });
      session.leaseChanged({ type: "lease.unrenewed", at: session.now(), error: late });
    }
  }

  /** Returns the lease if it was not renewed because an append has ended it, whose answer may still be on its way. */
  async #unlessReleased(error: unknown): Promise<Lease> {
    if (this.#isLast) await super.written(Number.POSITIVE_INFINITY);
    if (this.#isReleased && this.lease) return this.lease;
    throw error;
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

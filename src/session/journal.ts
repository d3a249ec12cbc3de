import { agentErrorOf, type AgentError } from "../base/error.ts";
import type { Json, JsonObject } from "../base/json.ts";
import type { Batch, JournalEntry, Lease, SessionStore } from "../store/port.ts";
import { positionFact, chartPosition, type ChartStepRecord } from "./entries.ts";
import type { ChartPosition, Fact } from "./entry.ts";
import { checkpointOf } from "./fold.ts";
import { marksAfter, NO_MARKS, type MessageMarks } from "./message-marks.ts";
import { ModelCallWriter, type StoredModelCall } from "./model-calls.ts";
import type { ModelCall } from "../../machines/agent/model-call.ts";
import { shortForm } from "./short-form.ts";
import { JOURNAL_FORMAT, plain, type JournalState } from "./format.ts";

/** The number of appends after which a session that does not come to rest gets a checkpoint. */
const CHECKPOINT_EVERY = 64;

/** Options of a {@link Journal}. */
export type JournalOptions = {
  readonly store: SessionStore;
  readonly lease: Lease;
  /** The last sequence number in the store. */
  readonly seq: number;
  /** The format of the journal in the store. */
  readonly format?: number;
  /** The active tool groups according to the store. */
  readonly groups?: readonly string[] | undefined;
  /** Where the messages are in the store. */
  readonly marks?: MessageMarks | undefined;
  /** The hashes of what the store has of model calls. */
  readonly known?: ReadonlySet<string> | undefined;
  /** The clock of entries, epoch ms. */
  readonly now: () => number;
  /** Applied to everything before it is written. */
  readonly redact?: (value: Json) => Json;
  /** Called when a batch is written. */
  readonly state: () => JournalState;
  /** Called after each append. */
  readonly onCommitted?: () => void;
};

/**
 * Writes what happens in a session to its store.
 *
 * W1 Facts are written in order, each once. There is one append at a time, which writes all facts recorded before it.
 * W2 `flush` resolves when everything recorded before it is durable, and rejects with the error that prevented it.
 * W3 A refused append (`session/conflict`, `session/lease-lost`) is final: nothing is written after it.
 */
export class Journal {
  readonly #options: JournalOptions;
  #lease: Lease;
  #seq: number;
  #pending: Fact[] = [];
  #steps: ChartStepRecord[] = [];
  readonly #callWriter: ModelCallWriter;
  #calls: StoredModelCall[] = [];
  #acknowledged: string[] = [];
  #writing: Promise<void> | undefined;
  /** The sequence number after the append that is under way, else {@link Journal.seq}. */
  #seqAfterWrite: number;
  #final: AgentError | undefined;
  #sinceCheckpoint = 0;
  #position: ChartPosition | undefined;
  #groups: string | undefined;
  #marks: MessageMarks;

  constructor(options: JournalOptions) {
    this.#options = options;
    this.#lease = options.lease;
    this.#seq = options.seq;
    this.#seqAfterWrite = options.seq;
    this.#marks = options.marks ?? NO_MARKS;
    this.#callWriter = new ModelCallWriter(options.known);
    this.#groups = options.groups && JSON.stringify(options.groups);
    if (options.seq === 0 || options.format !== JOURNAL_FORMAT)
      this.#pending.push({ type: "session", data: { format: JOURNAL_FORMAT } });
  }

  /** The last durable sequence number. */
  get seq(): number {
    return this.#seq;
  }

  /** The sequence number that the last recorded fact has, or will have. */
  get recordedSeq(): number {
    return this.#seqAfterWrite + this.#pending.length;
  }

  /** Resolves when the entry with this number is durable, or nothing is being written; undefined if that is so already. */
  written(seq: number): Promise<void> | undefined {
    return this.#writing && this.#seq < seq ? this.#writtenLater(seq) : undefined;
  }

  async #writtenLater(seq: number): Promise<void> {
    while (this.#writing && this.#seq < seq) await this.#writing.catch(() => {});
  }

  get lease(): Lease {
    return this.#lease;
  }

  /** Records facts; {@link flush} writes them. */
  record(facts: readonly Fact[]): void {
    this.#pending.push(...facts);
  }

  /** Records a step of the chart. It is written with the next append. */
  recordStep(step: ChartStepRecord): void {
    this.#steps.push(step);
  }

  /** Records a model call. It is written with the next append. */
  recordCall(call: ModelCall): void {
    this.#calls.push(this.#callWriter.stored(call, this.#pending.length));
  }

  /** Acknowledges an input in the next append, and records where in the journal that was, and the hash of its messages. */
  acknowledge(inputId: string, hash?: string): void {
    this.#acknowledged.push(inputId);
    this.#pending.push({
      type: "position",
      data: { taken: inputId, ...(hash !== undefined && { hash }) },
    });
  }

  /** See W2. */
  async flush(): Promise<void> {
    while (this.#writing || this.#pending.length > 0) {
      if (this.#final) throw this.#final;
      this.#writing ??= this.#write().finally(() => (this.#writing = undefined));
      await this.#writing;
    }
  }

  /** Takes the lease of a renewal that has begun. Rejects as an append does. */
  async renewedBy(renewal: Promise<Lease>): Promise<void> {
    try {
      this.#lease = await renewal;
    } catch (error) {
      throw this.#failed(error);
    }
  }

  async #write(): Promise<void> {
    const facts = this.#pending;
    const ackInputs = this.#acknowledged;
    this.#pending = [];
    this.#acknowledged = [];
    const steps = this.#steps;
    this.#steps = [];
    const modelCalls = this.#calls;
    this.#calls = [];
    const { store, now, redact } = this.#options;
    const journalState = this.#options.state();
    const { context, state, isAtRest, position, activeGroups } = journalState;
    const at = now();
    const chartAt = chartPosition(context, state);
    const groups = activeGroups && JSON.stringify(activeGroups);
    const hasNewGroups = this.#groups !== undefined && groups !== this.#groups;
    const written: readonly Fact[] = [
      ...facts,
      ...(hasNewGroups ? [{ type: "groups" as const, data: { active: activeGroups ?? [] } }] : []),
      positionFact(this.#position, chartAt, { at, steps, modelCalls }, journalState),
    ];
    const entries = written.map((fact, index): JournalEntry => {
      const short = shortForm(fact, at);
      const data: object | Json = redact ? redact(plain(short) as Json) : short;
      return { seq: this.#seq + index + 1, at, type: fact.type, data: data as JsonObject };
    });
    const seq = this.#seq + entries.length;
    this.#seqAfterWrite = seq;
    const marks = written.reduce(
      (before, fact, index) => marksAfter(before, { ...fact, seq: this.#seq + index + 1 }),
      this.#marks,
    );
    const isDue = isAtRest || ++this.#sinceCheckpoint >= CHECKPOINT_EVERY;
    const checkpoint = isDue
      ? (plain(checkpointOf(journalState, seq, marks)) as unknown as JsonObject)
      : undefined;
    const batch: Batch = {
      expectedSeq: this.#seq,
      fence: this.#lease.fence,
      entries,
      position,
      ...(ackInputs.length > 0 && { ackInputs }),
      ...(checkpoint && { checkpoint: redact ? (redact(checkpoint) as JsonObject) : checkpoint }),
    };
    try {
      this.#seq = this.#seqAfterWrite = await store.append(this.#lease.sessionId, batch);
      this.#position = chartAt;
      this.#groups = groups;
      this.#marks = marks;
      if (isDue) this.#sinceCheckpoint = 0;
    } catch (error) {
      this.#seqAfterWrite = this.#seq;
      this.#pending = [...facts, ...this.#pending];
      this.#acknowledged = [...ackInputs, ...this.#acknowledged];
      this.#steps = [...steps, ...this.#steps];
      const later = this.#calls.map((call) => ({ ...call, after: (call.after ?? 0) + facts.length }));
      this.#calls = [...modelCalls, ...later];
      throw this.#failed(error);
    }
    this.#options.onCommitted?.();
  }

  #failed(error: unknown): AgentError {
    const failure = agentErrorOf(error, "store/failed");
    if (failure.code === "session/conflict" || failure.code === "session/lease-lost") this.#final = failure;
    return failure;
  }
}

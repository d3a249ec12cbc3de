import { agentErrorOf, type AgentError } from "../core/base/error.ts";
import type { Json, JsonObject } from "../core/base/json.ts";
import type { Batch, JournalEntry, Lease, SessionStore } from "../store/port.ts";
import { positionFact, chartPosition, type ChartStepRecord, shortForm } from "./entries.ts";
import type { ChartPosition, Fact } from "./entry.ts";
import { checkpointOf, marksAfter, NO_MARKS, type MessageMarks } from "./fold.ts";
import { ModelCallWriter, type StoredModelCall } from "./model-calls.ts";
import type { ModelCall } from "../../machines/agent/model-call.ts";
import { JOURNAL_FORMAT, plain, type JournalState } from "./format.ts";

/** The number of appends after which a session that does not come to rest gets a checkpoint. */
const CHECKPOINT_EVERY = 64;

/** The session whose journal it is. */
export interface JournalOwner {
  /** The clock of entries, epoch ms. */
  now(): number;
  /** Called when a batch is written. */
  journalState(): JournalState;
  /** Called after each append. */
  committed?(): void;
}

/** Options of a {@link Journal}. */
export type JournalOptions = {
  /** Absent: nothing is written, and everything counts as durable. */
  readonly store?: SessionStore | undefined;
  readonly owner: JournalOwner;
  /** Applied to everything before it is written. */
  readonly redact?: ((value: Json) => Json) | undefined;
};

/** The data that the store has of a session whose journal goes on. */
export type JournalStart = {
  /** The last sequence number in the store. */
  readonly seq: number;
  /** The format of the journal in the store. */
  readonly format?: number;
  /** The active tool groups according to the store. */
  readonly groups?: readonly string[] | undefined;
  /** The positions of the messages in the store. */
  readonly marks?: MessageMarks | undefined;
  /** The hashes of what the store has of model calls. */
  readonly known?: ReadonlySet<string> | undefined;
  /** The number of model calls that the store has. */
  readonly modelCalls?: number | undefined;
};

/** The data that were recorded since the last append. */
type Recorded = {
  readonly facts: Fact[];
  /** `from`: the number of facts before it. */
  readonly steps: (ChartStepRecord & { readonly from: number })[];
  readonly calls: StoredModelCall[];
  readonly acknowledged: string[];
};

/** The steps that wait for an append beyond which refused commands are not recorded: they may be any number, and append nothing. */
const MAX_REFUSED = 1_000;

/** Steps with the number of facts that belong to each: those that were recorded after it and before the next. */
const withFacts = (steps: Recorded["steps"], length: number) =>
  steps.map((step, index) => ({ ...step, facts: (steps[index + 1]?.from ?? length) - step.from }));

const NONE_KNOWN: ReadonlySet<string> = new Set();

/** Most sessions have no groups, and the same text for that. */
const namesOf = (names: readonly string[]): string => (names.length === 0 ? "[]" : JSON.stringify(names));

/**
 * Writes what happens in a session to its store.
 *
 * W1 Facts are written in order, each once. There is one append at a time, which writes all facts recorded before it.
 * W2 `flush` resolves when everything recorded before it is durable, and rejects with the error that prevented it.
 * W3 A refused append (`session/conflict`, `session/lease-lost`) is final: nothing is written after it.
 */
export class Journal {
  readonly #options: JournalOptions;
  #lease: Lease | undefined;
  #seq = 0;
  #next: Recorded | undefined;
  #callWriter: ModelCallWriter | undefined;
  #writing: Promise<void> | undefined;
  /** The sequence number after the append that is under way, else {@link Journal.seq}. */
  #seqAfterWrite = 0;
  #final: AgentError | undefined;
  #sinceCheckpoint = 0;
  #position: ChartPosition | undefined;
  #groups: string | undefined;
  #marks: MessageMarks = NO_MARKS;

  constructor(options: JournalOptions) {
    this.#options = options;
  }

  /** Begins to record what happens under this lease, after what the store has. */
  begin(
    lease: Lease,
    { seq, format, groups, marks = NO_MARKS, known, modelCalls }: JournalStart = { seq: 0 },
  ): void {
    this.#lease = lease;
    this.#seq = seq;
    this.#seqAfterWrite = seq;
    this.#marks = marks;
    this.#callWriter = new ModelCallWriter(known, modelCalls);
    this.#groups = groups && namesOf(groups);
    if (seq === 0 || format !== JOURNAL_FORMAT)
      this.#recorded.facts.push({ type: "session", data: { format: JOURNAL_FORMAT } });
  }

  /** Records no more. Returns the lease, if there is one. */
  protected end(): Lease | undefined {
    const lease = this.#lease;
    this.#lease = undefined;
    this.#next = undefined;
    return lease;
  }

  /** True if the append that brings the session to rest is to end the lease. */
  protected get isLast(): boolean {
    return false;
  }

  /** Called when an append that was to end the lease has done so, or has found a waiting input. */
  protected released(_isReleased: boolean): void {}

  /** The data that the next append writes. */
  get #recorded(): Recorded {
    return (this.#next ??= { facts: [], steps: [], calls: [], acknowledged: [] });
  }

  /** The last durable sequence number. */
  get seq(): number {
    return this.#seq;
  }

  /** The sequence number that the last recorded fact has, or will have. */
  get recordedSeq(): number {
    return this.#seqAfterWrite + (this.#next?.facts.length ?? 0);
  }

  /** Resolves when the entry with this number is durable, or nothing is being written; undefined if that is so already. */
  written(seq: number): Promise<void> | undefined {
    return this.#writing && this.#seq < seq ? this.#writtenLater(seq) : undefined;
  }

  async #writtenLater(seq: number): Promise<void> {
    while (this.#writing && this.#seq < seq) await this.#writing.catch(() => {});
  }

  /** The positions of the messages in the store. */
  get marks(): MessageMarks {
    return this.#marks;
  }

  /** The hashes of what the store has of model calls. */
  get known(): ReadonlySet<string> {
    return this.#callWriter?.known ?? NONE_KNOWN;
  }

  /** The lease under which this is written; undefined before {@link begin}: then nothing is recorded. */
  get lease(): Lease | undefined {
    return this.#lease;
  }

  /** Records facts; {@link flush} writes them. */
  record(facts: readonly Fact[]): void {
    if (this.#lease && facts.length > 0) this.#recorded.facts.push(...facts);
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
    calls.push(this.#callWriter!.stored(call, { after: facts.length, steps: steps.length }));
  }

  /** Acknowledges an input in the next append, and records where in the journal that was, and the hash of its messages. */
  acknowledge(inputId: string, hash?: string): void {
    if (!this.#lease) return;
    const { acknowledged, facts } = this.#recorded;
    acknowledged.push(inputId);
    facts.push({ type: "position", data: { taken: inputId, ...(hash !== undefined && { hash }) } });
  }

  /** See W2. */
  async flush(): Promise<void> {
    while (this.#writing || (this.#next && this.#next.facts.length > 0)) {
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
    const recorded = this.#recorded;
    this.#next = undefined;
    try {
      await this.#append(recorded);
    } catch (error) {
      this.#seqAfterWrite = this.#seq;
      const { facts, steps, calls, acknowledged } = this.#recorded;
      const behind = recorded.facts.length;
      this.#next = {
        facts: [...recorded.facts, ...facts],
        acknowledged: [...recorded.acknowledged, ...acknowledged],
        steps: [...recorded.steps, ...steps.map((step) => ({ ...step, from: step.from + behind }))],
        calls: [
          ...recorded.calls,
          ...calls.map((call) => ({
            ...call,
            after: (call.after ?? 0) + behind,
            steps: (call.steps ?? 0) + recorded.steps.length,
          })),
        ],
      };
      throw this.#failed(error);
    }
    this.#options.owner.committed?.();
  }

  async #append({ facts, steps, calls: modelCalls, acknowledged }: Recorded): Promise<void> {
    const { store, owner, redact } = this.#options;
    const { fence, sessionId } = this.#lease!;
    const journalState = owner.journalState();
    const { context, state, isAtRest, position, activeGroups } = journalState;
    const at = owner.now();
    const chartAt = chartPosition(context, state);
    const groups = activeGroups && namesOf(activeGroups);
    const hasNewGroups = this.#groups !== undefined && groups !== this.#groups;
    const written: readonly Fact[] = [
      ...facts,
      ...(hasNewGroups ? [{ type: "groups" as const, data: { active: activeGroups ?? [] } }] : []),
      positionFact(
        this.#position,
        chartAt,
        { at, steps: withFacts(steps, facts.length), modelCalls },
        journalState,
      ),
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
      ? (plain(
          checkpointOf(journalState, seq, { ...marks, calls: this.#callWriter!.calls }),
        ) as unknown as JsonObject)
      : undefined;
    const batch: Batch = {
      expectedSeq: this.#seq,
      fence,
      entries,
      position,
      ...(acknowledged.length > 0 && { ackInputs: acknowledged }),
      ...(checkpoint && { checkpoint: redact ? (redact(checkpoint) as JsonObject) : checkpoint }),
      ...(isAtRest && this.isLast && { onRelease: (isReleased) => this.released(isReleased) }),
    };
    this.#seq = this.#seqAfterWrite = await store!.append(sessionId, batch);
    this.#position = chartAt;
    this.#groups = groups;
    this.#marks = marks;
    if (isDue) this.#sinceCheckpoint = 0;
  }

  #failed(error: unknown): AgentError {
    const failure = agentErrorOf(error, "store/failed");
    if (failure.code === "session/conflict" || failure.code === "session/lease-lost") this.#final = failure;
    return failure;
  }
}

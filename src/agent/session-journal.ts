import type { ErrorInfo } from "../base/error.ts";
import type { Msg, TakeOver } from "../message/types.ts";
import { DurableSession, type DurableOptions } from "../session/durable.ts";
import type { RestoredSession } from "../session/restore.ts";
import type { Fact } from "../session/entry.ts";
import { entriesOf, needsFlush } from "../session/entries.ts";
import type { StepFacts } from "../../machines/agent/facts.ts";
import type { Lease } from "../store/port.ts";
import type { ModelCall } from "../../machines/agent/model-call.ts";
import type { AgentConfig } from "./options/agent-config.ts";
import type { TakenStep } from "./steps.ts";

/** The journal of a session as its agent writes it. Without a store nothing is written, and everything counts as saved. */
export class SessionJournal {
  readonly #durable: DurableSession | undefined;

  /** The journal of a session in the store of its agent, if it has one. `admit`, `kept`: see {@link DurableOptions}. */
  static of(
    session: DurableOptions["session"],
    { store, sessionOptions: { redact, leaseMs } = {} }: Pick<AgentConfig<never>, "store" | "sessionOptions">,
    { admit, kept }: Pick<DurableOptions, "admit" | "kept">,
  ): SessionJournal {
    const durable =
      store &&
      new DurableSession({
        store,
        session,
        ...(admit && { admit }),
        ...(kept && { kept }),
        ...(redact && { redact }),
        ...(leaseMs !== undefined && { leaseMs }),
      });
    return new SessionJournal(durable);
  }

  private constructor(durable: DurableSession | undefined) {
    this.#durable = durable;
  }

  /** Position of the last durable fact; 0 without a store. */
  get seq(): number {
    return this.#durable?.seq ?? 0;
  }

  /** The position that the last recorded fact has, or will have. */
  get recordedSeq(): number {
    return this.#durable?.recordedSeq ?? 0;
  }

  /** Resolves when the entry at this position is durable, or nothing is being written; undefined if that is so already. */
  written(seq: number): Promise<void> | undefined {
    return this.#durable?.written(seq);
  }

  get lease(): Lease | undefined {
    return this.#durable?.lease;
  }

  /** Epoch ms until which the lease holds for sure. */
  get leaseUntil(): number {
    return this.#durable?.leaseUntil ?? 0;
  }

  /** How the session was taken over when it was opened. */
  get takeOver(): TakeOver | undefined {
    return this.#durable?.takeOver;
  }

  /** Acquires the lease and reads the session; undefined for a new one. */
  async open(): Promise<RestoredSession | undefined> {
    return this.#durable?.open();
  }

  /** Records what a step did. */
  record(step: StepFacts): void {
    this.#durable?.record(entriesOf(step));
  }

  /** Records what a step did, and begins to write what may not be lost: all of it once a turn is at rest. `isDurable`: each step is written
   *  as soon as that is needed. */
  follow(step: StepFacts, isDurable: boolean): void {
    if (!this.#durable) return;
    this.record(step);
    if (step.hasSettled || (isDurable && needsFlush(step))) this.save();
  }

  /** Begins to write what has happened. An error reaches those who wait for `saved`. */
  save(): void {
    this.saved().catch(() => {});
  }

  /** Records a step of the chart. */
  recordStep({ event: { by }, edges, at, account }: TakenStep): void {
    this.#durable?.recordStep({ edges, at, ...(by !== undefined && { by }), ...(account && { account }) });
  }

  /** Records a model call. */
  recordCall(call: ModelCall): void {
    this.#durable?.recordCall(call);
  }

  /** Accepts an input for an idempotency key, durably if there is a store. Returns its messages, or undefined if the key was used
   *  before. */
  async claim(key: string, messages: readonly Msg[]): Promise<readonly Msg[] | undefined> {
    return this.#durable ? this.#durable.claim(key, messages) : messages;
  }

  /** Acknowledges the input with this key in the append that stores the next event. */
  acknowledge(key: string, hash?: string): void {
    this.#durable?.acknowledge(key, hash);
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
    this.#durable?.record([fact]);
    await this.saved();
  }

  /** Resolves when everything that has happened is durable. */
  async saved(): Promise<void> {
    await this.#durable?.flush();
  }

  /** Saves what has happened and releases the lease. */
  async release(): Promise<void> {
    await this.#durable?.close();
  }

  /** Releases the lease of a session that was opened in vain. Nothing is written. */
  discard(): void {
    this.#durable?.discard();
  }

  /** Renews the lease no more, so that it expires. */
  abandon(): void {
    this.#durable?.abandon();
  }
}

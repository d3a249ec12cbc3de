import { patchBetween } from "../protocol/diff.ts";
import { BlobCache } from "../protocol/blob-cache.ts";
import { applyPatch } from "../protocol/patch.ts";
import type { RunCommand, PendingItem } from "../protocol/commands.ts";
import type { PatchOp, RunRow, Step, StepPage, StreamDelta, WorkerToHub } from "../protocol/protocol.ts";
import { innermost } from "../protocol/chart-version.ts";
import type { OpenRun } from "./open-run.ts";
import { RunLog } from "./run-log.ts";

/** A connected process that runs agents. */
export type ConnectedWorker = {
  /** The id that the process has sent, unique on the hub. */
  readonly id: string;
  readonly pid: number;
  readonly send: (command: RunCommand) => void;
};

const MAX_BLOB_CHARACTERS = 64_000_000;
const MAX_STREAMED_CHARACTERS = 256_000;
/** Blocks of streamed text, and long strings whose last part is still to come. */
const MAX_STREAMED_BLOCKS = 100;
const MAX_BEGUN_BLOBS = 8;
/** The processes whose place in the run is known. One that comes back after so many others sends its steps again. */
const MAX_SOURCES = 100;

/** A report of a run. */
export type RunMessage = Extract<WorkerToHub, { type: "run" }>;

/**
 * The steps that one process has sent: its number of its last step, our number of the same step, and our
 * indexes of its configurations.
 */
type ReceivedSteps = { last: number; at: number; readonly states: number[] };

/** A run as the processes that drive it report it. */
export class LiveRun implements OpenRun {
  readonly log: RunLog;
  readonly #blobs = new BlobCache(MAX_BLOB_CHARACTERS);
  readonly #parts = new Map<string, { readonly texts: string[]; length: number }>();
  #report: RunMessage | undefined;
  /** The time of the first event; before that a row has the time at which its agent was made. */
  #startedAt: number | undefined;
  #worker: ConnectedWorker | undefined;
  #since = Date.now();
  #isUp = true;
  readonly #sources = new Map<string, ReceivedSteps>();
  /** The streamed text of the message that is being written. */
  #streamed = new Map<string, StreamDelta>();

  constructor(runId: string) {
    this.log = new RunLog(runId);
  }

  /** The process that drives the run; undefined if it is disconnected. */
  get worker(): ConnectedWorker | undefined {
    return this.#isUp ? this.#worker : undefined;
  }

  /** The id of the process that drives the run, or drove it when it was lost. */
  get driver(): string | undefined {
    return this.#report?.row.worker && this.#worker?.id;
  }

  get row(): RunRow {
    const { row } = this.#report!;
    const { newest, active } = this.log;
    return {
      ...row,
      ...(row.worker && { worker: { ...row.worker, isUp: this.#isUp, since: this.#since } }),
      state: newest ? innermost(active) : row.state,
      startedAt: this.#startedAt ?? row.startedAt,
      updatedAt: newest?.t ?? row.updatedAt,
      steps: this.log.last,
      can: this.#isUp ? row.can : [],
    };
  }

  get pending(): readonly PendingItem[] {
    return this.#report!.pending;
  }

  /** The exceeded limit of the budget, or "". */
  get exceeded(): string {
    return this.#report!.exceeded ?? "";
  }

  /** The streamed text that is not in a message yet. */
  get streamed(): readonly StreamDelta[] {
    return [...this.#streamed.values()];
  }

  /** Returns a long string that steps refer to, unless it was evicted. */
  blob(sha: string): string | undefined {
    return this.#blobs.get(sha);
  }

  /** Returns the long strings that are cached. */
  blobs(): Iterable<readonly [string, string]> {
    return this.#blobs;
  }

  /**
   * Applies a report. A process that no longer drives the run does not overwrite the report of the process that
   * does.
   */
  update(message: RunMessage, worker: ConnectedWorker): void {
    const isOther = worker.id !== this.#worker?.id;
    if (isOther && this.#isUp && this.#report?.row.worker && !message.row.worker) return;
    if (isOther || !this.#isUp) this.#since = Date.now();
    this.#worker = worker;
    this.#isUp = true;
    this.#report = message;
    if (message.row.steps > 1) this.#startedAt ??= message.row.startedAt;
  }

  /**
   * The number of the process's last step that was received; undefined if the process has never reported the
   * run.
   */
  lastStepOf(workerId: string): number | undefined {
    return this.#sources.get(workerId)?.last ?? (this.#worker?.id === workerId ? 0 : undefined);
  }

  /**
   * Adds steps. Steps of a second process continue the numbers of the first, whatever their numbers in that
   * process are.
   */
  addSteps({ items, states, statesFrom = 0, keyframe = {} }: StepPage, workerId: string): void {
    const source = this.#sources.get(workerId) ?? { last: 0, at: 0, states: [] };
    this.#sources.delete(workerId); // the newest is the last
    this.#sources.set(workerId, source);
    dropOldest(this.#sources, MAX_SOURCES);
    for (const [index, ids] of states.entries()) source.states[statesFrom + index] = this.log.stateOf(ids);
    for (const step of items) {
      const ahead = step.q - source.last;
      if (ahead <= 0) continue;
      const p = ahead > 1 || source.at === this.log.last ? step.p : this.#rebased(step, source);
      const q = this.log.last + ahead;
      this.log.add({ ...step, q, s: source.states[step.s] ?? 0, ...(p && { p }) }, keyframe);
      source.last = step.q;
      source.at = q;
    }
  }

  /**
   * Recomputes the patch of a step whose process does not know the steps of other processes since its last one.
   */
  #rebased({ p = [] }: Step, { at }: ReceivedSteps): readonly PatchOp[] {
    const own = applyPatch((at > 0 && this.log.contextAt(at)) || {}, p);
    return patchBetween(this.log.context, own, { serialize: JSON.stringify });
  }

  /**
   * Appends deltas to the streamed text. The first delta of another message discards the text of the former.
   */
  addStream(items: readonly StreamDelta[]): void {
    for (const item of items) {
      const isOther = (each: StreamDelta): boolean =>
        each.kind !== "tool" && each.messageId !== item.messageId;
      if (item.kind !== "tool" && [...this.#streamed.values()].some(isOther)) this.#streamed.clear();
      const key = `${item.messageId} ${item.index} ${item.callId ?? ""}`;
      const before = this.#streamed.get(key)?.delta ?? "";
      if (before.length < MAX_STREAMED_CHARACTERS)
        this.#streamed.set(key, { ...item, delta: before + item.delta });
      dropOldest(this.#streamed, MAX_STREAMED_BLOCKS);
    }
  }

  /** Adds the next part of a long string; the string is available after its last part. */
  addBlobPart({ sha, part, parts, text }: Extract<WorkerToHub, { type: "blob" }>): void {
    if (this.#blobs.has(sha)) return;
    const received = part === 0 ? { texts: [], length: 0 } : this.#parts.get(sha);
    if (received?.texts.length !== part) return; // another process sends it too, or a part before it is missing
    this.#parts.delete(sha);
    received.texts.push(text);
    received.length += text.length;
    if (part >= parts - 1) this.#blobs.add(sha, received.texts.join(""));
    else if (received.length <= MAX_BLOB_CHARACTERS) this.#parts.set(sha, received);
    dropOldest(this.#parts, MAX_BEGUN_BLOBS);
  }

  /** Marks the process that drives the run as lost. */
  disconnect(): void {
    this.#isUp = false;
    this.#since = Date.now();
  }
}

function dropOldest(entries: Map<string, unknown>, most: number): void {
  if (entries.size > most) entries.delete(entries.keys().next().value!);
}

import { patchBetween } from "../protocol/diff.ts";
import { KeptTexts } from "../protocol/kept-texts.ts";
import { applyPatch } from "../protocol/patch.ts";
import type {
  Command,
  PatchOp,
  PendingItem,
  RunRow,
  Step,
  StepPage,
  StreamDelta,
  WorkerToHub,
} from "../protocol/protocol.ts";
import { innermost } from "../client/watch-run.ts";
import type { OpenRun } from "./open-run.ts";
import { RunLog } from "./run-log.ts";

/** A process that runs agents. */
export type Worker = {
  readonly id: string;
  readonly pid: number;
  readonly send: (command: Command) => void;
};

const BLOB_CHARACTERS = 64_000_000;
const STREAMED_CHARACTERS = 256_000;

export type Told = Extract<WorkerToHub, { type: "run" }>;

/** What one process has told of a run: its number for its last step, ours for the same, and our indexes for its
 *  configurations. */
type Source = { last: number; at: number; readonly states: number[] };

/** One run as its processes told it. */
export class LiveRun implements OpenRun {
  readonly log: RunLog;
  readonly #blobs = new KeptTexts(BLOB_CHARACTERS);
  readonly #parts = new Map<string, string[]>();
  #told: Told | undefined;
  #worker: Worker | undefined;
  #since = Date.now();
  #isUp = true;
  readonly #sources = new Map<string, Source>();
  /** What has been streamed of the message that is being made. */
  #streamed = new Map<string, StreamDelta>();

  constructor(runId: string) {
    this.log = new RunLog(runId);
  }

  get worker(): Worker | undefined {
    return this.#isUp ? this.#worker : undefined;
  }

  /** The id of the process that drives it, or drove it when it was lost. */
  get driver(): string | undefined {
    return this.#told?.row.worker && this.#worker?.id;
  }

  get row(): RunRow {
    const { row } = this.#told!;
    const { newest, active } = this.log;
    return {
      ...row,
      ...(row.worker && { worker: { ...row.worker, isUp: this.#isUp, since: this.#since } }),
      state: newest ? innermost(active) : row.state,
      updatedAt: newest?.t ?? row.updatedAt,
      steps: this.log.last,
      can: this.#isUp ? row.can : [],
    };
  }

  get pending(): readonly PendingItem[] {
    return this.#told!.pending;
  }

  get exceeded(): string {
    return this.#told!.exceeded ?? "";
  }

  /** What was streamed and is not a message yet. */
  get streamed(): readonly StreamDelta[] {
    return [...this.#streamed.values()];
  }

  blob(sha: string): string | undefined {
    return this.#blobs.get(sha);
  }

  blobs(): Iterable<readonly [string, string]> {
    return this.#blobs;
  }

  /** What a process says of it. One that has let go of the run does not speak for the one that has it now. */
  tell(told: Told, worker: Worker): void {
    const isOther = worker.id !== this.#worker?.id;
    if (isOther && this.#isUp && this.#told?.row.worker && !told.row.worker) return;
    if (isOther || !this.#isUp) this.#since = Date.now();
    this.#worker = worker;
    this.#isUp = true;
    this.#told = this.#told ? { ...told, row: { ...told.row, startedAt: this.#told.row.startedAt } } : told;
  }

  /** The last step of that process that is here; undefined if it has never said anything of the run. */
  haveOf(workerId: string): number | undefined {
    return this.#sources.get(workerId)?.last ?? (this.#worker?.id === workerId ? 0 : undefined);
  }

  /** Steps of one process after those of another go on where these ended, whatever number they have over there. */
  take({ items, states, statesFrom = 0, keyframe = {} }: StepPage, workerId: string): void {
    const source = this.#sources.get(workerId) ?? { last: 0, at: 0, states: [] };
    this.#sources.set(workerId, source);
    for (const [index, ids] of states.entries()) source.states[statesFrom + index] = this.log.stateOf(ids);
    for (const step of items) {
      const ahead = step.q - source.last;
      if (ahead <= 0) continue;
      const p = ahead > 1 || source.at === this.log.last ? step.p : this.#rebased(step, source);
      const q = this.log.last + ahead;
      this.log.take({ ...step, q, s: source.states[step.s] ?? 0, ...(p && { p }) }, keyframe);
      source.last = step.q;
      source.at = q;
    }
  }

  /** The patch of a step whose process does not know what others have done since its last one. */
  #rebased({ p = [] }: Step, { at }: Source): readonly PatchOp[] {
    const own = applyPatch((at > 0 && this.log.contextAt(at)) || {}, p);
    return patchBetween(this.log.context, own, { show: JSON.stringify });
  }

  stream(items: readonly StreamDelta[]): void {
    for (const item of items) {
      const isOther = (each: StreamDelta): boolean =>
        each.kind !== "tool" && each.messageId !== item.messageId;
      if (item.kind !== "tool" && [...this.#streamed.values()].some(isOther)) this.#streamed.clear();
      const key = `${item.messageId} ${item.index} ${item.callId ?? ""}`;
      const before = this.#streamed.get(key)?.delta ?? "";
      if (before.length < STREAMED_CHARACTERS)
        this.#streamed.set(key, { ...item, delta: before + item.delta });
    }
  }

  takeBlob({ sha, part, parts, text }: Extract<WorkerToHub, { type: "blob" }>): void {
    if (this.#blobs.has(sha)) return;
    const known = part === 0 ? [] : (this.#parts.get(sha) ?? []);
    known[part] = text;
    this.#parts.set(sha, known);
    if (part < parts - 1) return;
    this.#parts.delete(sha);
    this.#blobs.keep(sha, known.join(""));
  }

  lost(): void {
    this.#isUp = false;
    this.#since = Date.now();
  }
}

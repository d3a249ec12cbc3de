import type {
  Command,
  PendingItem,
  RunRow,
  StepPage,
  StreamDelta,
  WorkerToHub,
} from "../inspect/protocol.ts";
import { innermost } from "../inspect/watch-run.ts";
import type { OpenRun } from "./open-run.ts";
import { RunLog } from "./run-log.ts";

/** A process that runs agents. */
export type Worker = {
  readonly id: string;
  readonly pid: number;
  readonly send: (command: Command) => void;
};

export type LiveChange = {
  readonly runId: string;
  readonly stream?: readonly StreamDelta[];
};

const MOST_RUNS = 1_000;
const BLOB_CHARACTERS = 64_000_000;
const STREAMED_CHARACTERS = 256_000;

/** One run as its processes told it. */
class LiveRun implements OpenRun {
  readonly log: RunLog;
  readonly #blobs = new Map<string, string>();
  readonly #parts = new Map<string, string[]>();
  #blobCharacters = 0;
  #told!: Extract<WorkerToHub, { type: "run" }>;
  #worker: Worker | undefined;
  #since = Date.now();
  #isUp = true;
  /** The worker's step 1 is ours plus this: a later process goes on where the former ended. */
  #offset = 0;
  /** Indexes of the worker's configurations in ours. */
  #states: number[] = [];
  /** What has been streamed of the message that is being made. */
  #streamed = new Map<string, StreamDelta>();

  constructor(runId: string) {
    this.log = new RunLog(runId);
  }

  get worker(): Worker | undefined {
    return this.#isUp ? this.#worker : undefined;
  }

  get row(): RunRow {
    const { row } = this.#told;
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
    return this.#told.pending;
  }

  get exceeded(): string {
    return this.#told.exceeded ?? "";
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

  tell(told: Extract<WorkerToHub, { type: "run" }>, worker: Worker): void {
    if (worker.id !== this.#worker?.id) {
      this.#offset = this.log.last;
      this.#states = [];
    }
    if (!this.#isUp || worker.id !== this.#worker?.id) this.#since = Date.now();
    this.#worker = worker;
    this.#isUp = true;
    this.#told = this.#told ? { ...told, row: { ...told.row, startedAt: this.#told.row.startedAt } } : told;
  }

  /** How many steps of that process are here; undefined if it is not the one that drives the run. */
  haveOf(workerId: string): number | undefined {
    return this.#worker?.id === workerId ? this.log.last - this.#offset : undefined;
  }

  take({ items, states, statesFrom = 0, keyframe }: StepPage): void {
    for (const [index, ids] of states.entries()) this.#states[statesFrom + index] = this.log.stateOf(ids);
    for (const step of items)
      this.log.take({ ...step, q: step.q + this.#offset, s: this.#states[step.s] ?? 0 }, keyframe);
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
    const whole = known.join("");
    this.#parts.delete(sha);
    this.#blobs.set(sha, whole);
    this.#blobCharacters += whole.length;
    for (const [oldest, held] of this.#blobs) {
      if (this.#blobCharacters <= BLOB_CHARACTERS || this.#blobs.size === 1) break;
      this.#blobs.delete(oldest);
      this.#blobCharacters -= held.length;
    }
  }

  lost(): void {
    this.#isUp = false;
    this.#since = Date.now();
  }
}

/** The runs of all processes that are, or were, connected. Nothing of them is kept but here. */
export class LiveRuns {
  readonly #runs = new Map<string, LiveRun>();
  readonly #changed: (change: LiveChange) => void;

  constructor(changed: (change: LiveChange) => void) {
    this.#changed = changed;
  }

  get(runId: string): OpenRun | undefined {
    return this.#runs.get(runId);
  }

  /** The newest first. */
  rows(): readonly RunRow[] {
    return [...this.#runs.values()].map(({ row }) => row).toReversed();
  }

  workerOf(runId: string): Worker | undefined {
    return this.#runs.get(runId)?.worker;
  }

  streamed(runId: string): readonly StreamDelta[] {
    return this.#runs.get(runId)?.streamed ?? [];
  }

  have(workerId: string): { readonly [runId: string]: number } {
    return Object.fromEntries(
      [...this.#runs].flatMap(([runId, run]) => {
        const last = run.haveOf(workerId);
        return last === undefined ? [] : [[runId, last]];
      }),
    );
  }

  take(message: WorkerToHub, worker: Worker): void {
    if (message.type === "run") return this.#tell(message, worker);
    if (message.type === "stream") return this.#stream(message.items, worker);
    if (message.type !== "steps" && message.type !== "blob" && message.type !== "gone") return;
    const run = this.#runs.get(message.runId);
    if (run?.haveOf(worker.id) === undefined) return;
    if (message.type === "steps") run.take(message);
    else if (message.type === "blob") run.takeBlob(message);
    else run.lost();
    if (message.type !== "blob") this.#changed({ runId: message.runId });
  }

  /** The connection to a process is gone. */
  lost(worker: Worker): void {
    for (const [runId, run] of this.#runs) {
      if (run.worker !== worker) continue;
      run.lost();
      this.#changed({ runId });
    }
  }

  #tell(message: Extract<WorkerToHub, { type: "run" }>, worker: Worker): void {
    const { runId } = message.row;
    let run = this.#runs.get(runId);
    if (!run) {
      this.#runs.set(runId, (run = new LiveRun(runId)));
      this.#forgetOldest();
    }
    run.tell(message, worker);
    this.#changed({ runId });
  }

  #stream(items: readonly StreamDelta[], worker: Worker): void {
    for (const [runId, of] of Map.groupBy(items, (item) => item.runId)) {
      const run = this.#runs.get(runId);
      if (run?.haveOf(worker.id) === undefined) continue;
      run.stream(of);
      this.#changed({ runId, stream: of });
    }
  }

  #forgetOldest(): void {
    if (this.#runs.size <= MOST_RUNS) return;
    const oldest = [...this.#runs].find(([, run]) => !run.worker);
    if (oldest) this.#runs.delete(oldest[0]);
  }
}

import type { StreamDelta, WorkerToHub } from "../protocol/protocol.ts";
import { LiveRun, type RunMessage, type ConnectedWorker } from "./live-run.ts";
import type { OpenRun } from "./open-run.ts";

/** A change of a run; with `stream` only streamed text was added. */
export type LiveChange = {
  readonly runId: string;
  /** The deltas that were added. */
  readonly stream?: readonly StreamDelta[];
};

const MAX_RUNS = 1_000;

/** The runs of all processes that are or were connected. They are in memory only. */
export class LiveRuns {
  readonly #runs = new Map<string, LiveRun>();
  readonly #changed: (change: LiveChange) => void;

  constructor(changed: (change: LiveChange) => void) {
    this.#changed = changed;
  }

  /** Returns a run, or undefined if no process has reported it. */
  get(runId: string): OpenRun | undefined {
    return this.#runs.get(runId);
  }

  /** All runs, newest first. */
  all(): readonly OpenRun[] {
    return [...this.#runs.values()].toReversed();
  }

  /** Returns the connected process that drives a run. */
  workerOf(runId: string): ConnectedWorker | undefined {
    return this.#runs.get(runId)?.worker;
  }

  /** True if a process has reported a run. */
  isOf(runId: string, workerId: string): boolean {
    return this.#runs.get(runId)?.lastStepOf(workerId) !== undefined;
  }

  /** The number of runs that each process drives. */
  countByWorker(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const { driver } of this.#runs.values())
      if (driver !== undefined) counts.set(driver, (counts.get(driver) ?? 0) + 1);
    return counts;
  }

  /** Returns the streamed text of a run that is not in its context yet, one item per block. */
  streamed(runId: string): readonly StreamDelta[] {
    return this.#runs.get(runId)?.streamed ?? [];
  }

  /** The last received step of each run of a process. */
  have(workerId: string): { readonly [runId: string]: number } {
    return Object.fromEntries(
      [...this.#runs].flatMap(([runId, run]) => {
        const last = run.lastStepOf(workerId);
        return last === undefined ? [] : [[runId, last]];
      }),
    );
  }

  /** Applies a message of a process; ignores steps of runs that the process has not reported. */
  receive(message: WorkerToHub, worker: ConnectedWorker): void {
    if (message.type === "run") return this.#update(message, worker);
    if (message.type === "stream") return this.#stream(message.items, worker);
    if (message.type !== "steps" && message.type !== "blob" && message.type !== "gone") return;
    const run = this.#runs.get(message.runId);
    if (run?.lastStepOf(worker.id) === undefined) return;
    if (message.type === "steps") run.addSteps(message, worker.id);
    else if (message.type === "blob") run.addBlobPart(message);
    else if (run.worker === worker) run.disconnect();
    if (message.type !== "blob") this.#changed({ runId: message.runId });
  }

  /** Marks the runs of a process whose connection was lost. */
  disconnected(worker: ConnectedWorker): void {
    for (const [runId, run] of this.#runs) {
      if (run.worker !== worker) continue;
      run.disconnect();
      this.#changed({ runId });
    }
  }

  #update(message: RunMessage, worker: ConnectedWorker): void {
    const { runId } = message.row;
    let run = this.#runs.get(runId);
    if (!run) {
      this.#runs.set(runId, (run = new LiveRun(runId)));
      this.#dropOldest();
    }
    run.update(message, worker);
    this.#changed({ runId });
  }

  #stream(items: readonly StreamDelta[], worker: ConnectedWorker): void {
    for (const [runId, deltas] of Map.groupBy(items, (item) => item.runId)) {
      const run = this.#runs.get(runId);
      if (run?.lastStepOf(worker.id) === undefined) continue;
      run.addStream(deltas);
      this.#changed({ runId, stream: deltas });
    }
  }

  #dropOldest(): void {
    if (this.#runs.size <= MAX_RUNS) return;
    const oldest = [...this.#runs].find(([, run]) => !run.worker);
    if (oldest) this.#runs.delete(oldest[0]);
  }
}

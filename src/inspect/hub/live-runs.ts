import type { RunRow, StreamDelta, WorkerToHub } from "../protocol/protocol.ts";
import { LiveRun, type Told, type Worker } from "./live-run.ts";
import type { OpenRun } from "./open-run.ts";

export type LiveChange = {
  readonly runId: string;
  readonly stream?: readonly StreamDelta[];
};

const MOST_RUNS = 1_000;

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

  /** How many runs each process drives. */
  countByWorker(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const { driver } of this.#runs.values())
      if (driver !== undefined) counts.set(driver, (counts.get(driver) ?? 0) + 1);
    return counts;
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
    if (message.type === "steps") run.take(message, worker.id);
    else if (message.type === "blob") run.takeBlob(message);
    else if (run.worker === worker) run.lost();
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

  #tell(message: Told, worker: Worker): void {
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

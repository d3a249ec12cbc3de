import type { WorkerRow } from "../protocol/protocol.ts";
import type { ConnectedWorker } from "./live-run.ts";

/** The maximum number of rows that pages get. */
const MAX_ROWS = 100;
const MAX_LOST = 1_000;

type WorkerState = { worker: ConnectedWorker; isUp: boolean; since: number; heardAt: number };

/** The processes that are or were connected. */
export class Workers {
  readonly #workers = new Map<string, WorkerState>();
  readonly #changed: () => void;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** Registers a process that has connected or reconnected. */
  connected(worker: ConnectedWorker): void {
    const now = Date.now();
    this.#workers.delete(worker.id);
    this.#workers.set(worker.id, { worker, isUp: true, since: now, heardAt: now });
    this.#changed();
  }

  /** Records that the process has sent something. */
  heard(worker: ConnectedWorker): void {
    const state = this.#stateOf(worker);
    if (state) state.heardAt = Date.now();
  }

  /** Marks a process as lost, unless it has reconnected since. */
  disconnected(worker: ConnectedWorker): void {
    const state = this.#stateOf(worker);
    if (!state) return;
    this.#workers.delete(worker.id);
    this.#workers.set(worker.id, { ...state, isUp: false, since: state.heardAt });
    this.#dropOldest();
    this.#changed();
  }

  /**
   * Lists connected processes before lost ones, each newest first, with the total counts.
   * @param runs - the number of runs that each process drives
   */
  list(runs: ReadonlyMap<string, number>): {
    readonly rows: readonly WorkerRow[];
    readonly up: number;
    readonly total: number;
  } {
    const newest = [...this.#workers.values()].toReversed();
    const up = newest.filter(({ isUp }) => isUp);
    const inOrder = [...up, ...newest.filter(({ isUp }) => !isUp)];
    const rows = inOrder.slice(0, MAX_ROWS).map(({ worker: { id, pid }, isUp, since }) => ({
      id,
      pid,
      isUp,
      since,
      runs: runs.get(id) ?? 0,
    }));
    return { rows, up: up.length, total: inOrder.length };
  }

  #stateOf(worker: ConnectedWorker): WorkerState | undefined {
    const state = this.#workers.get(worker.id);
    return state?.worker === worker ? state : undefined;
  }

  #dropOldest(): void {
    const lost = [...this.#workers].filter(([, { isUp }]) => !isUp);
    if (lost.length > MAX_LOST) this.#workers.delete(lost[0]![0]);
  }
}

import { setImmediate as nextTurn } from "node:timers/promises";
import { throwIfAborted } from "../../core/model/abort.ts";

/** The time for which work goes on before others get their turn, ms. */
const WORK_MS = 8;

/** Lets long work give the event loop back in between, and end when it is aborted. */
export class Pauses {
  readonly #signal: AbortSignal;
  #since = performance.now();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** True once the work has gone on for long enough: then {@link Pauses.pause} gives the event loop back. */
  get isDue(): boolean {
    return performance.now() - this.#since >= WORK_MS;
  }

  /** Gives the event loop back if the work has gone on for long enough. Rejects `run/aborted` once the signal is aborted. */
  async pause(): Promise<void> {
    if (!this.isDue) return;
    await nextTurn();
    throwIfAborted(this.#signal);
    this.#since = performance.now();
  }
}

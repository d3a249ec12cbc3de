/** Steps of other systems that are recorded in a second, and at once after a rest. */
const STEPS_PER_SECOND = 1_000;
const BURST = 2_000;
/** The share of the time of this process that recording may take, and how much of it may be saved up, ms. */
const SHARE = 0.03;
const SAVED_MS = 100;

/** Bounds what the observation of other systems costs their process. Times are ms of `now`. */
export class StepBudget {
  readonly now: () => number;
  #at: number;
  #steps = BURST;
  #time = SAVED_MS;

  constructor(now: () => number = () => performance.now()) {
    this.now = now;
    this.#at = now();
  }

  /** Returns whether another step is recorded. */
  takesStep(): boolean {
    this.#refill();
    if (this.#steps < 1) return false;
    this.#steps--;
    return true;
  }

  /** Returns whether there is time to read a context. */
  hasTime(): boolean {
    return this.#time > 0;
  }

  /** Runs a part of the observation, whose time counts. */
  timed<T>(work: () => T): T {
    const begin = this.now();
    try {
      return work();
    } finally {
      this.spent(begin);
    }
  }

  /** Same as {@link timed}, of what began at `begin`. */
  spent(begin: number): void {
    this.#time -= this.now() - begin;
  }

  #refill(): void {
    const now = this.now();
    const elapsed = now - this.#at;
    this.#at = now;
    this.#steps = Math.min(BURST, this.#steps + (elapsed / 1_000) * STEPS_PER_SECOND);
    this.#time = Math.min(SAVED_MS, this.#time + elapsed * SHARE);
  }
}

/** The places of a worker: as many sessions as run in it at once. */
export class Places {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** Takes a place if there is a free one. */
  tryTake(): boolean {
    if (this.#free === 0) return false;
    this.#free--;
    return true;
  }

  /** Takes a place, in the order of the calls; waits while there is none. */
  async take(): Promise<void> {
    if (this.tryTake()) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    await promise;
  }

  /** Gives a place back. */
  give(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free++;
  }
}

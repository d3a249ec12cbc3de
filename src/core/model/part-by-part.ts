/**
 * Yields the items of lists one by one, each as soon as it is asked for. A generator would need three promises for each of them, and {@link
 * PartByPart.take} needs no promise. What a list still has is dropped once the signal has aborted.
 */
export class PartByPart<Part extends object> implements AsyncIterableIterator<Part, undefined> {
  readonly #lists: AsyncGenerator<readonly Part[], undefined>;
  readonly #signal: AbortSignal;
  #list: readonly Part[] = [];
  #next = 0;

  constructor(lists: AsyncGenerator<readonly Part[], undefined>, signal: AbortSignal) {
    this.#lists = lists;
    this.#signal = signal;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Part, undefined>> {
    const part = this.take();
    return part ? Promise.resolve({ done: false, value: part }) : this.#more();
  }

  /** Removes and returns the next item if it has come already; undefined if the reader has to wait. */
  take(): Part | undefined {
    return this.#signal.aborted ? undefined : this.#list[this.#next++];
  }

  async #more(): Promise<IteratorResult<Part, undefined>> {
    const { done, value } = await this.#lists.next();
    if (!done) {
      const left = this.#list.slice(this.#next); // the reader may have asked several times
      this.#list = left.length === 0 ? value : [...left, ...value];
      this.#next = 0;
    }
    const part = this.take();
    if (part) return { done: false, value: part };
    return done ? { done, value } : this.#more();
  }

  return(): Promise<IteratorResult<Part, undefined>> {
    this.#list = [];
    return this.#lists.return(undefined) as Promise<IteratorResult<Part, undefined>>;
  }
}

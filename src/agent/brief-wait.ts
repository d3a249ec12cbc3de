/** A wait that can be ended before its time. */
export class BriefWait {
  #end = (): void => {};

  /** Resolves after `ms`, or at {@link end}. */
  async begin(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    this.#end = resolve;
    await promise;
    clearTimeout(timer);
  }

  /** Ends the wait, if there is one. */
  end(): void {
    this.#end();
  }
}

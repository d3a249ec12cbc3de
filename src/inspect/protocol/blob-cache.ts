/** Long strings by their hash, up to a number of characters in total; the oldest are evicted first. */
export class BlobCache {
  readonly #maxCharacters: number;
  readonly #texts = new Map<string, string>();
  #characters = 0;

  constructor(maxCharacters: number) {
    this.#maxCharacters = maxCharacters;
  }

  /** Returns whether the string with this hash is cached. */
  has(sha: string): boolean {
    return this.#texts.has(sha);
  }

  /** Returns the string with this hash, or undefined if it is unknown or was evicted. */
  get(sha: string): string | undefined {
    return this.#texts.get(sha);
  }

  /** Adds a string, and evicts the oldest ones while the total is too large. */
  add(sha: string, text: string): void {
    if (this.#texts.has(sha)) return;
    this.#texts.set(sha, text);
    this.#characters += text.length;
    for (const [oldest, evicted] of this.#texts) {
      if (this.#characters <= this.#maxCharacters || this.#texts.size === 1) break;
      this.#texts.delete(oldest);
      this.#characters -= evicted.length;
    }
  }

  [Symbol.iterator](): Iterator<[sha: string, text: string]> {
    return this.#texts[Symbol.iterator]();
  }
}

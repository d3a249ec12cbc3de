/** Long strings by their hash, up to so many characters in all; the oldest go first. */
export class KeptTexts {
  readonly #most: number;
  readonly #texts = new Map<string, string>();
  #characters = 0;

  constructor(most: number) {
    this.#most = most;
  }

  has(sha: string): boolean {
    return this.#texts.has(sha);
  }

  get(sha: string): string | undefined {
    return this.#texts.get(sha);
  }

  keep(sha: string, text: string): void {
    if (this.#texts.has(sha)) return;
    this.#texts.set(sha, text);
    this.#characters += text.length;
    for (const [oldest, held] of this.#texts) {
      if (this.#characters <= this.#most || this.#texts.size === 1) break;
      this.#texts.delete(oldest);
      this.#characters -= held.length;
    }
  }

  [Symbol.iterator](): Iterator<[sha: string, text: string]> {
    return this.#texts[Symbol.iterator]();
  }
}

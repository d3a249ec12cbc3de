import { stripVTControlCharacters } from "node:util";

/** The end of an output, as much as fits: how a command ended is said last. */
export class OutputTail {
  readonly #max: number;
  readonly #decoder = new TextDecoder();
  #parts: string[] = [];
  #size = 0;
  #dropped = 0;

  /** Keeps at most `max` characters. */
  constructor(max: number) {
    this.#max = max;
  }

  /** Adds output. Returns it as text, without an incomplete character at its end. */
  push(data: Uint8Array): string {
    const text = this.#decoder.decode(data, { stream: true });
    this.#parts.push(text);
    this.#size += text.length;
    if (this.#size > this.#max * 2) this.#cut();
    return text;
  }

  #cut(): void {
    const text = this.#parts.join("");
    const kept = text.length > this.#max ? text.slice(-this.#max).toWellFormed() : text;
    this.#dropped += text.length - kept.length;
    this.#parts = [kept];
    this.#size = kept.length;
  }

  /** Returns the retained output without terminal codes, and clears it. What was left out before it is said in its first line. */
  take(): string {
    this.#cut();
    let text = this.#parts.join("");
    let dropped = this.#dropped;
    this.#parts = [];
    this.#size = 0;
    this.#dropped = 0;
    if (dropped > 0) {
      const begin = text.indexOf("\n") + 1; // the first line is a part of one
      if (begin > 0 && begin < text.length) {
        dropped += begin;
        text = text.slice(begin);
      }
    }
    const plain = stripVTControlCharacters(text);
    return dropped > 0 ? `[${dropped} characters before this are left out]\n${plain}` : plain;
  }
}

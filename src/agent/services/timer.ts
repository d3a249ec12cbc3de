import { LONGEST_DELAY_MS } from "../../base/longest-delay.ts";

/** The one timer of a session. It re-arms one Node timer lazily: arming it for a later instant costs nothing until the earlier
 *  one has passed. An armed timer keeps the process alive. */
export class SessionTimer {
  readonly #now: () => number;
  readonly #due: () => void;
  #until: number | null = null;
  #handle: NodeJS.Timeout | undefined;
  #firesAt = 0;

  /** `due` is called once the instant has come for which the timer was armed last. */
  constructor(now: () => number, due: () => void) {
    this.#now = now;
    this.#due = due;
  }

  /** Arms the timer for an instant, epoch ms, in place of the one before. */
  arm(until: number): void {
    this.#until = until;
    if (this.#handle && this.#firesAt <= until) return void this.#handle.ref();
    clearTimeout(this.#handle);
    this.#start();
  }

  /** Disarms the timer. */
  disarm(): void {
    this.#until = null;
    this.#handle?.unref();
  }

  /** Disarms the timer for good. */
  stop(): void {
    this.#until = null;
    clearTimeout(this.#handle);
    this.#handle = undefined;
  }

  #start(): void {
    const until = this.#until!;
    this.#firesAt = until;
    const delay = Math.min(Math.max(0, until - this.#now()), LONGEST_DELAY_MS);
    this.#handle = setTimeout(() => this.#fire(), delay);
  }

  #fire(): void {
    this.#handle = undefined;
    if (this.#until === null) return;
    if (this.#now() < this.#until) return this.#start();
    this.#until = null;
    this.#due();
  }
}

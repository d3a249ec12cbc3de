import { LONGEST_DELAY_MS, restarted, unref } from "../../core/base/time.ts";

/** The session that has a timer. */
export type TimedSession = {
  now(): number;
  /** Called once the instant has come for which the timer was armed last. */
  timerDue(): void;
};

/** The one timer of a session. It re-arms one Node timer lazily: arming it for a later instant costs nothing until the earlier
 *  one has passed. An armed timer keeps the process alive. */
export class SessionTimer {
  readonly #session: TimedSession;
  #until: number | null = null;
  #handle: NodeJS.Timeout | undefined;
  #firesAt = 0;

  constructor(session: TimedSession) {
    this.#session = session;
  }

  /** Arms the timer for an instant, epoch ms, in place of the one before. */
  arm(until: number): void {
    this.#until = until;
    if (this.#handle && this.#firesAt <= until) return void this.#handle.ref?.();
    clearTimeout(this.#handle);
    this.#start();
  }

  /** Disarms the timer. */
  disarm(): void {
    this.#until = null;
    if (this.#handle) unref(this.#handle);
  }

  /** Frees what a timer holds that is not armed. */
  release(): void {
    if (this.#until === null) this.stop();
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
    const delay = Math.min(Math.max(0, until - this.#session.now()), LONGEST_DELAY_MS);
    this.#handle = setTimeout(() => this.#fire(), delay);
  }

  #fire(): void {
    this.#handle = undefined;
    if (this.#until === null) return;
    if (this.#session.now() < this.#until) return this.#start();
    this.#until = null;
    this.#session.timerDue();
  }
}

/** A timer that starts again with each sign of activity. */
export type IdleTimer = {
  /** Starts the time again. */
  restart(): void;
  stop(): void;
};

/** Calls `onIdle` once `restart` was not called for `ms`, unless `ms` is Infinity or `signal` aborts before. */
export function startIdleTimer(ms: number | undefined, signal: AbortSignal, onIdle: () => void): IdleTimer {
  if (ms === undefined || ms > LONGEST_DELAY_MS || signal.aborted) return { restart() {}, stop() {} };
  const start = (): NodeJS.Timeout =>
    setTimeout(() => {
      stop();
      onIdle();
    }, ms);
  let timer = start();
  const stop = (): void => {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  };
  signal.addEventListener("abort", stop, { once: true });
  return { restart: () => void (timer = restarted(timer, start)), stop };
}

import { LONGEST_DELAY_MS } from "../../base/longest-delay.ts";

/** A timer that starts again with each sign of activity. */
export type IdleTimer = {
  /** Starts the time again. */
  restart(): void;
  stop(): void;
};

/** Calls `onIdle` once `restart` was not called for `ms`, unless `ms` is Infinity or `signal` aborts before. */
export function startIdleTimer(ms: number | undefined, signal: AbortSignal, onIdle: () => void): IdleTimer {
  if (ms === undefined || ms > LONGEST_DELAY_MS || signal.aborted) return { restart() {}, stop() {} };
  const timer = setTimeout(() => {
    stop();
    onIdle();
  }, ms);
  const stop = (): void => {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  };
  signal.addEventListener("abort", stop, { once: true });
  return { restart: () => void timer.refresh(), stop };
}

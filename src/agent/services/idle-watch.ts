import { LONGEST_DELAY_MS } from "../../model/execution.ts";

/** Watches over what has to give a sign of life from time to time. */
export type IdleWatch = {
  /** A sign of life: the time begins anew. */
  touch(): void;
  stop(): void;
};

/** Calls `silent` once there was no sign of life for `ms`. Nobody is watched without a limit or once `signal` aborts. */
export function watchIdle(ms: number | undefined, signal: AbortSignal, silent: () => void): IdleWatch {
  if (ms === undefined || ms > LONGEST_DELAY_MS || signal.aborted) return { touch() {}, stop() {} };
  const timer = setTimeout(() => {
    stop();
    silent();
  }, ms);
  const stop = (): void => {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  };
  signal.addEventListener("abort", stop, { once: true });
  return { touch: () => void timer.refresh(), stop };
}

/** Returns the ms from one time to another of the same clock; 0 if the clock was set back in between. */
export function elapsed(since: number, at: number): number {
  return Math.max(0, at - since);
}

/** The longest delay of a Node timer, ms: about 24 days. A longer time limit counts as no limit. */
export const LONGEST_DELAY_MS = 2 ** 31 - 1;

/** Returns the delay of a timer for so long, or for as long as a timer can be. One with a longer delay would fire at once. */
export const delayOf = (ms: number): number => Math.min(ms, LONGEST_DELAY_MS);

/** Returns the delay of a timer that is to fire at a time, or as soon as it can. */
export function delayUntil(at: number, now: number): number {
  return delayOf(elapsed(now, at));
}

/** Starts a timer from its beginning, and returns the one that runs now: those of a browser are numbers, of which each runs once. */
export function restarted(timer: NodeJS.Timeout, start: () => NodeJS.Timeout): NodeJS.Timeout {
  if (timer.refresh) return timer.refresh();
  clearTimeout(timer);
  return start();
}

/** Lets the process end while a timer runs, and returns it. The timers of a browser are numbers and have no such thing. */
export function unref<Timer extends { unref?(): unknown }>(timer: Timer): Timer {
  timer.unref?.();
  return timer;
}

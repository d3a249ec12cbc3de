/** Returns the ms from one time to another of the same clock; 0 if the clock was set back in between. */
export function elapsed(since: number, at: number): number {
  return Math.max(0, at - since);
}

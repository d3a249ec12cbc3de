import { useCallback, useSyncExternalStore } from "react";

/** The clock of the page: what shows a time changes together, when a second or a fraction of it begins. */
class Clock {
  #now = Date.now();
  readonly #intervals = new Map<() => void, number>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #tickAt = Infinity;

  /** The beginning of the current interval, epoch ms. */
  at(intervalMs: number): number {
    return this.#now - (this.#now % intervalMs);
  }

  subscribe(listener: () => void, intervalMs: number): () => void {
    this.#now = Date.now();
    this.#intervals.set(listener, intervalMs);
    this.#schedule();
    return () => void this.#intervals.delete(listener);
  }

  #schedule(): void {
    const next = Math.min(...[...this.#intervals.values()].map((each) => this.at(each) + each));
    if (next >= this.#tickAt || next === Infinity) return;
    clearTimeout(this.#timer);
    this.#tickAt = next;
    this.#timer = setTimeout(() => this.#tick(), next - Date.now());
  }

  #tick(): void {
    this.#tickAt = Infinity;
    this.#now = Date.now();
    for (const listener of this.#intervals.keys()) listener();
    this.#schedule();
  }
}

const clock = new Clock();
const never = () => () => {};

/** Returns the current time, epoch ms, rounded down to a multiple of `intervalMs` and updated as often while `isRunning`. */
export function useNow(intervalMs: number, isRunning = true): number {
  const subscribe = useCallback(
    (listener: () => void) => clock.subscribe(listener, intervalMs),
    [intervalMs],
  );
  return useSyncExternalStore(isRunning ? subscribe : never, () => clock.at(intervalMs));
}

import { delayOf } from "../core/base/time.ts";
import { AgentError, errorInfo } from "../core/base/error.ts";
import type { WakeQueue } from "./queue/port.ts";
import { endsWithin } from "../store/deadlines.ts";
import type { SessionStore } from "../store/port.ts";
import type { Report } from "./report.ts";

/** Options of a {@link Sweep}. */
export type SweepOptions = {
  readonly queue: WakeQueue;
  readonly store: SessionStore;
  readonly report: Report;
  readonly now: () => number;
  /** The time between two sweeps, ms; 0: never. */
  readonly everyMs: number;
  /** Runs a session in this worker, without the queue. Returns false if all places are taken. */
  readonly run: (sessionId: string) => boolean;
};

/** The number of sessions that one sweep reads; the next sweep continues after them. */
const MAX_PER_SWEEP = 500;

/** The pause of a session that is found by every sweep doubles up to this number of sweeps. */
const MAX_SKIPPED_SWEEPS = 16;

/** The maximum time of a wake-up before the queue counts as away, ms. */
const WAKE_MS = 2_000;

/** For how long a queue that is away is not asked again, ms. */
const AWAY_MS = 10_000;

/** A found session is skipped for `pause` sweeps, until sweep number `next`. */
type Pause = { readonly pause: number; readonly next: number };

/**
 * Periodically takes care of the sessions that {@link SessionStore.listDue} lists: their wake-up was lost, or its sender died. It also
 * fires deadlines. It wakes them through the queue. While that takes no wake-ups, and if a session that was woken is found again, it is run
 * here: leases make that safe.
 */
export class Sweep {
  readonly #options: SweepOptions;
  /** The sessions found in the previous pass over all pages, and in this one. */
  #known = new Map<string, Pause>();
  #found = new Map<string, Pause>();
  #cursor: string | undefined;
  #count = 0;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  #isSweeping = false;
  /** Until when no other wake-up is tried, because the queue has not accepted the last one, in ms of this process. */
  #awayUntil = 0;
  /** Sessions were found for which there was no place. */
  #isBehind = false;

  constructor(options: SweepOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#options.everyMs > 0) void this.#round();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** Says that a place is free: the next sweep comes at once if the last one had too few. */
  placeFreed(): void {
    if (!this.#isBehind || this.#isSweeping || this.#isStopped) return;
    clearTimeout(this.#timer);
    void this.#round();
  }

  async #round(): Promise<void> {
    const { report, everyMs } = this.#options;
    this.#isSweeping = true;
    this.#isBehind = false;
    try {
      await this.#sweep();
    } catch (error) {
      report.emit({ type: "error", from: "store", error: errorInfo(error, "store/failed") });
    }
    this.#isSweeping = false;
    if (this.#isStopped) return;
    const jitter = 0.8 + Math.random() * 0.4; // so that workers do not sweep at the same time
    this.#timer = setTimeout(() => void this.#round(), delayOf(everyMs * jitter));
  }

  async #sweep(): Promise<void> {
    const { store, report, now } = this.#options;
    const from = this.#cursor === undefined ? {} : { cursor: this.#cursor };
    const { sessionIds, cursor } = await store.listDue({ before: now(), limit: MAX_PER_SWEEP, ...from });
    this.#cursor = cursor;
    this.#count++;
    let woken = 0;
    for (const sessionId of sessionIds) {
      if (this.#isStopped) return;
      const known = this.#known.get(sessionId);
      if (known && known.next > this.#count) {
        this.#found.set(sessionId, known);
        continue;
      }
      const isTaken = await this.#isTaken(sessionId, known !== undefined);
      if (isTaken) woken++;
      else this.#isBehind = true;
      this.#found.set(sessionId, isTaken ? this.#paused(known) : { pause: 0, next: this.#count + 1 });
    }
    if (cursor === undefined) [this.#known, this.#found] = [this.#found, new Map()];
    if (woken > 0) report.emit({ type: "sweep", woken });
  }

  /** Wakes a session, or runs it here. Returns false if neither is possible now. `isLate`: the sweep before has found it, too. */
  async #isTaken(sessionId: string, isLate: boolean): Promise<boolean> {
    const { run } = this.#options;
    if (isLate && run(sessionId)) return true;
    if (performance.now() >= this.#awayUntil) {
      if (await this.#wake(sessionId)) return true;
      this.#awayUntil = performance.now() + AWAY_MS;
    }
    return run(sessionId);
  }

  #paused({ pause }: Pause = { pause: 0, next: 0 }): Pause {
    const later = Math.max(1, Math.min(pause * 2, MAX_SKIPPED_SWEEPS));
    return { pause: later, next: this.#count + later };
  }

  /** Returns false, and reports it, if the queue has not accepted the wake-up in time. */
  async #wake(sessionId: string): Promise<boolean> {
    const { queue, report } = this.#options;
    try {
      if (await endsWithin(queue.wake(sessionId), WAKE_MS)) return true;
      throw new AgentError("queue/failed", "The queue did not take a wake-up in time.");
    } catch (error) {
      report.emit({ type: "error", from: "queue", error: errorInfo(error, "queue/failed") });
      return false;
    }
  }
}

import { errorInfo } from "../base/error.ts";
import type { WakeQueue } from "./queue/port.ts";
import type { SessionStore } from "../store/port.ts";
import type { Report } from "./report.ts";

export type SweepOptions = {
  readonly queue: WakeQueue;
  readonly store: SessionStore;
  readonly report: Report;
  readonly now: () => number;
  /** 0 = never. */
  readonly everyMs: number;
};

/** Sessions woken at most by one sweep; the next one goes on behind them. */
const MAX_PER_SWEEP = 500;

/** A session that is found again and again is woken ever more seldom, up to this many sweeps apart. */
const MAX_SKIPPED_SWEEPS = 16;

/** Wakes, now and then, the sessions that wait for somebody: whoever should have woken them may have died, or the queue lost
 *  it. It is also what fires deadlines. */
export class Sweep {
  readonly #options: SweepOptions;
  /** What was found in former sweeps: how long it pauses, and when it is next. */
  #known = new Map<string, { readonly pause: number; readonly next: number }>();
  #found = new Map<string, { readonly pause: number; readonly next: number }>();
  #cursor: string | undefined;
  #count = 0;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

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

  async #round(): Promise<void> {
    const { report, everyMs } = this.#options;
    try {
      await this.#sweep();
    } catch (error) {
      const info = errorInfo(error, "store/failed");
      report.emit({ type: "error", from: info.code === "queue/failed" ? "queue" : "store", error: info });
    }
    if (this.#isStopped) return;
    const jitter = 0.8 + Math.random() * 0.4; // many workers need not sweep at once
    this.#timer = setTimeout(() => void this.#round(), everyMs * jitter);
  }

  async #sweep(): Promise<void> {
    const { queue, store, report, now } = this.#options;
    const from = this.#cursor === undefined ? {} : { cursor: this.#cursor };
    const { sessionIds, cursor } = await store.listDue({ before: now(), limit: MAX_PER_SWEEP, ...from });
    this.#cursor = cursor;
    this.#count++;
    let woken = 0;
    for (const sessionId of sessionIds) {
      if (this.#isStopped) return;
      if (!this.#isTurnOf(sessionId)) continue;
      await queue.wake(sessionId);
      woken++;
    }
    if (cursor === undefined) [this.#known, this.#found] = [this.#found, new Map()];
    if (woken > 0) report.emit({ type: "sweep", woken });
  }

  /** Whether a session is to be woken this time. */
  #isTurnOf(sessionId: string): boolean {
    const { pause = 0, next = 0 } = this.#known.get(sessionId) ?? {};
    const isNext = next <= this.#count;
    const later = Math.max(1, Math.min(pause * 2, MAX_SKIPPED_SWEEPS));
    this.#found.set(sessionId, isNext ? { pause: later, next: this.#count + later } : { pause, next });
    return isNext;
  }
}

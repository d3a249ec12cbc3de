import { errorInfo } from "../base/error.ts";
import type { WakeQueue } from "./queue/port.ts";
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
};

/** The number of sessions that one sweep reads; the next sweep continues after them. */
const MAX_PER_SWEEP = 500;

/** The pause of a session that is found by every sweep doubles up to this number of sweeps. */
const MAX_SKIPPED_SWEEPS = 16;

/** A found session is skipped for `pause` sweeps, until sweep number `next`. */
type Pause = { readonly pause: number; readonly next: number };

/** Periodically wakes the sessions that {@link SessionStore.listDue} lists: their wake-up was lost, or its sender died. It also
 *  fires deadlines. */
export class Sweep {
  readonly #options: SweepOptions;
  /** The sessions found in the previous pass over all pages, and in this one. */
  #known = new Map<string, Pause>();
  #found = new Map<string, Pause>();
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
    const jitter = 0.8 + Math.random() * 0.4; // so that workers do not sweep at the same time
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

  /** True if a session is woken by this sweep. */
  #isTurnOf(sessionId: string): boolean {
    const { pause = 0, next = 0 } = this.#known.get(sessionId) ?? {};
    const isTurn = next <= this.#count;
    const later = Math.max(1, Math.min(pause * 2, MAX_SKIPPED_SWEEPS));
    this.#found.set(sessionId, isTurn ? { pause: later, next: this.#count + later } : { pause, next });
    return isTurn;
  }
}

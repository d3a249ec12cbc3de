import { setTimeout as sleep } from "node:timers/promises";
import type { CDPSession, Page } from "playwright-core";

/**
 * Measures a page through the DevTools protocol. CPU is the thread's own time, which other processes do not
 * change.
 */
export class PageCost {
  readonly #session: CDPSession;

  private constructor(session: CDPSession) {
    this.#session = session;
  }

  static async of(page: Page): Promise<PageCost> {
    const session = await page.context().newCDPSession(page);
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    return new PageCost(session);
  }

  /** Returns the size of the heap after a garbage collection, in bytes. */
  async heap(): Promise<number> {
    await this.#session.send("HeapProfiler.collectGarbage");
    return (await this.#session.send("Runtime.getHeapUsage")).usedSize;
  }

  /** Returns the size of the heap as soon as it has stopped growing, in bytes. */
  async steadyHeap(): Promise<number> {
    let before = 0;
    let now = await this.heap();
    for (let samples = 0; samples < 30 && now > before * 1.005; samples += 1) {
      await sleep(5_000);
      before = now;
      now = await this.heap();
    }
    return now;
  }

  /** Returns the CPU time of the page's main thread so far, in ms. */
  async cpuMs(): Promise<number> {
    const { metrics } = await this.#session.send("Performance.getMetrics");
    return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0) * 1_000;
  }
}

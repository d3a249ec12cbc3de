import { setTimeout as sleep } from "node:timers/promises";
import type { CDPSession, Page } from "playwright-core";

/** What a page costs, as its browser tells. CPU is time of the page's thread, which busy neighbours do not change. */
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

  /** Bytes of the heap after a collection. */
  async heap(): Promise<number> {
    await this.#session.send("HeapProfiler.collectGarbage");
    return (await this.#session.send("Runtime.getHeapUsage")).usedSize;
  }

  /** The same as soon as the page has all that it needs: it hardly grows any more. */
  async steadyHeap(): Promise<number> {
    let before = 0;
    let now = await this.heap();
    for (let looks = 0; looks < 30 && now > before * 1.005; looks += 1) {
      await sleep(5_000);
      before = now;
      now = await this.heap();
    }
    return now;
  }

  /** Milliseconds that the page's thread has worked so far. */
  async cpuMs(): Promise<number> {
    const { metrics } = await this.#session.send("Performance.getMetrics");
    return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0) * 1_000;
  }
}

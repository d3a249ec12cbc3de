import { setTimeout as sleep } from "node:timers/promises";
import type { CDPSession, Page } from "playwright-core";

/** What a page did in some time. All times in ms; CPU is a thread's own time, which other processes do not change. */
export type Spent = {
  /** CPU of the page's main thread: all of it, and the part of scripts, styles and layout. The rest is mostly painting. */
  readonly main: number;
  readonly script: number;
  readonly style: number;
  readonly layout: number;
  /** CPU of the browser's other threads and processes: rasterisation by software, and what shows its result. */
  readonly raster: number;
  readonly frames: number;
  /** Time of the clock. */
  readonly wall: number;
};

/** Counts frames, of which the browser would otherwise make none while nothing changes. */
const COUNT_FRAMES =
  "globalThis.__frames ??= 0; globalThis.__counts ??= requestAnimationFrame(function count() { __frames++; requestAnimationFrame(count); })";

/** Measures a page through the DevTools protocol. */
export class PageCost {
  readonly #page: Page;
  readonly #session: CDPSession;
  readonly #browser: CDPSession;

  private constructor(page: Page, session: CDPSession, browser: CDPSession) {
    this.#page = page;
    this.#session = session;
    this.#browser = browser;
  }

  static async of(page: Page): Promise<PageCost> {
    const context = page.context();
    const session = await context.newCDPSession(page);
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    return new PageCost(page, session, await context.browser()!.newBrowserCDPSession());
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

  /** Returns what the page does while `work` goes on. */
  async during(work: () => Promise<unknown>): Promise<Spent> {
    await this.#page.evaluate(COUNT_FRAMES);
    const before = await this.#soFar();
    await work();
    const after = await this.#soFar();
    const keys = Object.keys(before) as (keyof Spent)[];
    return Object.fromEntries(keys.map((key) => [key, after[key] - before[key]])) as Spent;
  }

  async #soFar(): Promise<Spent> {
    const [{ metrics }, { processInfo }, frames] = await Promise.all([
      this.#session.send("Performance.getMetrics"),
      this.#browser.send("SystemInfo.getProcessInfo"),
      this.#page.evaluate<number>("__frames"),
    ]);
    const durationOf = (metric: string): number =>
      (metrics.find(({ name }) => name === metric)?.value ?? 0) * 1_000;
    const main = durationOf("TaskDuration");
    const all = processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0) * 1_000;
    return {
      main,
      script: durationOf("ScriptDuration"),
      style: durationOf("RecalcStyleDuration"),
      layout: durationOf("LayoutDuration"),
      raster: all - main,
      frames,
      wall: performance.now(),
    };
  }
}

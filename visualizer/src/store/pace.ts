import { useSyncExternalStore } from "react";
import { model } from "./model.ts";
import type { RunData } from "./run-data.ts";

export type Shown = {
  readonly run: RunData;
  readonly q: number;
  readonly version: number;
  /** There is time to animate. */
  readonly isCalm: boolean;
};

/** Changes a second up to which there is time to animate, and beyond which not every frame shows one. */
const MOST_ANIMATED = 8;
const MOST_SHOWN = 25;
const SLOW_FRAME = 50;
/** Changes of so many ms back are counted. */
const WINDOW = 1_000;
/** More steps at once are a jump, which counts as one change. */
const JUMP = 40;

/** The step that the chart and the timeline show. Beyond 8 changes a second edges only light up and nothing else on the page
 *  moves (`data-busy` on the root), and beyond 25 they change 20 times a second. */
class Pace {
  shown: Shown = { run: model.run, q: 0, version: 0, isCalm: true };
  readonly #listeners = new Set<() => void>();
  #changes: readonly { readonly at: number; readonly count: number }[] = [];
  #last = 0;
  #told = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #calm: ReturnType<typeof setTimeout> | undefined;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  readonly notice = (): void => {
    const now = performance.now();
    this.#changes = this.#changes.filter(({ at }) => now - at < WINDOW);
    const count = Math.abs(model.q - this.#last);
    this.#last = model.q;
    if (count > 0) {
      this.#changes = [...this.#changes, { at: now, count: count > JUMP ? 1 : count }];
      clearTimeout(this.#calm);
      this.#calm = setTimeout(this.#show, WINDOW);
    }
    if (this.#timer !== undefined) return;
    const left = this.#perSecond() > MOST_SHOWN ? SLOW_FRAME - (now - this.#told) : 0;
    if (left > 0) this.#timer = setTimeout(this.#show, left);
    else this.#show();
  };

  readonly #show = (): void => {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#told = performance.now();
    this.#changes = this.#changes.filter(({ at }) => this.#told - at < WINDOW);
    const isCalm = this.#perSecond() <= MOST_ANIMATED;
    document.documentElement.toggleAttribute("data-busy", !isCalm);
    const { q, run } = model;
    const { version } = run;
    if (this.shown.run === run && this.shown.q === q && this.shown.version === version) return;
    this.shown = { run, q, version, isCalm };
    for (const listener of this.#listeners) listener();
  };

  #perSecond(): number {
    return this.#changes.reduce((sum, { count }) => sum + count, 0);
  }
}

export const pace = new Pace();
model.subscribe(pace.notice);

export function usePace(): Shown {
  return useSyncExternalStore(pace.subscribe, () => pace.shown);
}

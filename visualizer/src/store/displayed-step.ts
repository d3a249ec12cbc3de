import { useSyncExternalStore } from "react";
import type { StreamBlock } from "../logic/stream-text.ts";
import { model } from "./model.ts";
import type { RunData } from "./run-data.ts";

/** The step that the chart, the list of steps and the details display. */
export type DisplayedStep = {
  readonly run: RunData;
  readonly stepNumber: number;
  readonly version: number;
  /** True if changes are rare enough to be animated. */
  readonly isAnimated: boolean;
};

/** The maximum rates that are animated, and that are displayed in every frame, in changes per second. An animation takes more than half a
 *  second: of four in a second none would be seen to its end. */
const MAX_ANIMATED_RATE = 3;
const MAX_FRAME_RATE = 25;
const SLOW_FRAME_MS = 50;
/** While changes are fast, what is displayed may take this share of the time: the rest is for the pointer that a person drags. */
const MOST_BUSY = 0.4;
const MOST_SLOW_MS = 200;
/** Notifications come with frames, so that the next one may be this much earlier, ms. */
const FRAME_MS = 8;
/** The period in which changes are counted, ms. */
const PERIOD_MS = 1_000;
/** A change by more steps is a jump, which counts once. */
const JUMP = 40;
const NO_BLOCKS: readonly never[] = [];

/**
 * Limits the rate at which the page follows the selected step. Above 3 changes per second nothing is animated (`data-busy` on the
 * root element). What arrives is shown at most 20 times per second, less often on a slow machine. Above 25 changes per second, all but
 * the scrubber changes as often while a person drags along it.
 */
class StepThrottle {
  displayed: DisplayedStep = { run: model.run, stepNumber: 0, version: 0, isAnimated: true };
  /** The text that is being written, if the newest step is displayed. */
  blocks: readonly StreamBlock[] = NO_BLOCKS;
  readonly #listeners = new Set<() => void>();
  #changes: readonly { readonly at: number; readonly count: number }[] = [];
  #last = 0;
  #displayedAt = 0;
  /** Time that the page took to display a step, ms. */
  #tookMs = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #settleTimer: ReturnType<typeof setTimeout> | undefined;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  readonly onModelChange = (): void => {
    const now = performance.now();
    const count = Math.abs(model.stepNumber - this.#last);
    this.#last = model.stepNumber;
    if (count > 0) {
      this.#changes = [...this.#changes, { at: now, count: count > JUMP ? 1 : count }];
      clearTimeout(this.#settleTimer);
      this.#settleTimer = setTimeout(this.#display, PERIOD_MS);
    }
    const isSlowed = this.#perSecond(now) > MAX_FRAME_RATE;
    const slowMs = Math.min(MOST_SLOW_MS, Math.max(SLOW_FRAME_MS, this.#tookMs / MOST_BUSY));
    model.arrivalIntervalMs = slowMs;
    const left = isSlowed && model.run === this.displayed.run ? this.#displayedAt + slowMs - now : 0;
    if (left <= FRAME_MS) this.#display();
    else this.#timer ??= setTimeout(this.#display, left);
  };

  readonly #display = (): void => {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const begun = (this.#displayedAt = performance.now());
    setTimeout(() => (this.#tookMs = performance.now() - begun)); // what is drawn in between is part of it
    const isAnimated = this.#perSecond(this.#displayedAt) <= MAX_ANIMATED_RATE;
    document.documentElement.toggleAttribute("data-busy", !isAnimated);
    const { stepNumber, run, isLive } = model;
    const { version } = run;
    const { displayed } = this;
    this.blocks = isLive ? model.stream.blocks : NO_BLOCKS;
    const isSame = displayed.run === run && displayed.stepNumber === stepNumber;
    if (!isSame || displayed.version !== version || displayed.isAnimated !== isAnimated)
      this.displayed = { run, stepNumber, version, isAnimated };
    for (const listener of this.#listeners) listener();
  };

  #perSecond(now: number): number {
    this.#changes = this.#changes.filter(({ at }) => now - at < PERIOD_MS);
    return this.#changes.reduce((sum, { count }) => sum + count, 0);
  }
}

/** The throttle of this page. */
export const stepThrottle = new StepThrottle();
model.subscribe(stepThrottle.onModelChange);

/** Selects a part of what is displayed, and renders the component again when it changes. */
export function useDisplayed<T>(select: (throttle: StepThrottle) => T): T {
  return useSyncExternalStore(stepThrottle.subscribe, () => select(stepThrottle));
}

/** Returns the displayed step, and renders the component again when it changes. */
export const useDisplayedStep = (): DisplayedStep => useDisplayed(({ displayed }) => displayed);

import { useSyncExternalStore } from "react";
import { model } from "./model.ts";
import type { RunData } from "./run-data.ts";

/** The step that the chart and the list of steps display. */
export type DisplayedStep = {
  readonly run: RunData;
  readonly stepNumber: number;
  readonly version: number;
  /** True if changes are rare enough to be animated. */
  readonly isAnimated: boolean;
};

/** The maximum rates that are animated, and that are displayed in every frame, in changes per second. */
const MAX_ANIMATED_RATE = 8;
const MAX_FRAME_RATE = 25;
const SLOW_FRAME_MS = 50;
/** The period in which changes are counted, ms. */
const PERIOD_MS = 1_000;
/** A change by more steps is a jump, which counts once. */
const JUMP = 40;

/**
 * Limits the rate at which the chart and the list of steps follow the selected step. Above 8 changes per second
 * nothing is animated (`data-busy` on the root element), above 25 they change 20 times per second.
 */
class StepThrottle {
  displayed: DisplayedStep = { run: model.run, stepNumber: 0, version: 0, isAnimated: true };
  readonly #listeners = new Set<() => void>();
  #changes: readonly { readonly at: number; readonly count: number }[] = [];
  #last = 0;
  #displayedAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #settleTimer: ReturnType<typeof setTimeout> | undefined;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  readonly onModelChange = (): void => {
    const now = performance.now();
    this.#changes = this.#changes.filter(({ at }) => now - at < PERIOD_MS);
    const count = Math.abs(model.stepNumber - this.#last);
    this.#last = model.stepNumber;
    if (count > 0) {
      this.#changes = [...this.#changes, { at: now, count: count > JUMP ? 1 : count }];
      clearTimeout(this.#settleTimer);
      this.#settleTimer = setTimeout(this.#display, PERIOD_MS);
    }
    if (this.#timer !== undefined) return;
    const left = this.#perSecond() > MAX_FRAME_RATE ? SLOW_FRAME_MS - (now - this.#displayedAt) : 0;
    if (left > 0) this.#timer = setTimeout(this.#display, left);
    else this.#display();
  };

  readonly #display = (): void => {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#displayedAt = performance.now();
    this.#changes = this.#changes.filter(({ at }) => this.#displayedAt - at < PERIOD_MS);
    const isAnimated = this.#perSecond() <= MAX_ANIMATED_RATE;
    document.documentElement.toggleAttribute("data-busy", !isAnimated);
    const { stepNumber, run } = model;
    const { version } = run;
    if (
      this.displayed.run === run &&
      this.displayed.stepNumber === stepNumber &&
      this.displayed.version === version
    )
      return;
    this.displayed = { run, stepNumber, version, isAnimated };
    for (const listener of this.#listeners) listener();
  };

  #perSecond(): number {
    return this.#changes.reduce((sum, { count }) => sum + count, 0);
  }
}

/** The throttle of this page. */
export const stepThrottle = new StepThrottle();
model.subscribe(stepThrottle.onModelChange);

/** Returns the displayed step, and renders the component again when it changes. */
export function useDisplayedStep(): DisplayedStep {
  return useSyncExternalStore(stepThrottle.subscribe, () => stepThrottle.displayed);
}

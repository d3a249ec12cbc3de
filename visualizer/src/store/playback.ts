import { model } from "./model.ts";
import { goLive, goTo } from "./navigate.ts";

/** Bounds of the time that a step is displayed during a playback, ms. */
const MAX_STEP_MS = 900;
const MIN_STEP_MS = 60;

let timer: ReturnType<typeof setTimeout> | undefined;

/** Plays the steps at their original pace, until the newest one or until it is paused. */
export function play(speed: 1 | 2 | 4): void {
  if (model.run.last === 0) return;
  if (model.isLive || model.stepNumber >= model.run.last) goTo(model.run.first);
  model.set({ playback: { speed } });
  clearTimeout(timer);
  next();
}

/** Pauses the playback. */
export function pause(): void {
  clearTimeout(timer);
  model.set({ playback: null });
}

/** Starts the playback at normal speed, or pauses it. */
export function togglePlay(): void {
  if (model.playback) pause();
  else play(1);
}

function next(): void {
  const { playback, stepNumber, run } = model;
  if (!playback) return;
  const length = run.durationOf(stepNumber) ?? MAX_STEP_MS;
  const wait = Math.min(MAX_STEP_MS, Math.max(MIN_STEP_MS, length)) / playback.speed;
  timer = setTimeout(() => {
    if (!model.playback) return;
    if (model.stepNumber >= model.run.last) goLive();
    else goTo(model.stepNumber + 1);
    next();
  }, wait);
}

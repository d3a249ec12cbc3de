import { model } from "./model.ts";
import { goLive, goTo } from "./navigate.ts";

/** Nobody wants to watch a rest, nor miss a step of no length. */
const LONGEST = 900;
const SHORTEST = 60;

let timer: ReturnType<typeof setTimeout> | undefined;

/** Shows step after step as they came, until the newest or until it is stopped. */
export function play(speed: 1 | 2 | 4): void {
  if (model.run.last === 0) return;
  if (model.isLive || model.q >= model.run.last) goTo(model.run.first);
  model.set({ playback: { speed } });
  clearTimeout(timer);
  next();
}

export function pause(): void {
  clearTimeout(timer);
  model.set({ playback: null });
}

export function togglePlay(): void {
  if (model.playback) pause();
  else play(1);
}

function next(): void {
  const { playback, q, run } = model;
  if (!playback) return;
  const length = run.durationOf(q) ?? LONGEST;
  const wait = Math.min(LONGEST, Math.max(SHORTEST, length)) / playback.speed;
  timer = setTimeout(() => {
    if (!model.playback) return;
    if (model.q >= model.run.last) goLive();
    else goTo(model.q + 1);
    next();
  }, wait);
}

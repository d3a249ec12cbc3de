import type { MissedTicks } from "./options.ts";
import { newestTick, type NextTick } from "./ticks.ts";

/** The state of a schedule, as each step stores it. Times are epoch ms. */
export type ScheduleState = {
  /** The ticks up to this time are decided: they are started, being started, or skipped. */
  readonly decided: number;
  /** Ticks that are to be started, and perhaps were. */
  readonly starting: readonly number[];
  /** The number of ticks that were started. */
  readonly starts: number;
  /** The newest tick that was started. */
  readonly lastTick?: number;
  readonly isPaused?: true;
};

/** The decision about the ticks that are due. */
export type TickPlan = {
  readonly state: ScheduleState;
  /** The first and the last tick that are skipped. */
  readonly skipped?: { readonly from: number; readonly to: number };
};

/** The number of ticks that one step starts: a state must stay small. */
const MAX_STARTING = 10;

/** Decides about the ticks that are due. Ticks that were decided stay so, also if the clock is put back. */
export function planTicks(
  state: ScheduleState,
  next: NextTick,
  now: number,
  { missed, graceMs }: { readonly missed: MissedTicks; readonly graceMs: number },
): TickPlan {
  const first = next(state.decided);
  if (state.isPaused || first === undefined || first > now) return { state };
  if (missed === "all") return planAll(state, next, now, first);
  const newest = newestTick(next, state.decided, now) ?? first;
  const isStarted = missed === "once" || now - newest <= graceMs;
  const before = isStarted ? newest - 1 : newest;
  const last = before < first ? undefined : newestTick(next, state.decided, before);
  return {
    state: { ...state, decided: newest, starting: isStarted ? [newest] : [] },
    ...(last !== undefined && { skipped: { from: first, to: last } }),
  };
}

function planAll(state: ScheduleState, next: NextTick, now: number, first: number): TickPlan {
  const starting: number[] = [];
  let tick: number | undefined = first;
  while (tick !== undefined && tick <= now && starting.length < MAX_STARTING) {
    starting.push(tick);
    tick = next(tick);
  }
  return { state: { ...state, decided: starting.at(-1)!, starting } };
}

/** Returns the state after the planned ticks were started. */
export function started(state: ScheduleState): ScheduleState {
  const { starting, starts } = state;
  if (starting.length === 0) return state;
  return { ...state, starting: [], starts: starts + starting.length, lastTick: starting.at(-1)! };
}

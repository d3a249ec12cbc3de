// The plan of ticks after outages and changes of the clock.
import { expect, test } from "vitest";
import { planTicks, started, type ScheduleState } from "../../../src/worker/schedule/plan.ts";
import type { MissedTicks } from "../../../src/worker/schedule/options.ts";

// A tick at each multiple of 100.
const next = (after: number): number => (Math.floor(after / 100) + 1) * 100;
const state = (decided: number, more: Partial<ScheduleState> = {}): ScheduleState => ({
  decided,
  starting: [],
  starts: 0,
  ...more,
});

type Row = [
  what: string,
  now: number,
  missed: MissedTicks,
  starting: readonly number[],
  decided: number,
  skipped?: readonly [number, number],
];

test.each<Row>([
  ["nothing is due", 99, "once", [], 0],
  ["one tick on time", 100, "once", [100], 100],
  ["one tick on time", 100, "skip", [100], 100],
  ["one tick on time", 100, "all", [100], 100],
  ["one tick within the grace", 150, "skip", [100], 100],
  ["one tick after the grace", 151, "skip", [], 100, [100, 100]],
  ["one late tick", 199, "once", [100], 100],
  ["three ticks", 310, "once", [300], 300, [100, 200]],
  ["three ticks, the last within the grace", 310, "skip", [300], 300, [100, 200]],
  ["three ticks, all too late", 360, "skip", [], 300, [100, 300]],
  ["three ticks", 399, "all", [100, 200, 300], 300],
])("%s at %i with the policy %s", (_, now, missed, starting, decided, skipped) => {
  const plan = planTicks(state(0), next, now, { missed, graceMs: 50 });
  expect(plan.state).toMatchObject({ starting, decided });
  expect(plan.skipped).toEqual(skipped && { from: skipped[0], to: skipped[1] });
});

test("a long outage is made up for in steps, in order, each tick once", () => {
  let current = state(0);
  const all: number[] = [];
  let steps = 0;
  for (; ; steps++) {
    const plan = planTicks(started(current), next, 10_050, { missed: "all", graceMs: 0 });
    if (plan.state.starting.length === 0) break;
    all.push(...plan.state.starting);
    current = plan.state;
    expect(JSON.stringify(current).length).toBeLessThan(250);
  }
  expect(all).toEqual(Array.from({ length: 100 }, (_, index) => (index + 1) * 100));
  expect(started(current)).toMatchObject({ starts: 100, lastTick: 10_000, starting: [] });
  expect(steps).toBe(10);
});

test.each(["skip", "once", "all"] as const)(
  "a clock that is put back starts no tick again, with %s",
  (missed) => {
    const policy = { missed, graceMs: 50 };
    const ahead = planTicks(state(0), next, 500, policy).state;
    for (const now of [500, 450, 300, 100, 0]) expect(planTicks(ahead, next, now, policy).state).toBe(ahead);
    expect(planTicks(started(ahead), next, 600, policy).state.starting).toEqual([600]);
  },
);

test("a paused schedule plans nothing", () => {
  const paused = state(0, { isPaused: true });
  expect(planTicks(paused, next, 1_000, { missed: "all", graceMs: 0 }).state).toBe(paused);
});

// Times of cron and of days, over changes of daylight saving time.
import { describe, expect, test } from "vitest";
import { newestTick, ticksOf, tickName, type NextTick } from "../../../src/worker/schedule/ticks.ts";

const iso = (time: number): string => new Date(time).toISOString().replace(":00.000Z", "Z");
function take(next: NextTick, from: string, count: number): string[] {
  const found: string[] = [];
  let tick = next(Date.parse(from));
  while (tick !== undefined && found.length < count) {
    found.push(iso(tick));
    tick = next(tick);
  }
  return found;
}

type Row = readonly [zone: string, cron: string, from: string, ticks: readonly string[]];

// In spring an hour is missing (in Lord Howe half of one, in São Paulo the one after midnight), in autumn one is there twice.
const ROWS: readonly Row[] = [
  [
    "Europe/Berlin",
    "30 2 * * *",
    "2026-03-28T12:00Z",
    ["2026-03-29T01:00Z", "2026-03-30T00:30Z", "2026-03-31T00:30Z"],
  ],
  [
    "Europe/Berlin",
    "0 * * * *",
    "2026-03-28T23:30Z",
    ["2026-03-29T00:00Z", "2026-03-29T01:00Z", "2026-03-29T02:00Z"],
  ],
  ["Europe/Berlin", "30 2 * * *", "2026-10-24T12:00Z", ["2026-10-25T00:30Z", "2026-10-26T01:30Z"]],
  [
    "Europe/Berlin",
    "0 * * * *",
    "2026-10-24T23:30Z",
    ["2026-10-25T00:00Z", "2026-10-25T01:00Z", "2026-10-25T02:00Z"],
  ],
  [
    "Europe/Berlin",
    "*/30 * * * *",
    "2026-10-24T23:45Z",
    ["2026-10-25T00:00Z", "2026-10-25T00:30Z", "2026-10-25T01:00Z", "2026-10-25T01:30Z", "2026-10-25T02:00Z"],
  ],
  ["America/New_York", "30 2 * * *", "2026-03-07T12:00Z", ["2026-03-08T07:00Z", "2026-03-09T06:30Z"]],
  ["America/New_York", "30 1 * * *", "2026-10-31T12:00Z", ["2026-11-01T05:30Z", "2026-11-02T06:30Z"]],
  ["Australia/Lord_Howe", "15 2 * * *", "2026-10-03T00:00Z", ["2026-10-03T15:30Z", "2026-10-04T15:15Z"]],
  ["Australia/Lord_Howe", "45 1 * * *", "2026-04-04T00:00Z", ["2026-04-04T14:45Z", "2026-04-05T15:15Z"]],
  [
    "America/Sao_Paulo",
    "0 0 * * *",
    "2018-11-03T00:00Z",
    ["2018-11-03T03:00Z", "2018-11-04T03:00Z", "2018-11-05T02:00Z"],
  ],
  ["UTC", "0 0 29 2 *", "2026-03-01T00:00Z", ["2028-02-29T00:00Z", "2032-02-29T00:00Z"]],
  ["Asia/Kolkata", "0 9 * * MON-FRI", "2026-02-27T12:00Z", ["2026-03-02T03:30Z", "2026-03-03T03:30Z"]],
];

test.each(ROWS)("cron in %s: '%s' after %s", async (timeZone, cron, from, ticks) => {
  expect(take(await ticksOf({ cron, timeZone }), from, ticks.length)).toEqual(ticks);
});

/** Returns the local time of a moment as "2026-03-29 02:30". */
function wallClock(timeZone: string): (time: number) => string {
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" });
  return (time) => format.format(time);
}

describe("a daily time runs once on each day: at that time, at its first one, or at the end of the gap", () => {
  const QUARTER = 900_000;
  const years: readonly (readonly [zone: string, year: number])[] = [
    ["Europe/Berlin", 2026],
    ["America/New_York", 2026],
    ["Australia/Lord_Howe", 2026],
    ["America/Sao_Paulo", 2018],
    ["Africa/Casablanca", 2026],
    ["Asia/Kathmandu", 2026],
  ];
  test.each(years)("in %s in %i", async (timeZone, year) => {
    const local = wallClock(timeZone);
    const [begin, end] = [Date.UTC(year, 0, 2), Date.UTC(year, 11, 30)];
    const quarters = Array.from({ length: (end - begin) / QUARTER }, (_, index) => {
      const time = begin + index * QUARTER;
      return { time, at: local(time) };
    });
    for (const [hour, minute] of [
      ["00", "00"],
      ["01", "45"],
      ["02", "15"],
      ["02", "30"],
      ["03", "00"],
      ["23", "30"],
    ] as const) {
      const wanted = new Map<string, number>();
      for (const { time, at } of quarters) {
        const [day = "", clock = ""] = at.split(" ");
        if (!wanted.has(day) && clock >= `${hour}:${minute}`) wanted.set(day, time);
      }
      const next = await ticksOf({ cron: `${Number(minute)} ${Number(hour)} * * *`, timeZone });
      const days = [...wanted.values()].slice(1, -1);
      const found: number[] = [];
      let tick = next(days[0]! - 1);
      while (tick !== undefined && tick <= days.at(-1)!) {
        found.push(tick);
        tick = next(tick);
      }
      expect(found.map(iso), `${hour}:${minute}`).toEqual(days.map(iso));
    }
  });
});

test("a cron expression of six fields has seconds, and a tick is strictly after the time", async () => {
  const next = await ticksOf({ cron: "*/20 * * * * *", timeZone: "UTC" });
  const at = Date.parse("2026-01-01T00:00:20Z");
  expect([at - 1, at, at + 1, at + 19_999].map((time) => (next(time)! - at) / 1_000)).toEqual([
    0, 20, 20, 20,
  ]);
});

test("the ticks of an interval are multiples of it after the first one, whatever the time is", async () => {
  const next = await ticksOf({ everyMs: 7_000, from: 100_000 });
  expect([0, 99_999, 100_000, 106_999, 107_000, 10_000_000].map(next)).toEqual([
    100_000, 100_000, 107_000, 107_000, 114_000, 10_005_000,
  ]);
});

test("a single time is a tick once", async () => {
  const next = await ticksOf({ at: 5_000 });
  expect([4_999, 5_000].map(next)).toEqual([5_000, undefined]);
});

test.each(["0 0 31 4,6 *", "0 0 30 2 *"])("'%s' has no tick", async (cron) => {
  expect((await ticksOf({ cron, timeZone: "Europe/Berlin" }))(Date.parse("2026-01-01"))).toBeUndefined();
});

test.each([
  ["", "five fields"],
  ["5 4", "five fields"],
  ["2026-01-01T00:00:00", "five fields"],
  ["61 * * * *", "61"],
  ["* * * * MOO", "MOO|dayOfWeek"],
  ["@reboot", "."],
])("the cron expression '%s' is refused with config/invalid", async (cron, says) => {
  await expect(ticksOf({ cron, timeZone: "UTC" })).rejects.toMatchObject({
    code: "config/invalid",
    message: expect.stringMatching(new RegExp(`^The cron expression .*(?:${says})`, "u")) as string,
  });
});

test("an unknown time zone is refused with its name", async () => {
  await expect(ticksOf({ cron: "0 0 * * *", timeZone: "Mars/Olympus" })).rejects.toMatchObject({
    code: "schedule/unknown-zone",
    message: expect.stringContaining("'Mars/Olympus'") as string,
  });
});

test("the newest tick is that of a walk through all of them", async () => {
  for (const cron of ["*/7 * * * *", "30 2 * * *", "0 0 1 * *", "0 0 29 2 *"]) {
    const next = await ticksOf({ cron, timeZone: "Europe/Berlin" });
    for (const [from, until] of [
      ["2026-03-27T00:00Z", "2026-03-30T00:07Z"],
      ["2026-10-24T00:00Z", "2026-10-26T12:00Z"],
      ["2026-10-24T00:00Z", "2026-10-24T00:00Z"],
      ["2024-02-27T00:00Z", "2024-03-02T00:00Z"],
    ] as const) {
      let walked: number | undefined;
      let tick = next(Date.parse(from));
      while (tick !== undefined && tick <= Date.parse(until)) [walked, tick] = [tick, next(tick)];
      expect(newestTick(next, Date.parse(from), Date.parse(until)), `${cron} ${from}`).toBe(walked);
    }
  }
});

test("the name of a tick has ms only if the tick has some", () => {
  expect(tickName(Date.parse("2026-03-29T01:00:00Z"))).toBe("20260329T010000Z");
  expect(tickName(Date.parse("2026-03-29T01:00:00.250Z"))).toBe("20260329T010000.250Z");
});

// Schedules in each store.
import { describe, expect, test } from "vitest";
import { textOf, type SessionStore } from "agentchart";
import { openSession } from "agentchart/session";
import {
  createDispatcher,
  createSchedules,
  inProcessQueue,
  type ScheduleOptions,
  type Schedules,
  type WorkerEvent,
} from "agentchart/worker";
import { Report } from "../../src/worker/report.ts";
import { runSchedule } from "../../src/worker/run-schedule.ts";
import { scheduleId } from "../../src/worker/schedule/record.ts";
import { bench, ofType, type Bench } from "./kit.ts";
import { mortal, type Death } from "./mortal.ts";
import { STORES, type Clock } from "./schedule/stores.ts";

const NOON = Date.parse("2026-05-04T12:00:00Z");
const MINUTE = 60_000;
const LEASE_MS = 10_000;
const hourly: ScheduleOptions = { agent: "echo", input: "report", cron: "0 * * * *" };
const iso = (time: number | undefined): string | undefined =>
  time === undefined ? undefined : new Date(time).toISOString().replace(".000Z", "Z");

function desk(store: SessionStore, clock: Clock): Schedules {
  return createSchedules({ store, queue: inProcessQueue(), now: () => clock.now });
}

/** Does what a worker does that is woken for a schedule. */
async function wake(store: SessionStore, clock: Clock, name: string): Promise<readonly WorkerEvent[]> {
  const now = (): number => clock.now;
  const report = new Report(now);
  const events: WorkerEvent[] = [];
  report.subscribe((event) => events.push(event));
  const queue = inProcessQueue();
  const dispatcher = createDispatcher({ store, queue, now });
  const context = {
    dispatcher,
    store,
    queue,
    report,
    now,
    leaseMs: LEASE_MS,
    retryMs: 10,
    isDraining: () => false,
  };
  await runSchedule(context, scheduleId(name));
  await queue.close();
  return events;
}

/** The ids of the inputs of sessions, and those of a fixed session. */
async function startsOf(store: SessionStore, sessionIds: readonly string[]): Promise<string[]> {
  const inputs = await Promise.all(sessionIds.map((id) => store.takeInputs(id, 100_000)));
  return inputs.flat().map(({ id }) => id);
}

describe.each(STORES)("schedules in the store of kind $kind", ({ open }) => {
  test("a schedule is added, listed, paused, resumed and removed", async () => {
    const clock = { now: NOON };
    const store = open(clock);
    const schedules = desk(store, clock);
    const added = await schedules.add("acme/hourly", { ...hourly, meta: { tenant: "acme" } });
    expect(added).toEqual({
      ...{ name: "acme/hourly", agent: "echo", cron: "0 * * * *", timeZone: "UTC", missed: "once" },
      ...{ sessionId: "acme/hourly-{tick}", meta: { tenant: "acme" }, starts: 0, origin: "program" },
      ...{ state: "active", nextTick: NOON + 60 * MINUTE },
    });
    await schedules.add("every", { agent: "echo", input: "x", everyMs: 90_000 });
    const page = await schedules.list({ limit: 1, ...{ prefix: undefined } }); // no option of it
    expect(page.schedules.map(({ name }) => name)).toEqual(["acme/hourly"]);
    const rest = await schedules.list({ cursor: page.cursor });
    expect(rest.schedules.map(({ name, nextTick }) => [name, nextTick])).toEqual([["every", NOON + 90_000]]);
    expect((await schedules.next("every", 3)).map((tick) => tick - NOON)).toEqual([90_000, 180_000, 270_000]);
    expect(await schedules.pause("every")).toMatchObject({ state: "paused" });
    clock.now += 10 * MINUTE;
    await wake(store, clock, "every");
    expect(await schedules.resume("every")).toMatchObject({
      state: "active",
      starts: 0,
      nextTick: NOON + 630_000,
    });
    await schedules.remove("every");
    await expect(schedules.get("every")).rejects.toMatchObject({ code: "schedule/not-found" });
    await expect(schedules.pause("every")).rejects.toMatchObject({ code: "schedule/not-found" });
    await expect(schedules.remove("every")).rejects.toMatchObject({ code: "schedule/not-found" });
  });

  test("schedules are in no list of sessions and in no search, and no input reaches them", async () => {
    const clock = { now: NOON };
    const store = open(clock);
    await desk(store, clock).add("hourly", hourly);
    const dispatcher = createDispatcher({ store, queue: inProcessQueue() });
    await dispatcher.dispatch("zoo", "hi", { agent: "echo" });
    expect((await store.list()).sessions).toEqual([]);
    expect((await store.list({ prefix: "agent" })).sessions).toEqual([]);
    expect((await store.search?.({}))?.sessions ?? []).toEqual([]);
    expect((await store.search?.({ prefix: "a" }))?.total ?? 0).toBe(0);
    expect((await store.prune({ olderThan: 0 })).pruned).toBe(0);
    const id = scheduleId("hourly");
    await expect(dispatcher.cancel(id)).rejects.toMatchObject({ code: "config/invalid" });
    const asked = dispatcher.dispatch(id, "hi", { agent: "echo" });
    await expect(asked).rejects.toMatchObject({ code: "config/invalid" });
  });

  test("a schedule that is due is found by its time, and not before", async () => {
    const clock = { now: NOON };
    const store = open(clock);
    await desk(store, clock).add("hourly", hourly);
    const due = async (at: number) => (await store.listDue({ before: at })).sessionIds;
    expect(await due(NOON + 60 * MINUTE - 1)).toEqual([]);
    expect(await due(NOON + 60 * MINUTE)).toEqual([scheduleId("hourly")]);
    clock.now = NOON + 60 * MINUTE;
    await wake(store, clock, "hourly");
    expect(await due(clock.now)).toEqual(["hourly-20260504T130000Z"]);
  });

  test.each([
    ["once", ["15:00"], ["13:00", "14:00"]],
    ["skip", [], ["13:00", "15:00"]],
    ["all", ["13:00", "14:00", "15:00"], undefined],
  ] as const)("after an outage the policy '%s' starts its ticks", async (missed, starts, skipped) => {
    const clock = { now: NOON };
    const store = open(clock);
    const schedules = desk(store, clock);
    await schedules.add("s", { ...hourly, sessionId: "desk", missed });
    clock.now = NOON + 190 * MINUTE;
    const events = await wake(store, clock, "s");
    await wake(store, clock, "s");
    const key = (time: string): string => `s@20260504T${time.replace(":", "")}00Z`;
    expect(await startsOf(store, ["desk"])).toEqual(starts.map(key));
    const gaps = events.flatMap((event) =>
      event.type === "schedule.skipped" ? [[event.from, event.to]] : [],
    );
    expect(gaps.flat().map((time) => iso(time)?.slice(11, 16))).toEqual(skipped ?? []);
    expect(await schedules.get("s")).toMatchObject({ starts: starts.length, nextTick: NOON + 240 * MINUTE });
    clock.now = NOON + 241 * MINUTE;
    await wake(store, clock, "s");
    expect(await startsOf(store, ["desk"])).toEqual([...starts, "16:00"].map(key));
  });

  test("a clock that jumps starts each tick once, in whichever direction", async () => {
    const clock = { now: NOON };
    const store = open(clock);
    const schedules = desk(store, clock);
    await schedules.add("s", {
      agent: "echo",
      input: "x",
      everyMs: MINUTE,
      sessionId: "desk",
      missed: "all",
    });
    for (const minutes of [1, 4, 2, 0, 3, 4, 5, 5, 30, 6, 31]) {
      clock.now = NOON + minutes * MINUTE;
      await wake(store, clock, "s");
    }
    const starts = await startsOf(store, ["desk"]);
    expect(starts).toHaveLength(31);
    expect(new Set(starts).size).toBe(31);
    expect(await schedules.get("s")).toMatchObject({ starts: 31, lastTick: NOON + 31 * MINUTE });
  });

  test("a single time starts once, and its schedule has then ended", async () => {
    const clock = { now: NOON };
    const store = open(clock);
    const schedules = desk(store, clock);
    await schedules.add("party", { agent: "echo", input: "x", at: "2026-05-04T18:00:00+02:00" });
    clock.now = Date.parse("2026-05-04T16:00:00Z");
    await wake(store, clock, "party");
    await wake(store, clock, "party");
    const sessionId = "party-20260504T160000Z";
    expect(await startsOf(store, [sessionId])).toEqual(["party@20260504T160000Z"]);
    const ended = await schedules.get("party");
    expect(ended).toMatchObject({ state: "ended", lastTick: clock.now, lastSessionId: sessionId, starts: 1 });
    expect((await store.listDue({ before: clock.now + 1e12 })).sessionIds).toEqual([sessionId]);
  });

  test("a worker that dies before or after any write leaves each tick to start once", async () => {
    const live = async (death?: Death): Promise<number> => {
      const clock = { now: NOON };
      const store = open(clock);
      await desk(store, clock).add("s", { ...hourly, missed: "all" });
      clock.now = NOON + 121 * MINUTE;
      const first = mortal(store, death, ["acquire", "append", "putInput", "offerInput", "release"]);
      const run = wake(first.store, clock, "s").catch(() => {});
      await expect
        .poll(async () => first.isDead() || (await Promise.race([run.then(() => true), tick()])))
        .toBe(true);
      first.bury();
      await run;
      clock.now += LEASE_MS + 1;
      await wake(store, clock, "s");
      const ids = ["s-20260504T130000Z", "s-20260504T140000Z"];
      expect(await startsOf(store, ids), JSON.stringify(death)).toEqual([
        "s@20260504T130000Z",
        "s@20260504T140000Z",
      ]);
      expect(await desk(store, clock).get("s"), JSON.stringify(death)).toMatchObject({ starts: 2 });
      return first.appends();
    };
    const writes = await live();
    expect(writes).toBeGreaterThanOrEqual(6);
    for (let append = 1; append <= writes; append++)
      for (const when of ["before", "after"] as const) await live({ append, when });
  });

  test("many workers that are woken at once start a tick once", async () => {
    const clock = { now: NOON };
    const store = open(clock);
    await desk(store, clock).add("s", { ...hourly, missed: "all" });
    clock.now = NOON + 181 * MINUTE;
    await Promise.all(Array.from({ length: 8 }, () => wake(store, clock, "s")));
    await wake(store, clock, "s");
    const ids = ["13", "14", "15"].map((hour) => `s-20260504T${hour}0000Z`);
    expect(await startsOf(store, ids)).toHaveLength(3);
    expect(await desk(store, clock).get("s")).toMatchObject({ starts: 3 });
  });
});

const tick = async (): Promise<boolean> => {
  await new Promise((resolve) => setImmediate(resolve));
  return false;
};

describe("a worker with schedules", () => {
  const memory = STORES[0]!;
  const ended = ({ events }: Bench): number => ofType({ events }, "turn.end").length;

  test("runs a session for each tick, which says what has started it", async () => {
    const clock = { now: NOON };
    const store = memory.open(clock);
    const running = await bench({ store, now: () => clock.now, schedules: { hourly } });
    clock.now = NOON + 60 * MINUTE;
    await expect.poll(() => ended(running)).toBe(1);
    const sessionId = "hourly-20260504T130000Z";
    const [{ meta } = { meta: {} }] = (await store.list()).sessions;
    expect(meta).toMatchObject({ schedule: "hourly", tick: "2026-05-04T13:00:00.000Z", agent: "echo" });
    const { messages } = await (await openSession(store, sessionId)).at();
    expect(messages.map((message) => textOf(message))).toEqual(["report", "echo: report"]);
    expect(messages[0]?.metadata).toEqual({ schedule: "hourly", tick: "2026-05-04T13:00:00.000Z" });
    expect(ofType(running, "schedule.tick")).toEqual([
      { at: clock.now, type: "schedule.tick", schedule: "hourly", tick: clock.now, sessionId, lateMs: 0 },
    ]);
  });

  test("gives the ticks to one session as inputs if it has a name of its own", async () => {
    const clock = { now: NOON };
    const store = memory.open(clock);
    const running = await bench({
      store,
      now: () => clock.now,
      schedules: { s: { ...hourly, sessionId: "desk" } },
    });
    for (const hour of [1, 2]) {
      clock.now = NOON + hour * 60 * MINUTE;
      await expect.poll(() => ended(running)).toBe(hour);
    }
    const { messages } = await (await openSession(store, "desk")).at();
    const ticks = messages.flatMap(({ metadata }) => metadata?.["tick"] ?? []);
    expect(ticks).toEqual(["2026-05-04T13:00:00.000Z", "2026-05-04T14:00:00.000Z"]);
  });

  test("is woken by the queue at the time of a tick, without a sweep", async () => {
    const queue = inProcessQueue();
    const running = await bench({ queue, sweepMs: 0 });
    const schedules = createSchedules({ store: running.store, queue });
    await schedules.add("soon", { agent: "echo", input: "x", at: Date.now() + 30 });
    await expect.poll(() => ended(running)).toBe(1);
    await queue.close();
  });

  test("keeps the state of a schedule that it declares again, and changes one that is asked for anew", async () => {
    const clock = { now: NOON };
    const store = memory.open(clock);
    const every = { agent: "echo", input: "x", everyMs: MINUTE };
    const options = { store, now: () => clock.now };
    const first = await bench({ ...options, schedules: { every } });
    clock.now += MINUTE;
    await expect.poll(() => ended(first)).toBe(1);
    const schedules = desk(store, clock);
    await schedules.pause("every");
    clock.now += 30_000;
    await bench({ ...options, schedules: { every } });
    expect(await schedules.get("every")).toMatchObject({ state: "paused", starts: 1, at: NOON + MINUTE });
    await bench({ ...options, schedules: { every: { ...every, everyMs: 2 * MINUTE } } });
    expect(await schedules.get("every")).toMatchObject({ state: "paused", starts: 1, everyMs: 2 * MINUTE });
  });

  test("a tick that no session can take is reported, and the next one is started", async () => {
    const clock = { now: NOON };
    const store = memory.open(clock);
    const schedules = desk(store, clock);
    await schedules.add("s", { ...hourly, sessionId: "agentchart/schedule/s" });
    clock.now += 61 * MINUTE;
    const events = await wake(store, clock, "s");
    expect(events).toMatchObject([{ type: "schedule.failed", error: { code: "config/invalid" } }]);
    expect(await schedules.get("s")).toMatchObject({ nextTick: NOON + 120 * MINUTE });
  });

  test("a schedule of a later release is left to it", async () => {
    const clock = { now: NOON };
    const store = memory.open(clock);
    await desk(store, clock).add("s", hourly);
    const lease = (await store.acquire(scheduleId("s"), { owner: "later", ttlMs: 1 }))!;
    const position = { phase: "suspended", wakeAt: NOON, schedule: {} };
    const batch = { expectedSeq: 0, fence: lease.fence, entries: [], position, checkpoint: { format: 2 } };
    await store.append(lease.sessionId, batch);
    await store.release(lease);
    await expect(wake(store, clock, "s")).rejects.toMatchObject({ code: "session/version" });
  });
});

describe("what is refused", () => {
  const schedules = (): Schedules => {
    const clock = { now: NOON };
    return desk(STORES[0]!.open(clock), clock);
  };

  test.each<[string, ScheduleOptions, string, RegExp]>([
    ["a", { ...hourly, cron: "0 0 31 4,6 *" }, "schedule/never-fires", /'0 0 31 4,6 \*' matches no time/u],
    ["a", { agent: "echo", input: "x", at: NOON }, "schedule/never-fires", /its time has passed/u],
    ["a", { ...hourly, timeZone: "Mars/Olympus" }, "schedule/unknown-zone", /'Mars\/Olympus'/u],
    ["a", { ...hourly, cron: "every day" }, "config/invalid", /'every day'.*five fields/u],
    ["a", { agent: "echo", input: "x" }, "config/invalid", /`cron`.*`everyMs`.*`at`/u],
    ["a", { ...hourly, everyMs: 5_000 }, "config/invalid", /`cron`.*`everyMs`/u],
    ["a", { agent: "echo", input: "x", everyMs: 999 }, "config/invalid", /`everyMs`.*1000/u],
    ["a", { agent: "echo", input: "x", at: "tomorrow" }, "config/invalid", /`at`.*ISO 8601/u],
    ["a", { agent: "echo", input: "x", at: "2027-01-01T00:00:00" }, "config/invalid", /offset/u],
    ["a", { ...hourly, missed: "some" as "once" }, "config/invalid", /`missed`/u],
    ["a", { ...hourly, input: [] }, "config/invalid", /input/u],
    ["a", { ...hourly, timezone: "UTC" } as ScheduleOptions, "config/invalid", /timeZone/u],
    ["", hourly, "config/invalid", /name of a schedule/u],
    ["a b", hourly, "config/invalid", /name of a schedule/u],
    ["x".repeat(101), hourly, "config/invalid", /name of a schedule/u],
  ])("add('%s', %o) rejects %s", async (name, options, code, message) => {
    const all = schedules();
    await expect(all.add(name, options)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message) as string,
    });
    expect((await all.list()).schedules).toEqual([]);
  });

  test("a name is given once, and whose it is decides who may change it", async () => {
    const clock = { now: NOON };
    const store = STORES[0]!.open(clock);
    const all = desk(store, clock);
    await all.add("s", hourly);
    await expect(all.add("s", hourly)).rejects.toMatchObject({ code: "schedule/exists" });
    expect(await all.set("s", { ...hourly, cron: "30 * * * *" })).toMatchObject({ cron: "30 * * * *" });
    await expect(bench({ store, schedules: { s: hourly } })).rejects.toMatchObject({
      code: "schedule/exists",
    });
    await all.remove("s");
    await bench({ store, now: () => clock.now, schedules: { s: hourly } });
    await expect(all.set("s", hourly)).rejects.toMatchObject({ code: "schedule/exists" });
  });
});

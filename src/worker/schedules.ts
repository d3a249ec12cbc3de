import { SCHEDULE_PREFIX } from "../store/shared.ts";
import { setTimeout as sleep } from "node:timers/promises";
import { messagesOf } from "../agent/options/config.ts";
import { AgentError, configError } from "../core/base/error.ts";
import * as s from "../core/base/option-schema.ts";
import { check } from "../core/base/options.ts";
import type { JsonObject } from "../core/base/json.ts";
import { withDeadlines } from "../store/deadlines.ts";
import { LEASE_MS, withLeaseIfFree, sessionLocked } from "../store/lease.ts";
import type { Lease, SessionStore } from "../store/port.ts";
import { dispatcherSchema } from "./option-schemas.ts";
import type { WakeQueue } from "./queue/port.ts";
import { sessionOf } from "./run-schedule.ts";
import { checkFires, defineSchedule, isSameSchedule, type DefinedSchedule } from "./schedule/define.ts";
import { scheduleName, type MissedTicks, type ScheduleOptions } from "./schedule/options.ts";
import type { ScheduleState } from "./schedule/plan.ts";
import {
  readSchedule,
  scheduleId,
  wakeAtOf,
  writeSchedule,
  type ScheduleDefinition,
  type StoredSchedule,
} from "./schedule/record.ts";
import { ticksOf } from "./schedule/ticks.ts";
import type { DispatcherOptions } from "./types.ts";

/** A schedule with its state. Times are epoch ms. */
export type ScheduleInfo = {
  readonly name: string;
  readonly agent: string;
  readonly cron?: string | undefined;
  readonly timeZone?: string | undefined;
  readonly everyMs?: number | undefined;
  /** The only tick, or the first one of an interval. */
  readonly at?: number | undefined;
  /** The session of its starts, with `{tick}` for the time of a tick. */
  readonly sessionId: string;
  readonly meta: JsonObject;
  readonly missed: MissedTicks;
  /** `ended`: it has no tick any more. */
  readonly state: "active" | "paused" | "ended";
  /** The next tick; absent unless it is active. */
  readonly nextTick?: number | undefined;
  /** The newest tick that was started, and its session. */
  readonly lastTick?: number | undefined;
  readonly lastSessionId?: string | undefined;
  /** The number of starts. */
  readonly starts: number;
  /** The one who has asked for it: a program or the command line, or the options of a worker. */
  readonly origin: "program" | "worker";
};

/** Schedules of a store, which its workers run. All methods reject `store/failed`, and `config/invalid` for an invalid name. Those that
 *  change a schedule reject `session/conflict` while another process holds it for long. */
export interface Schedules {
  /** Adds a schedule; its first tick is after now. Rejects `schedule/exists` for a name that is taken, `schedule/never-fires`,
   *  `schedule/unknown-zone` and `config/invalid`. */
  add(name: string, options: ScheduleOptions): Promise<ScheduleInfo>;
  /** As `add`, but replaces the schedule of this name, if a program has added one, from now on. It stays paused if it was, and keeps its
   *  counts. One that asks for the same changes nothing. */
  set(name: string, options: ScheduleOptions): Promise<ScheduleInfo>;
  /** Returns a schedule. Rejects `schedule/not-found`, as all methods with a name but `add` and `set` do. */
  get(name: string): Promise<ScheduleInfo>;
  /** Returns one page (`limit` schedules, default 100) of the schedules in the order of their names. */
  list(options?: {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
  }): Promise<{ readonly schedules: readonly ScheduleInfo[]; readonly cursor?: string | undefined }>;
  /** Returns the next ticks after now, epoch ms, at most `count` of them (default 5), as if it were not paused. */
  next(name: string, count?: number): Promise<readonly number[]>;
  /** Starts nothing any more until it is resumed. Ticks in the meantime are not missed: they never start. */
  pause(name: string): Promise<ScheduleInfo>;
  /** Goes on with the next tick after now. */
  resume(name: string): Promise<ScheduleInfo>;
  /** Removes a schedule. The sessions that it has started stay. One of the options of a worker comes back with the next worker. */
  remove(name: string): Promise<void>;
}

/** For how long a change waits for the worker that runs a tick of the schedule, ms. */
const LOCK_WAIT_MS = 5_000;
const LOCK_POLL_MS = 20;

type Putting = Pick<ScheduleDefinition, "origin"> & {
  /** The name of the caller in errors. */
  readonly from: string;
  /** One of the same origin may be there. */
  readonly replaces: boolean;
};
type Change = (found: StoredSchedule | undefined, lease: Lease) => Promise<void>;

class StoredSchedules implements Schedules {
  readonly #queue: WakeQueue;
  readonly #store: SessionStore;
  readonly #now: () => number;

  constructor({ queue, store, now = Date.now }: DispatcherOptions) {
    this.#queue = queue;
    this.#store = withDeadlines(store);
    this.#now = now;
  }

  async add(name: string, options: ScheduleOptions): Promise<ScheduleInfo> {
    return this.#put(name, options, { origin: "program", from: "schedules.add", replaces: false });
  }

  async set(name: string, options: ScheduleOptions): Promise<ScheduleInfo> {
    return this.#put(name, options, { origin: "program", from: "schedules.set", replaces: true });
  }

  /** As `set`, for one of the options of a worker: rejects `schedule/exists` if a program has added it. */
  async declare(name: string, options: ScheduleOptions): Promise<ScheduleInfo> {
    return this.#put(name, options, { origin: "worker", from: "createWorker", replaces: true });
  }

  async get(name: string): Promise<ScheduleInfo> {
    return infoOf(await this.#read(name));
  }

  async list(options: Parameters<Schedules["list"]>[0] = {}): ReturnType<Schedules["list"]> {
    check(listSchema(), options, "schedules.list");
    const page = await this.#store.list({ ...options, prefix: SCHEDULE_PREFIX });
    const schedules: ScheduleInfo[] = [];
    for (const { sessionId } of page.sessions) {
      const found = await readSchedule(this.#store, sessionId.slice(SCHEDULE_PREFIX.length));
      if (found) schedules.push(await infoOf(found));
    }
    return { schedules, cursor: page.cursor };
  }

  async next(name: string, count = 5): Promise<readonly number[]> {
    check(countSchema(), count, "schedules.next", "`count`");
    const next = await ticksOf((await this.#read(name)).definition.times);
    const ticks: number[] = [];
    let tick = next(this.#now());
    while (tick !== undefined && ticks.length < count) {
      ticks.push(tick);
      tick = next(tick);
    }
    return ticks;
  }

  async pause(name: string): Promise<ScheduleInfo> {
    return this.#change(name, (state) => ({ ...state, isPaused: true }));
  }

  async resume(name: string): Promise<ScheduleInfo> {
    return this.#change(name, ({ isPaused, ...state }) =>
      isPaused ? { ...state, decided: Math.max(state.decided, this.#now()) } : state,
    );
  }

  async remove(name: string): Promise<void> {
    checkName(name);
    await this.#withLease(name, async (found) => {
      if (!found) throw notFound(name);
      await this.#store.delete(scheduleId(name));
    });
  }

  async #read(name: string): Promise<StoredSchedule> {
    checkName(name);
    const found = await readSchedule(this.#store, name);
    if (!found) throw notFound(name);
    return found;
  }

  async #put(
    name: string,
    options: ScheduleOptions,
    { origin, from, replaces }: Putting,
  ): Promise<ScheduleInfo> {
    const now = this.#now();
    const defined: DefinedSchedule = await defineSchedule(name, options, { origin, now, from });
    if (messagesOf(options.input).length === 0)
      throw configError(`${from}: the schedule '${name}' needs an input, a text or messages.`);
    await this.#withLease(name, async (found, lease) => {
      if (found && !(replaces && found.definition.origin === origin)) throw exists(found.definition);
      if (found && isSameSchedule(found.definition, defined.definition, options)) return;
      checkFires(defined, now);
      const state: ScheduleState = found
        ? { ...found.state, decided: Math.max(found.state.decided, now) }
        : { decided: now, starting: [], starts: 0 };
      await writeSchedule(this.#store, lease, state, defined);
    });
    return this.#changed(name);
  }

  async #change(name: string, change: (state: ScheduleState) => ScheduleState): Promise<ScheduleInfo> {
    checkName(name);
    await this.#withLease(name, async (found, lease) => {
      if (!found) throw notFound(name);
      const next = await ticksOf(found.definition.times);
      await writeSchedule(this.#store, lease, change(found.state), { next });
    });
    return this.#changed(name);
  }

  /** Wakes a worker for the next tick. If the queue is away, the sweep of a worker finds the schedule when it is due. */
  async #changed(name: string): Promise<ScheduleInfo> {
    const found = await this.#read(name);
    const wakeAt = wakeAtOf(found.state, await ticksOf(found.definition.times));
    if (wakeAt !== undefined) {
      const delayMs = Math.max(0, Math.ceil(wakeAt - this.#now()));
      await this.#queue.wake(scheduleId(name), { delayMs }).catch(() => {});
    }
    return infoOf(found);
  }

  async #withLease(name: string, change: Change): Promise<void> {
    const id = scheduleId(name);
    const until = performance.now() + LOCK_WAIT_MS;
    for (;;) {
      const done = await withLeaseIfFree(this.#store, id, async (lease) => {
        await change(await readSchedule(this.#store, name), lease);
        return true;
      });
      if (done) return;
      if (performance.now() >= until) throw await sessionLocked(this.#store, id, { leaseMs: LEASE_MS });
      await sleep(LOCK_POLL_MS);
    }
  }
}

const listSchema = s.lazily(() =>
  s.options<NonNullable<Parameters<Schedules["list"]>[0]>>({
    cursor: s.optional(s.string()),
    limit: s.optional(s.integer(1)),
  }),
);
const countSchema = s.lazily(() => s.integer(1, 1_000));

async function infoOf({ definition, state }: StoredSchedule): Promise<ScheduleInfo> {
  const { name, agent, times, sessionId, missed, meta = {}, origin } = definition;
  const { isPaused = false, starts, lastTick } = state;
  const nextTick = isPaused ? undefined : (await ticksOf(times))(state.decided);
  const { from: at, ...interval } = "everyMs" in times ? times : { from: undefined };
  return {
    ...{ name, agent },
    ...("everyMs" in times ? { ...interval, at } : times),
    ...{ sessionId, meta, missed, starts, origin },
    state: isPaused ? "paused" : nextTick === undefined ? "ended" : "active",
    ...(nextTick !== undefined && { nextTick }),
    ...(lastTick !== undefined && { lastTick, lastSessionId: sessionOf(definition, lastTick) }),
  };
}

function checkName(name: string): void {
  check(scheduleName(), name, "schedules", "The name of a schedule");
}

const notFound = (name: string): AgentError =>
  new AgentError("schedule/not-found", `There is no schedule '${name}'.`);

function exists({ name, origin }: ScheduleDefinition): AgentError {
  const whose = origin === "worker" ? "the options of a worker" : "a program or the command line";
  return new AgentError(
    "schedule/exists",
    `There is a schedule '${name}' already, of ${whose}: choose another name, or remove that one first.`,
  );
}

/** Stores the schedules of a worker's options. Rejects as {@link Schedules.set}, and `schedule/exists` for one that a program has added. */
export async function declareSchedules(
  options: DispatcherOptions,
  schedules: { readonly [name: string]: ScheduleOptions },
): Promise<void> {
  const stored = new StoredSchedules(options);
  for (const [name, schedule] of Object.entries(schedules)) await stored.declare(name, schedule);
}

/**
 * Returns the schedules of a store, which its workers run. Each tick starts one session, or gives one an input, exactly once over any number
 * of workers. Needs the package `croner` for `cron`. Throws `config/invalid` for invalid options.
 *
 * @example
 * ```ts
 * import { postgresStore } from "agentchart/store/postgres";
 * import { bullQueue, createSchedules } from "agentchart/worker";
 *
 * const database = "postgres://localhost/app";
 * const schedules = createSchedules({
 *   queue: bullQueue({ postgres: database }),
 *   store: postgresStore({ connectionString: database }),
 * });
 * await schedules.add("morning-report", {
 *   agent: "desk",
 *   input: "Write the report of yesterday.",
 *   cron: "0 9 * * MON-FRI",
 *   timeZone: "Europe/Berlin",
 * });
 * ```
 */
export function createSchedules(options: DispatcherOptions): Schedules {
  check(dispatcherSchema(), options, "createSchedules");
  return new StoredSchedules(options);
}

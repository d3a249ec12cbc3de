// src/worker/schedule says when a schedule starts a session: its times, its ticks, and what is stored of it.
import * as s from "../../core/base/option-schema.ts";
import type { JsonObject } from "../../core/base/json.ts";
import type { Msg } from "../../core/message/types.ts";

/** The treatment of ticks for which no worker was there: start none, the newest, or each of them. */
export type MissedTicks = "skip" | "once" | "all";

/** Options of a schedule: what it starts, and when. One of `cron`, `everyMs` and `at` is required. */
export type ScheduleOptions = {
  /** The name of the worker's agent that drives the sessions. */
  readonly agent: string;
  /** The messages of each start, or their text. */
  readonly input: string | Msg | readonly Msg[];
  /** A cron expression of five fields, or of six with seconds before them, such as "0 9 * * MON-FRI". A local time that does not exist on
   *  a day runs at the first moment after the gap; one that exists twice runs once, unless its hour or minute is a wildcard. */
  readonly cron?: string | undefined;
  /** The zone of `cron`, such as "Europe/Berlin"; default "UTC". */
  readonly timeZone?: string | undefined;
  /** The time between two ticks, ms; at least 1,000. */
  readonly everyMs?: number | undefined;
  /** The only tick, or with `everyMs` the first one: epoch ms, a date, or an ISO 8601 string with its offset. Default of the first one:
   *  `everyMs` after the schedule is added. */
  readonly at?: number | string | Date | undefined;
  /** The session of a start; `{tick}` stands for the time of its tick, such as "20260329T010000Z". Without it, all starts are inputs of one
   *  session. Default: `NAME-{tick}`, a new session for each. */
  readonly sessionId?: string | undefined;
  /** Labels of new sessions, such as `{ tenant: "acme" }`. */
  readonly meta?: JsonObject | undefined;
  /** Treats the ticks for which no worker was there in time; default "once". */
  readonly missed?: MissedTicks | undefined;
  /** With `missed: "skip"`: the time after a tick for which it still starts, ms; default 60,000. */
  readonly graceMs?: number | undefined;
  /** An integer from 0 (default, first) to 2,097,152 (last). */
  readonly priority?: number | undefined;
};

const TIME = "epoch ms, a Date, or an ISO 8601 string with its offset, such as 2026-03-29T09:00:00+02:00";
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/u;

function isTime(value: unknown): boolean {
  if (typeof value === "string" && !ISO.test(value)) return false;
  const isOne = typeof value === "number" || typeof value === "string" || value instanceof Date;
  return isOne && Number.isSafeInteger(new Date(value).getTime());
}

/** The schema of {@link ScheduleOptions}. */
export const scheduleSchema = s.lazily(() =>
  s.restricted(
    s.options<ScheduleOptions>(
      {
        agent: s.nonEmpty("the name of an agent"),
        input: s.either(
          s.nonEmpty(),
          s.accepted<Msg | readonly Msg[]>(s.value((value) => typeof value === "object", "messages")),
          "a text or messages",
        ),
        cron: s.optional(s.nonEmpty('a cron expression, such as "0 9 * * MON-FRI"')),
        timeZone: s.optional(s.nonEmpty('a time zone, such as "Europe/Berlin"')),
        everyMs: s.optional(s.integer(1_000)),
        at: s.optional(s.value(isTime, TIME)),
        sessionId: s.optional(s.nonEmpty()),
        meta: s.optional(s.object()),
        missed: s.optional(s.oneOf("skip", "once", "all")),
        graceMs: s.optional(s.integer(0)),
        priority: s.optional(s.integer(0, 2_097_152)),
      },
      { what: "a schedule, such as { agent, input, cron }" },
    ),
    ({ cron, everyMs, at, timeZone }) =>
      cron === undefined
        ? timeZone === undefined && (everyMs !== undefined || at !== undefined)
        : everyMs === undefined && at === undefined,
    "`cron`, with or without `timeZone`, or `everyMs`, with or without `at`, or `at`",
  ),
);

/** The schema of the name of a schedule. */
export const scheduleName = s.lazily(() =>
  s.matching(/^[\w.-][\w./-]{0,99}$/u, "1 to 100 letters, digits, and _ . - /"),
);

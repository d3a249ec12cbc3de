import { AgentError, configError } from "../../core/base/error.ts";
import { jsonProblem } from "../../core/base/json.ts";
import { check } from "../../core/base/options.ts";
import { scheduleName, scheduleSchema, type ScheduleOptions } from "./options.ts";
import type { ScheduleDefinition } from "./record.ts";
import { ticksOf, type NextTick, type Times } from "./ticks.ts";

/** A checked schedule with its ticks. */
export type DefinedSchedule = { readonly definition: ScheduleDefinition; readonly next: NextTick };

function timesOf({ cron, timeZone = "UTC", everyMs, at }: ScheduleOptions, now: number): Times {
  if (cron !== undefined) return { cron: cron.trim(), timeZone };
  const time = at === undefined ? undefined : new Date(at).getTime();
  if (everyMs !== undefined) return { everyMs, from: time ?? now + everyMs };
  return { at: time! };
}

/** Checks a schedule that is asked for at `now`. Rejects `config/invalid`, `schedule/unknown-zone`, and `schedule/never-fires` if it has
 *  no tick after now. */
export async function defineSchedule(
  name: string,
  options: ScheduleOptions,
  {
    origin,
    now,
    from,
  }: { readonly origin: ScheduleDefinition["origin"]; readonly now: number; readonly from: string },
): Promise<DefinedSchedule> {
  check(scheduleName(), name, from, "The name of a schedule");
  check(scheduleSchema(), options, from, `The schedule '${name}'`);
  const problem = jsonProblem(options.input) ?? (options.meta && jsonProblem(options.meta));
  if (problem !== undefined) throw configError(`${from}: the schedule '${name}' ${problem}; expected JSON.`);
  const { agent, input, sessionId = `${name}-{tick}`, missed = "once", graceMs = 60_000 } = options;
  const times = timesOf(options, now);
  const next = await ticksOf(times);
  const definition: ScheduleDefinition = {
    ...{ name, agent, input, times, sessionId, missed, graceMs, origin },
    priority: options.priority ?? 0,
    ...(options.meta && { meta: options.meta }),
  };
  return { definition, next };
}

/** Throws `schedule/never-fires` if there is no tick after a time. */
export function checkFires({ definition: { name, times }, next }: DefinedSchedule, now: number): void {
  if (next(now) !== undefined) return;
  const when =
    "cron" in times ? `its cron expression '${times.cron}' matches no time` : "its time has passed";
  throw new AgentError("schedule/never-fires", `The schedule '${name}' would never start anything: ${when}.`);
}

/** True if the same is asked for: an interval without `at` keeps the ticks that it has. */
export function isSameSchedule(
  known: ScheduleDefinition,
  asked: ScheduleDefinition,
  { at }: Pick<ScheduleOptions, "at">,
): boolean {
  const text = (definition: ScheduleDefinition): string => {
    const { times } = definition;
    const free = "everyMs" in times && at === undefined ? { everyMs: times.everyMs } : times;
    return JSON.stringify({ ...definition, times: free });
  };
  return text(known) === text(asked);
}

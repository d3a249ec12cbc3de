import type { ScheduleInfo, Schedules } from "../../worker/schedules.ts";
import { createSchedules } from "../../worker/schedules.ts";
import type { CliIo } from "../cli-io.ts";
import type { Handler, Input } from "../define-command.ts";
import { formatTime, printItems, printReport, printResult, table } from "../output.ts";
import { paginate } from "../paginate.ts";
import { UsageError } from "../usage-error.ts";
import { withBackend, type BackendFlags } from "./open-backend.ts";
import type * as definitions from "./schedule-definitions.ts";

const withSchedules = (
  flags: BackendFlags,
  { env }: CliIo,
  use: (schedules: Schedules) => Promise<number>,
  mustExist = true,
): Promise<number> => withBackend(flags, env, (backend) => use(createSchedules(backend)), mustExist);

/** The times of a schedule in words. */
function timesOf({ cron, timeZone, everyMs, at }: ScheduleInfo): string {
  if (cron !== undefined) return `${cron} (${timeZone})`;
  if (everyMs !== undefined) return `every ${everyMs / 1_000} s`;
  return formatTime(at!);
}

const timeOf = (time: number | undefined): string => (time === undefined ? "" : formatTime(time));

/** `agentchart schedules ls`. */
export const listCommand: Handler<typeof definitions.listSchedules> = async ({ flags }, io) =>
  withSchedules(flags, io, async (schedules) => {
    const all = paginate(
      (page) => schedules.list(page),
      (page) => page.schedules,
      flags.limit,
    );
    const rowOf = (info: ScheduleInfo): readonly string[] => [
      ...[info.name, info.state, timeOf(info.nextTick), timeOf(info.lastTick)],
      ...[String(info.starts), info.agent, timesOf(info)],
    ];
    const head = ["SCHEDULE", "STATE", "NEXT", "LAST", "STARTS", "AGENT", "TIMES"];
    await printItems(io, flags, all, head, rowOf, "There is no schedule.");
    return 0;
  });

/** `agentchart schedules show`. */
export const showCommand: Handler<typeof definitions.showSchedule> = async ({ args: { name }, flags }, io) =>
  withSchedules(flags, io, async (schedules) => {
    const info = await schedules.get(name);
    printReport(io, flags, info, () => table(["FIELD", "VALUE"], rowsOf(info)));
    return 0;
  });

function rowsOf(info: ScheduleInfo): readonly (readonly string[])[] {
  const rows: Record<string, string | undefined> = {
    name: info.name,
    state: info.state,
    times: timesOf(info),
    missed: info.missed,
    agent: info.agent,
    session: info.sessionId,
    labels: JSON.stringify(info.meta),
    next: timeOf(info.nextTick),
    last: timeOf(info.lastTick),
    "last session": info.lastSessionId,
    starts: String(info.starts),
    origin: info.origin,
  };
  return Object.entries(rows).flatMap(([field, value]) => (value ? [[field, value]] : []));
}

/** `agentchart schedules next`. */
export const nextCommand: Handler<typeof definitions.nextTicks> = async ({ args: { name }, flags }, io) =>
  withSchedules(flags, io, async (schedules) => {
    for (const tick of await schedules.next(name, flags.count))
      printResult(io, flags, formatTime(tick), { tick, time: new Date(tick).toISOString() });
    return 0;
  });

/** `agentchart schedules add`. */
export const addCommand: Handler<typeof definitions.addSchedule> = async ({ args: { name }, flags }, io) =>
  withSchedules(
    flags,
    io,
    async (schedules) => {
      const info = await (flags.replace ? schedules.set : schedules.add).call(
        schedules,
        name,
        optionsOf(flags),
      );
      const next = info.nextTick === undefined ? "" : `, which starts at ${formatTime(info.nextTick)}`;
      printResult(io, flags, `Added: ${name}${next}`, info);
      return 0;
    },
    false,
  );

function optionsOf(flags: Input<typeof definitions.addSchedule>["flags"]): Parameters<Schedules["add"]>[1] {
  const { agent, input, cron, timeZone, every, at, session, missed, tenant } = flags;
  if ([cron, every ?? at].filter((each) => each !== undefined).length !== 1)
    throw new UsageError("Use '--cron', '--every' or '--at'; '--every' may have '--at' for its first tick.");
  return {
    ...{ agent, input, missed, cron, timeZone, at },
    everyMs: every,
    sessionId: session,
    meta: tenant === undefined ? undefined : { tenant },
  };
}

/** Returns a command that changes a schedule. */
function changing(
  change: (schedules: Schedules, name: string) => Promise<unknown>,
  done: string,
): Handler<
  typeof definitions.pauseSchedule | typeof definitions.resumeSchedule | typeof definitions.removeSchedule
> {
  return async ({ args: { name }, flags }, io) =>
    withSchedules(flags, io, async (schedules) => {
      const info = await change(schedules, name);
      printResult(io, flags, `${done}: ${name}`, info ?? { name, removed: true });
      return 0;
    });
}

/** `agentchart schedules pause`. */
export const pauseCommand: Handler<typeof definitions.pauseSchedule> = changing(
  (schedules, name) => schedules.pause(name),
  "Paused",
);
/** `agentchart schedules resume`. */
export const resumeCommand: Handler<typeof definitions.resumeSchedule> = changing(
  (schedules, name) => schedules.resume(name),
  "Resumed",
);
/** `agentchart schedules rm`. */
export const removeCommand: Handler<typeof definitions.removeSchedule> = changing(
  (schedules, name) => schedules.remove(name),
  "Removed",
);

import { AgentError, configError, messageOf } from "../../core/base/error.ts";
import { missingPackage } from "../../core/base/missing-package.ts";

/** The times of a schedule, as they are stored. Times are epoch ms. */
export type Times =
  | { readonly cron: string; readonly timeZone: string }
  | { readonly everyMs: number; readonly from: number }
  | { readonly at: number };

/** Returns the first tick after a time, epoch ms; undefined if there is none. */
export type NextTick = (after: number) => number | undefined;

/** Returns the ticks of a schedule. Rejects `config/invalid` for an invalid cron expression and without the package croner, and
 *  `schedule/unknown-zone`. */
export async function ticksOf(times: Times): Promise<NextTick> {
  if ("at" in times) return (after) => (times.at > after ? times.at : undefined);
  if ("cron" in times) return cronTicks(times.cron, times.timeZone);
  const { everyMs, from } = times;
  return (after) => from + Math.max(0, Math.floor((after - from) / everyMs) + 1) * everyMs;
}

async function cronTicks(cron: string, timeZone: string): Promise<NextTick> {
  checkTimeZone(timeZone);
  const wrong = (why: string, cause?: unknown): AgentError =>
    configError(`The cron expression '${cron}' is invalid: ${why}`, { cause });
  if (!/^(?:@[a-z]+|\S+(?:\s+\S+){4,6})$/u.test(cron.trim()))
    throw wrong("expected five fields, or six with seconds before them.");
  const { Cron } = await import("croner").catch(missingPackage("A schedule with `cron`", "croner"));
  try {
    const pattern = new Cron(cron, { timezone: timeZone, paused: true });
    return (after) => pattern.nextRun(new Date(after))?.getTime();
  } catch (error) {
    throw wrong(messageOf(error).replace(/^Cron\w+: /u, ""), error);
  }
}

function checkTimeZone(timeZone: string): void {
  try {
    Intl.DateTimeFormat("en", { timeZone });
  } catch (error) {
    throw new AgentError(
      "schedule/unknown-zone",
      `The time zone '${timeZone}' is unknown here; expected a name such as Europe/Berlin, or UTC.`,
      { cause: error },
    );
  }
}

/** Returns the newest tick after `after` that is not later than `until`; undefined if there is none. */
export function newestTick(next: NextTick, after: number, until: number): number | undefined {
  let newest = next(after);
  if (newest === undefined || newest > until) return undefined;
  let none = until; // no tick is later than this one, and not later than `until`
  while (newest < none) {
    const middle = Math.floor((newest + none) / 2);
    const found = next(middle);
    if (found !== undefined && found <= until) newest = found;
    else none = middle;
  }
  return newest;
}

/** Returns the name of a tick in ids: its time as ISO 8601 in the basic format, with ms only if it has some. */
export function tickName(tick: number): string {
  return new Date(tick).toISOString().replace(".000Z", "Z").replaceAll(/[-:]/gu, "");
}

import {
  boolean,
  choice,
  defineCommand,
  duration,
  integer,
  required,
  string,
  withDefault,
} from "../define-command.ts";
import { BACKEND, JSON_RESULT } from "../shared-flags.ts";

const NAME = { name: required(string("name", "name of the schedule")) };
const FLAGS = { ...BACKEND, ...JSON_RESULT };

export const listSchedules = defineCommand({
  name: "schedules ls",
  description: "List the schedules as a table, or as JSON lines outside a terminal",
  flags: { limit: integer("N", "maximum number of schedules (default: all)"), ...FLAGS },
  examples: ["schedules ls"],
});

export const showSchedule = defineCommand({
  name: "schedules show",
  description: "Show a schedule: its times, its next tick, and the session that it started last",
  args: NAME,
  flags: FLAGS,
  examples: ["schedules show morning-report"],
});

export const nextTicks = defineCommand({
  name: "schedules next",
  description: "Print the next times at which a schedule starts something",
  args: NAME,
  flags: { count: withDefault(integer("N", "number of times"), 5), ...FLAGS },
  examples: ["schedules next morning-report --count 10"],
});

export const addSchedule = defineCommand({
  name: "schedules add",
  description: "Add a schedule, which workers run: at each of its times it starts a session",
  args: NAME,
  flags: {
    agent: required(string("NAME", "agent of the workers that drives the sessions")),
    input: required(string("TEXT", "what the agent is asked each time")),
    cron: string("EXPRESSION", "cron expression of five fields, or of six with seconds before them"),
    timeZone: string("ZONE", "time zone of --cron, such as Europe/Berlin (default: UTC)"),
    every: duration("TIME", "time between two starts, such as 90min, 12h or 1d"),
    at: string("TIME", "only time, or first one of --every: ISO 8601 with its offset"),
    session: string("ID", "session of the starts; {tick} stands for the time (default: NAME-{tick})"),
    missed: withDefault(
      choice("POLICY", ["skip", "once", "all"], "what becomes of times at which no worker ran"),
      "once",
    ),
    tenant: string("NAME", "tenant of the sessions"),
    replace: boolean("replace the schedule of this name, if there is one"),
    ...FLAGS,
  },
  examples: [
    'schedules add morning-report --agent desk --input "Write the report." --cron "0 9 * * MON-FRI" --time-zone Europe/Berlin',
    'schedules add poll --agent desk --input "Look for new mail." --every 15min --session mailbox',
  ],
  sections: { Package: "--cron needs the package croner, here and where workers run." },
});

export const pauseSchedule = defineCommand({
  name: "schedules pause",
  description: "Start nothing by a schedule until it is resumed",
  args: NAME,
  flags: FLAGS,
  examples: ["schedules pause morning-report"],
});

export const resumeSchedule = defineCommand({
  name: "schedules resume",
  description: "Go on with the next time of a schedule; those during the pause are left out",
  args: NAME,
  flags: FLAGS,
  examples: ["schedules resume morning-report"],
});

export const removeSchedule = defineCommand({
  name: "schedules rm",
  description: "Remove a schedule; the sessions that it has started stay",
  args: NAME,
  flags: FLAGS,
  examples: ["schedules rm morning-report"],
});

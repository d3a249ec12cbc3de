import {
  CHART_FLAGS,
  EXPORT_FLAGS,
  FORK_FLAGS,
  IMPORT_FLAGS,
  INSPECT_FLAGS,
  LIST_FLAGS,
  REMOVE_FLAGS,
  RESUME_FLAGS,
  RUN_FLAGS,
  SESSIONS_FLAGS,
  SHOW_FLAGS,
} from "./flags.ts";
import { HELP } from "./help.ts";
import { nearestName } from "../base/nearest-name.ts";
import type { FlagSpec, GivenFlags } from "./read-flags.ts";
import type { Surroundings } from "./surroundings.ts";
import { UsageError } from "./usage-error.ts";
import {
  DEAD_FLAGS,
  DEAD_LIST_FLAGS,
  DEAD_RETRY_FLAGS,
  SERVE_FLAGS,
  WORKER_FLAGS,
} from "./workers/worker-flags.ts";

/** Does what its flags say and gives the exit code. */
export type Command = (flags: GivenFlags, surroundings: Surroundings) => number | Promise<number>;

type Entry = { readonly flags: FlagSpec; load(): Promise<Command> };

// Loaded when needed: help and complaints need no agent.
const COMMANDS: { readonly [name in Exclude<keyof typeof HELP, "program" | "sessions" | "dead">]: Entry } = {
  run: { flags: RUN_FLAGS, load: async () => (await import("./run-command.ts")).runCommand },
  chart: { flags: CHART_FLAGS, load: async () => (await import("./chart-command.ts")).chartCommand },
  inspect: {
    flags: INSPECT_FLAGS,
    load: async () => (await import("./inspect-command.ts")).inspectCommand,
  },
  "sessions ls": {
    flags: LIST_FLAGS,
    load: async () => (await import("./sessions/list-command.ts")).listCommand,
  },
  "sessions show": {
    flags: SHOW_FLAGS,
    load: async () => (await import("./sessions/show-command.ts")).showCommand,
  },
  "sessions resume": {
    flags: RESUME_FLAGS,
    load: async () => (await import("./sessions/resume-command.ts")).resumeCommand,
  },
  "sessions fork": {
    flags: FORK_FLAGS,
    load: async () => (await import("./sessions/fork-command.ts")).forkCommand,
  },
  "sessions export": {
    flags: EXPORT_FLAGS,
    load: async () => (await import("./sessions/export-command.ts")).exportCommand,
  },
  "sessions import": {
    flags: IMPORT_FLAGS,
    load: async () => (await import("./sessions/import-command.ts")).importCommand,
  },
  "sessions rm": {
    flags: REMOVE_FLAGS,
    load: async () => (await import("./sessions/remove-command.ts")).removeCommand,
  },
  worker: {
    flags: WORKER_FLAGS,
    load: async () => (await import("./workers/worker-command.ts")).workerCommand,
  },
  serve: {
    flags: SERVE_FLAGS,
    load: async () => (await import("./workers/serve-command.ts")).serveCommand,
  },
  "dead ls": {
    flags: DEAD_LIST_FLAGS,
    load: async () => (await import("./workers/dead-commands.ts")).deadListCommand,
  },
  "dead retry": {
    flags: DEAD_RETRY_FLAGS,
    load: async () => (await import("./workers/dead-commands.ts")).deadRetryCommand,
  },
};

/** The words that stand before the names of other commands, and the flags they have alone. */
const GROUPS: { readonly [word: string]: { readonly flags: FlagSpec; readonly help: string } } = {
  sessions: { flags: SESSIONS_FLAGS, help: HELP.sessions },
  dead: { flags: DEAD_FLAGS, help: HELP.dead },
};

/** A command as it was called. */
export type FoundCommand = Entry & { readonly help: string; readonly args: readonly string[] };

/** A word that stands before the names of other commands, with those names. */
export function groupOf(
  word: string,
): { readonly flags: FlagSpec; readonly help: string; readonly commands: readonly string[] } | undefined {
  const group = Object.hasOwn(GROUPS, word) ? GROUPS[word] : undefined;
  return group && { ...group, commands: namesIn(word) };
}

function namesIn(group: string): readonly string[] {
  return Object.keys(COMMANDS)
    .filter((name) => name.startsWith(`${group} `))
    .map((name) => name.slice(group.length + 1));
}

/** The name of the command that the arguments call; "" if they begin with none. */
export function commandName([first = "", second = ""]: readonly string[]): string {
  if (!groupOf(first)) return Object.hasOwn(COMMANDS, first) ? first : "";
  const name = `${first} ${second}`;
  return Object.hasOwn(COMMANDS, name) ? name : first;
}

/** The command that the arguments call. Throws a {@link UsageError} that names the nearest one. */
export function findCommand(args: readonly string[]): FoundCommand {
  const name = commandName(args);
  if (Object.hasOwn(COMMANDS, name)) {
    const known = name as keyof typeof COMMANDS;
    return { ...COMMANDS[known], help: HELP[known], args: args.slice(name.split(" ").length) };
  }
  const word = name === "" ? args[0]! : args.slice(0, 2).join(" ");
  const near =
    name === ""
      ? nearestName(word, [...Object.keys(GROUPS), ...Object.keys(COMMANDS)])
      : nearestCommand(name, args[1]!);
  throw new UsageError(`There is no command "${word}".${near ? ` Did you mean "${near}"?` : ""}`);
}

function nearestCommand(group: string, word: string): string | undefined {
  const near = nearestName(word, namesIn(group));
  return near && `${group} ${near}`;
}

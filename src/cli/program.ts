import packageJson from "agentchart/package.json" with { type: "json" };
import { CliCommand } from "./cli-command.ts";
import type { CliIo } from "./cli-io.ts";
import type { CommandDefinition, Handler, Input, Parameter } from "./define-command.ts";
import * as main from "./definitions.ts";
import * as dev from "./dev/definitions.ts";
import { doctor } from "./doctor/definitions.ts";
import * as knowledge from "./knowledge/definitions.ts";
import * as memory from "./memory/definitions.ts";
import * as sessions from "./sessions/definitions.ts";
import * as many from "./sessions/many-definitions.ts";
import * as workers from "./workers/definitions.ts";
import * as schedules from "./workers/schedule-definitions.ts";

/** The program `agentchart`. It loads a command when it runs it: `run` does not load the server, and help loads nothing. */
export function createProgram(io: CliIo, onExitCode: (code: number) => void = () => {}): CliCommand {
  const program = new CliCommand("agentchart");
  program.configureOutput({ writeOut: (text) => void io.stdout.write(text) });
  program.description("Run ReAct agents as explicit statecharts");
  program.version(packageJson.version, "--version", "print the version");

  function add<D extends CommandDefinition>(definition: D, load: () => Promise<Handler<D>>): void {
    const path = definition.name.split(" ");
    const command = program.find(path).command(path.at(-1)!) as CliCommand;
    command.define(definition).action(async () => {
      await command.checkFlags(definition);
      const handler = await load();
      onExitCode(await handler(inputOf(command, definition), io));
    });
  }

  add(main.run, async () => (await import("./run-command.ts")).runCommand);
  program.command("sessions").description("List, show, continue, copy and delete stored sessions");
  add(sessions.list, async () => (await import("./sessions/list-command.ts")).listCommand);
  add(sessions.search, async () => (await import("./sessions/search-command.ts")).searchCommand);
  add(sessions.suspicions, async () => (await import("./sessions/suspicions-command.ts")).suspicionsCommand);
  add(sessions.show, async () => (await import("./sessions/show-command.ts")).showCommand);
  add(sessions.resume, async () => (await import("./sessions/resume-command.ts")).resumeCommand);
  add(sessions.breakpoints, async () => (await import("./sessions/break-command.ts")).breakCommand);
  add(sessions.plan, async () => (await import("./sessions/plan-command.ts")).planCommand);
  add(sessions.compact, async () => (await import("./sessions/compact-command.ts")).compactCommand);
  add(sessions.fork, async () => (await import("./sessions/fork-command.ts")).forkCommand);
  add(sessions.exportSession, async () => (await import("./sessions/export-command.ts")).exportCommand);
  add(sessions.importSession, async () => (await import("./sessions/import-command.ts")).importCommand);
  add(sessions.remove, async () => (await import("./sessions/remove-command.ts")).removeCommand);
  add(sessions.move, async () => (await import("./sessions/move-command.ts")).moveCommand);
  add(sessions.prune, async () => (await import("./sessions/prune-command.ts")).pruneCommand);
  add(many.overview, async () => (await import("./sessions/overview-command.ts")).overviewCommand);
  add(many.label, async () => (await import("./sessions/label-commands.ts")).labelCommand);
  add(many.labels, async () => (await import("./sessions/label-commands.ts")).labelsCommand);
  add(many.test, async () => (await import("./sessions/test-command.ts")).testCommand);
  add(sessions.audit, async () => (await import("./sessions/audit-command.ts")).auditCommand);
  program
    .command("memory")
    .description("List, show, export, import and delete what agents remember across sessions");
  add(memory.list, async () => (await import("./memory/commands.ts")).listCommand);
  add(memory.show, async () => (await import("./memory/commands.ts")).showCommand);
  add(memory.exportMemories, async () => (await import("./memory/commands.ts")).exportCommand);
  add(memory.importMemories, async () => (await import("./memory/commands.ts")).importCommand);
  add(memory.remove, async () => (await import("./memory/commands.ts")).removeCommand);
  program
    .command("knowledge")
    .description("Add, search, list and delete documents that agents look things up in");
  add(knowledge.add, async () => (await import("./knowledge/commands.ts")).addCommand);
  add(knowledge.search, async () => (await import("./knowledge/commands.ts")).searchCommand);
  add(knowledge.list, async () => (await import("./knowledge/commands.ts")).listCommand);
  add(knowledge.remove, async () => (await import("./knowledge/commands.ts")).removeCommand);
  add(main.evaluateSuite, async () => (await import("./eval-command.ts")).evalCommand);
  add(main.experimentOn, async () => (await import("./experiment-command.ts")).experimentCommand);
  add(dev.dev, async () => (await import("./dev/dev-command.ts")).devCommand);
  add(doctor, async () => (await import("./doctor/doctor-command.ts")).doctorCommand);
  add(main.inspect, async () => (await import("./inspect-command.ts")).inspectCommand);
  add(main.acp, async () => (await import("./acp/acp-command.ts")).acpCommand);
  add(main.check, async () => (await import("./check-command.ts")).checkCommand);
  add(main.crashtest, async () => (await import("./crashtest-command.ts")).crashtestCommand);
  add(main.chart, async () => (await import("./chart-command.ts")).chartCommand);
  add(workers.worker, async () => (await import("./workers/worker-command.ts")).workerCommand);
  add(workers.serve, async () => (await import("./workers/serve-command.ts")).serveCommand);
  add(workers.mcp, async () => (await import("./workers/mcp-command.ts")).mcpCommand);
  program
    .command("dead-letters")
    .description("List and retry the sessions that were quarantined because workers died with them");
  add(workers.listDeadLetters, async () => (await import("./workers/dead-letter-commands.ts")).listCommand);
  add(workers.retryDeadLetters, async () => (await import("./workers/dead-letter-commands.ts")).retryCommand);
  program.command("schedules").description("Add, list, pause and remove what workers start by themselves");
  const scheduleCommands = () => import("./workers/schedule-commands.ts");
  add(schedules.listSchedules, async () => (await scheduleCommands()).listCommand);
  add(schedules.showSchedule, async () => (await scheduleCommands()).showCommand);
  add(schedules.nextTicks, async () => (await scheduleCommands()).nextCommand);
  add(schedules.addSchedule, async () => (await scheduleCommands()).addCommand);
  add(schedules.pauseSchedule, async () => (await scheduleCommands()).pauseCommand);
  add(schedules.resumeSchedule, async () => (await scheduleCommands()).resumeCommand);
  add(schedules.removeSchedule, async () => (await scheduleCommands()).removeCommand);
  add(main.help, async () => (await import("./help-command.ts")).helpCommand(program));
  add(main.completion, async () => (await import("./completion-command.ts")).completionCommand(program));
  return program;
}

function inputOf<D extends CommandDefinition>(command: CliCommand, { args = {}, flags = {} }: D): Input<D> {
  const options: { readonly [key: string]: unknown } = command.opts();
  const values = command.processedArgs as readonly unknown[];
  const valueOf = (key: string, given: unknown, parameter: Parameter<unknown>) =>
    [key, given ?? parameter.default] as const;
  const ofArgs = Object.entries(args).map(([key, each], index) => valueOf(key, values[index], each));
  const ofFlags = Object.entries(flags).map(([key, each]) => valueOf(key, options[key], each));
  return { args: Object.fromEntries(ofArgs), flags: Object.fromEntries(ofFlags) } as Input<D>;
}

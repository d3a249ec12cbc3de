import { createProgram } from "../../src/cli/program.ts";
import type { CliCommand } from "../../src/cli/cli-command.ts";
import { openTerminal } from "../../src/cli/terminal.ts";

/** The program in this process, and what it writes to stdout. */
export function openProgram(): { readonly program: CliCommand; readonly stdout: () => string } {
  let text = "";
  const stdout = { write: (piece: string) => void (text += piece) };
  const terminal = openTerminal(stdout, { write: () => {} }, {});
  return { program: createProgram({ stdout, terminal, env: {}, exit: () => {} }), stdout: () => text };
}

/** The program and every command below it. */
export function allCommands(command: CliCommand = openProgram().program): readonly CliCommand[] {
  return [command, ...command.commands.flatMap(allCommands)];
}

/** The help of a command, such as "sessions ls". */
export function helpOf(name: string): string {
  const { program, stdout } = openProgram();
  program.find(name.split(" ")).outputHelp();
  return stdout();
}

/** What is wrong with a command; undefined if nothing is. */
export function problemOf(args: readonly string[]): string | undefined {
  const { program } = openProgram();
  const command = program.find(args);
  if (command === program) return "there is no such command";
  const depth = command.path.split(" ").length - 1;
  const { operands, unknown } = command.parseOptions(args.slice(depth));
  if (unknown.length > 0) return `unknown: ${unknown.join(" ")}`;
  const most = command.registeredArguments.some(({ variadic }) => variadic)
    ? Infinity
    : command.registeredArguments.length;
  return operands.length > most ? `too many arguments: ${operands.join(" ")}` : undefined;
}

import type { CliCommand } from "./cli-command.ts";
import type { Handler } from "./define-command.ts";
import type { help } from "./definitions.ts";

/** `agentchart help`: prints what `--help` of the command prints. */
export function helpCommand(program: CliCommand): Handler<typeof help> {
  return ({ args: { words } }) => {
    const command = program.find(words);
    const depth = command.path.split(" ").length - 1;
    if (depth < words.length) {
      command.error(`error: unknown command '${words[depth]}'`, { code: "commander.unknownCommand" });
    }
    command.outputHelp();
    return 0;
  };
}

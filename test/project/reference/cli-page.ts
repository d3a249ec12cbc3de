import { allCommands, helpOf } from "../../cli/program.ts";

/** The page of the command line: each command as its `--help` has it. */
export function cliPage(): string {
  const commands = allCommands().map(({ path }) => path);
  const sections = commands.map((path) => {
    const help = helpOf(path.split(" ").slice(1).join(" ")).trimEnd();
    return `## \`${path}\`\n\n\`\`\`text\n${help}\n\`\`\`\n`;
  });
  const intro = `The help of every command, as \`--help\` prints it. Exit codes: 0 success, 1 failure, 2 wrong usage, unless a command says otherwise.
The pages that explain them: [sessions](../guide/sessions.md), [workers and the server](../workers.md), [evaluations](../evaluations.md),
[crash tests](../crash-tests.md), [what proves rules](../rules-proved.md).`;
  return `# The command line\n\n${intro}\n\n${sections.join("\n")}`;
}

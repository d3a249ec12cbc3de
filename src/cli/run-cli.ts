import packageJson from "agentchart/package.json" with { type: "json" };
import { CHART_FLAGS, chartCommand } from "./chart-command.ts";
import { failureText, stackText } from "./failure-text.ts";
import { HELP } from "./help.ts";
import { nearestName } from "./nearest-name.ts";
import { readFlags, type FlagSpec, type GivenFlags } from "./read-flags.ts";
import { RUN_FLAGS, runCommand } from "./run-command.ts";
import { openTerminal } from "./terminal.ts";
import { UsageError } from "./usage-error.ts";

const PROGRAM_FLAGS = { help: { type: "switch", short: "h" }, version: { type: "switch" } } as const satisfies FlagSpec;

type Command = { readonly flags: FlagSpec; run(flags: GivenFlags): number | Promise<number> };

/** The program `agentchart`. Gives its exit code: 0 done, 1 failed, 2 the command line is wrong. Never rejects. */
export async function runCli(args: readonly string[]): Promise<number> {
  const { stdout, stderr, env } = process;
  const terminal = openTerminal(stdout, stderr, env);
  const exit = (code: number): never => process.exit(code);
  const isDebug = args.includes("--debug");
  const fail = (thrown: unknown): number => {
    const isUsage = thrown instanceof UsageError;
    terminal.endLine();
    terminal.fail(`agentchart: ${failureText(thrown)}${isUsage ? ` See ${helpCommand(args)}.` : ""}`);
    if (isDebug) stderr.write(`${withoutSecrets(stackText(thrown), env)}\n`);
    return isUsage ? 2 : 1;
  };
  const commands: { readonly [name: string]: Command } = {
    run: { flags: RUN_FLAGS, run: (flags) => runCommand(flags, { stdout, terminal, env, exit }) },
    chart: { flags: CHART_FLAGS, run: (flags) => chartCommand(flags, stdout) },
  };

  // a reader that has seen enough, as `head`, ends the program; it did not fail
  stdout.on("error", () => exit(1));
  // what a tool leaves behind, such as a promise nobody waits for
  process.on("uncaughtException", (error) => exit(fail(error)));
  quietWarnings();
  try {
    const [name = "", ...rest] = args;
    if (name === "" || name.startsWith("-")) return programCommand(args, stdout);
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (!command) throw unknownCommand(name, Object.keys(commands));
    const flags = readFlags(rest, command.flags);
    if (!flags.has("help")) return await command.run(flags);
    stdout.write(HELP[name as keyof typeof HELP]);
    return 0;
  } catch (thrown) {
    return fail(thrown);
  }
}

function programCommand(args: readonly string[], stdout: { write(text: string): unknown }): number {
  const flags = readFlags(args, PROGRAM_FLAGS);
  if (flags.has("version")) stdout.write(`${packageJson.version}\n`);
  else if (flags.has("help")) stdout.write(HELP.program);
  else throw new UsageError("Say what to do: agentchart run or agentchart chart.");
  return 0;
}

function unknownCommand(name: string, names: readonly string[]): UsageError {
  const near = nearestName(name, names);
  return new UsageError(`There is no command "${name}".${near ? ` Did you mean "${near}"?` : ""}`);
}

function helpCommand([name = ""]: readonly string[]): string {
  return name !== "program" && Object.hasOwn(HELP, name) ? `"agentchart ${name} --help"` : '"agentchart --help"';
}

function withoutSecrets(text: string, env: { readonly [name: string]: string | undefined }): string {
  const secrets = [env["OPENAI_API_KEY"], env["DASHSCOPE_API_KEY"]].filter((secret) => secret !== undefined);
  return secrets.filter((secret) => secret.length >= 4).reduce((left, secret) => left.replaceAll(secret, "***"), text);
}

/** Node's remarks on loading a .ts file are nothing a user of `--tools` can act on. */
function quietWarnings(): void {
  const listeners = process.listeners("warning");
  process.removeAllListeners("warning");
  process.on("warning", (warning) => {
    const { code } = warning as { readonly code?: unknown };
    if (warning.name === "ExperimentalWarning" || code === "MODULE_TYPELESS_PACKAGE_JSON") return;
    for (const listener of listeners) listener(warning);
  });
}

import packageJson from "agentchart/package.json" with { type: "json" };
import { commandName, findCommand, groupOf } from "./commands.ts";
import { failureText, sentence, stackText } from "./failure-text.ts";
import { PROGRAM_FLAGS } from "./flags.ts";
import { HELP } from "./help.ts";
import { readFlags } from "./read-flags.ts";
import { secretsOf, withoutSecrets } from "./secrets.ts";
import type { Surroundings } from "./surroundings.ts";
import { openTerminal, type Output } from "./terminal.ts";
import { UsageError } from "./usage-error.ts";

/** The program `agentchart`. Gives its exit code: 0 done, 1 failed, 2 the command line is wrong. Never rejects. */
export async function runCli(args: readonly string[]): Promise<number> {
  const { stderr, env } = process;
  const stdout = takeStdout();
  const terminal = openTerminal(stdout, stderr, env);
  const isDebug = args.includes("--debug");
  const fail = (thrown: unknown): number => {
    const isUsage = thrown instanceof UsageError;
    terminal.endLine();
    const text = failureText(thrown);
    terminal.fail(`agentchart: ${isUsage ? `${text} See ${helpCommand(args)}.` : sentence(text)}`);
    if (isDebug) stderr.write(`${withoutSecrets(stackText(thrown), secretsOf(env, args))}\n`);
    return isUsage ? 2 : 1;
  };
  // A reader that has seen enough, as `head`, needs no explanation.
  process.stdout.on("error", (error: NodeJS.ErrnoException) =>
    exit(error.code === "EPIPE" ? 1 : fail(error)),
  );
  // What a tool leaves behind, such as a promise nobody waits for.
  process.on("uncaughtException", (error) => exit(fail(error)));
  quietWarnings();
  const exitCode = await runCommandLine(args, { stdout, terminal, env, exit }).catch(fail);
  await stdout.flush();
  return exitCode;
}

async function runCommandLine(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const [first = "", second = ""] = args;
  if (first === "" || first.startsWith("-")) return programCommand(args, surroundings);
  const group = groupOf(first);
  if (group && (second === "" || second.startsWith("-"))) return groupCommand(args, group, surroundings);
  const command = findCommand(args);
  const flags = readFlags(command.args, command.flags);
  if (flags.has("help")) {
    surroundings.stdout.write(command.help);
    return 0;
  }
  const run = await command.load();
  return run(flags, surroundings);
}

function programCommand(args: readonly string[], { stdout }: Surroundings): number {
  const flags = readFlags(args, PROGRAM_FLAGS);
  if (flags.has("version")) stdout.write(`${packageJson.version}\n`);
  else if (flags.has("help")) stdout.write(HELP.program);
  else
    throw new UsageError("Say what to do: agentchart run, sessions, inspect, chart, worker, serve or dead.");
  return 0;
}

function groupCommand(
  [word = "", ...args]: readonly string[],
  { flags: spec, help, commands }: NonNullable<ReturnType<typeof groupOf>>,
  { stdout }: Surroundings,
): number {
  const flags = readFlags(args, spec);
  if (!flags.has("help")) {
    const names = new Intl.ListFormat("en-GB", { type: "disjunction" }).format(commands);
    throw new UsageError(`Say what to do: agentchart ${word} ${names}.`);
  }
  stdout.write(help);
  return 0;
}

function helpCommand(args: readonly string[]): string {
  return `"${["agentchart", commandName(args), "--help"].filter(Boolean).join(" ")}"`;
}

function exit(code: number): never {
  process.exit(code);
}

/** The standard output for us alone: what tools print there comes out on stderr, so that stdout can be read by
 *  programs. */
function takeStdout(): Output & { flush(): Promise<void> } {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  return {
    isTTY: stdout.isTTY,
    write: (text) => write(text),
    flush: () => new Promise((resolve) => void write("", () => resolve())),
  };
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

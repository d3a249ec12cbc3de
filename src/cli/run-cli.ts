import { CommanderError } from "commander";
import { AgentError } from "../core/base/error.ts";
import { hideSecrets, secretsOf } from "../core/base/secrets.ts";
import { endProcess } from "./end-process.ts";
import { asSentence, errorMessage, stackTrace } from "./error-message.ts";
import { muteWarnings } from "./mute-warnings.ts";
import { createProgram } from "./program.ts";
import { openTerminal, withoutControls, type Output } from "./terminal.ts";
import { UsageError } from "./usage-error.ts";

/** Runs the program `agentchart` and resolves with its exit code: 0 success, 1 failure, 2 wrong usage. Never rejects. */
export async function runCli(args: readonly string[]): Promise<number> {
  const { stderr, env } = process;
  const stdout = takeStdout();
  const terminal = openTerminal(stdout, stderr, env);
  let exitCode = 0;
  const io = { stdout, terminal, env, exit: endProcess };
  const program = createProgram(io, (code) => (exitCode = code));
  const fail = (thrown: unknown): number => {
    if (thrown instanceof CommanderError) return thrown.exitCode; // help and version
    const isUsage = thrown instanceof UsageError;
    const secrets = secretsOf([args.join(" ")], env); // `--tokens` names a file;
    terminal.endLine();
    const message = hideSecrets(asSentence(errorMessage(thrown)), secrets);
    terminal.fail(`agentchart: ${message}${isUsage ? ` See ${helpCommand(args)}.` : ""}`);
    if (args.includes("--debug")) {
      const explained = AgentError.is(thrown) ? `Explained in ${thrown.docs}\n` : "";
      stderr.write(`${withoutControls(hideSecrets(stackTrace(thrown), secrets))}\n${explained}`);
    }
    return isUsage ? 2 : 1;
  };
  const helpCommand = (args: readonly string[]): string => `"${program.find(args).path} --help"`;
  // A reader that has read enough, such as `head`, needs no explanation.
  process.stdout.on("error", (error: NodeJS.ErrnoException) =>
    endProcess(error.code === "EPIPE" ? 1 : fail(error)),
  );
  // Errors that no caller handles, such as the rejection of a promise that a tool does not await.
  process.on("uncaughtException", (error) => endProcess(fail(error)));
  muteWarnings();
  await program.parseAsync(args, { from: "user" }).catch((thrown: unknown) => (exitCode = fail(thrown)));
  await stdout.flush();
  return exitCode;
}

/** The standard output, reserved for the program: what tools print to it goes to stderr, so that other programs can read
 *  stdout. */
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

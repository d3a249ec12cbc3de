import type { Agent, Input, Reply } from "../agent/types.ts";
import { AgentError } from "../core/base/error.ts";
import type { AgentEvent } from "../core/event/types.ts";
import type { CliIo } from "./cli-io.ts";
import { printNextCommands } from "./next-commands.ts";
import { onSignal } from "./on-signal.ts";
import { closingLine, pendingLine, turnPrinter } from "./print-turn.ts";
import { sessionCommand, type SessionTarget } from "./session-commands.ts";
import type { Terminal } from "./terminal.ts";

/** The maximum time that a turn may take to reach its next commit point after SIGTERM, in ms. It is less than the 10 s after which Docker
 *  and systemd kill a process. */
const SHUTDOWN_MS = 8_000;

export type TurnOptions = {
  /** Prints the events as JSON lines on stdout instead of the text of the model. */
  readonly isJson: boolean;
  /** The stored session of the agent. Without one, SIGTERM ends the process as usual. */
  readonly session?: SessionTarget;
};

/** Runs a turn, prints it and returns the exit code. Without a question, the turn that was cut off continues. */
export async function runTurn(
  agent: Agent,
  question: Input,
  { stdout, terminal, exit }: CliIo,
  { isJson, session }: TurnOptions,
): Promise<number> {
  const print = isJson
    ? (event: AgentEvent) => stdout.write(`${JSON.stringify(event)}\n`)
    : turnPrinter(terminal);
  const exitWith = (code: number) => (): void => {
    terminal.endLine();
    exit(code);
  };
  const shutdowns: Promise<void>[] = [];
  const shutDown = (): boolean => shutdowns.push(shutDownAgent(agent)) > 0;
  const removers = [
    onSignal("SIGINT", () => agent.interrupt(), exitWith(130)),
    ...(session ? [onSignal("SIGTERM", shutDown, exitWith(143))] : []),
  ];
  try {
    const stream = agent.stream(question);
    for await (const event of stream) print(event);
    const reply = await stream.reply;
    await Promise.all(shutdowns);
    const exitCode = printEnd(reply, terminal, isJson);
    if (session) printNextCommands(agent.status(), session, terminal);
    return exitCode;
  } catch (error) {
    terminal.endLine();
    await Promise.all(shutdowns);
    if (session && shutdowns.length > 0 && isShutdown(error)) {
      printSaved(agent, session, terminal);
      return 0;
    }
    if (session) printNextCommands(agent.status(), session, terminal);
    throw error;
  } finally {
    terminal.endLine();
    for (const remove of removers) remove();
  }
}

/** An agent that is still reading its store cannot be shut down yet. */
async function shutDownAgent(agent: Agent): Promise<void> {
  await agent.open().catch(() => {});
  await agent.shutdown({ deadlineMs: SHUTDOWN_MS });
}

function isShutdown(error: unknown): boolean {
  return AgentError.is(error) && (error.code === "run/shutdown" || error.code === "run/closed");
}

function printSaved(agent: Agent, session: SessionTarget, terminal: Terminal): void {
  const command = sessionCommand("sessions resume", session);
  const { phase } = agent.status();
  if (phase === "stopped") terminal.hint("Stopped by SIGTERM before the turn started.");
  else terminal.hint(`Stopped by SIGTERM, and saved. Continue with: ${command}`);
}

/** Prints how the turn ended where the answer does not show it, and returns the exit code. */
function printEnd(reply: Reply, terminal: Terminal, isJson: boolean): number {
  if (reply.reason === "INTERRUPTED") {
    terminal.fail("Interrupted: the answer is incomplete.");
    return 1;
  }
  for (const call of reply.pending) terminal.warn(pendingLine(call));
  if (reply.reason === "MAX_ITERATIONS") {
    terminal.warn("The turn reached its maximum of model calls and was summarized: raise --max-iters.");
  }
  if (!isJson) terminal.note(closingLine(reply));
  return 0;
}

import type { AgentEvent } from "../event/types.ts";
import type { Agent, Reply } from "../agent/types.ts";
import { AgentError } from "../base/error.ts";
import { sayHowToGoOn } from "./how-to-go-on.ts";
import { onSignal } from "./on-signal.ts";
import { closingLine, pendingLine, showTurn } from "./show-turn.ts";
import { sessionCommand, type SessionLine } from "./stored-session.ts";
import type { Surroundings } from "./surroundings.ts";
import type { Terminal } from "./terminal.ts";

/** How long a turn may take to its next commit point when the process is told to end, ms: less than the 10 s after which
 *  Docker, systemd and others kill. */
const SHUTDOWN_MS = 8_000;

export type TurnOptions = {
  readonly isJson: boolean;
  /** Absent if the agent lives in this process only. */
  readonly session?: SessionLine;
};

/** Runs a turn and shows it. Gives the exit code; throws what went wrong. */
export async function takeTurn(
  agent: Agent,
  question: string | undefined,
  { stdout, terminal, exit }: Surroundings,
  { isJson, session }: TurnOptions,
): Promise<number> {
  const show = isJson
    ? (event: AgentEvent) => stdout.write(`${JSON.stringify(event)}\n`)
    : showTurn(terminal);
  const leave = (code: number) => (): void => {
    terminal.endLine();
    exit(code);
  };
  const shutdowns: Promise<void>[] = [];
  const shutDown = (): boolean => shutdowns.push(shutdownOf(agent)) > 0;
  const restore = [
    onSignal("SIGINT", () => agent.interrupt(), leave(130)),
    ...(session ? [onSignal("SIGTERM", shutDown, leave(143))] : []),
  ];
  try {
    const stream = agent.stream(question);
    for await (const event of stream) show(event);
    const reply = await stream.reply;
    await Promise.all(shutdowns);
    const exitCode = conclude(reply, terminal, isJson);
    if (session) sayHowToGoOn(agent.status(), session, terminal);
    return exitCode;
  } catch (error) {
    terminal.endLine();
    await Promise.all(shutdowns);
    if (session && shutdowns.length > 0 && isShutdown(error)) {
      saySaved(agent, session, terminal);
      return 0;
    }
    if (session) sayHowToGoOn(agent.status(), session, terminal);
    throw error;
  } finally {
    terminal.endLine();
    for (const each of restore) each();
  }
}

/** An agent that is still reading its store has nothing to stop yet. */
async function shutdownOf(agent: Agent): Promise<void> {
  await agent.open().catch(() => {});
  await agent.shutdown({ deadlineMs: SHUTDOWN_MS });
}

function isShutdown(error: unknown): boolean {
  return AgentError.is(error) && (error.code === "run/shutdown" || error.code === "run/closed");
}

function saySaved(agent: Agent, session: SessionLine, terminal: Terminal): void {
  const command = sessionCommand("resume", session);
  const { phase } = agent.status();
  if (phase === "stopped") terminal.hint("Stopped by SIGTERM before anything was begun.");
  else terminal.hint(`Stopped by SIGTERM, and saved. Go on with: ${command}`);
}

/** Says how the turn ended where the answer alone does not, and gives the exit code. */
function conclude(reply: Reply, terminal: Terminal, isJson: boolean): number {
  if (reply.reason === "INTERRUPTED") {
    terminal.fail("Interrupted: the answer ends where it stands.");
    return 1;
  }
  for (const call of reply.pending) terminal.warn(pendingLine(call));
  if (reply.reason === "MAX_ITERATIONS") {
    terminal.warn("The model was not done within its iterations and was asked to sum up: raise --max-iters.");
  }
  if (!isJson) terminal.note(closingLine(reply));
  return 0;
}

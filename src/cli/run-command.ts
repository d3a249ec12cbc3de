import { text } from "node:stream/consumers";
import type { Agent } from "../agent/types.ts";
import { AgentError } from "../core/base/error.ts";
import type { CliIo } from "./cli-io.ts";
import type { Handler, Input } from "./define-command.ts";
import type { run } from "./definitions.ts";
import { printNextCommands } from "./next-commands.ts";
import { withStore } from "./open-store.ts";
import { pendingLine } from "./print-turn.ts";
import { runTurn } from "./run-turn.ts";
import { explainSessionErrors, type SessionTarget } from "./session-commands.ts";
import { refuseUnloaded } from "./sessions/refuse-unloaded.ts";
import { resumeSession } from "./sessions/resume-command.ts";
import type { Terminal } from "./terminal.ts";
import { UsageError } from "./usage-error.ts";
import { withAgent } from "./with-agent.ts";

type Flags = Input<typeof run>["flags"];

/** `agentchart run`: one turn of one agent. */
export const runCommand: Handler<typeof run> = async ({ args, flags }, io) => {
  const { session: sessionId, json } = flags;
  const question = await readQuestion(args.question, sessionId);
  if (sessionId !== undefined && question === undefined) return resumeSession(sessionId, flags, io);
  if (!question?.trim())
    throw new UsageError('Missing question: agentchart run "<question>", or - for stdin.');
  if (sessionId !== undefined) return askSession(sessionId, flags, question, io);
  if (flags.store !== undefined) throw new UsageError("'--store' needs '--session'.");
  return withAgent(flags, io, undefined, (agent) => runTurn(agent, question, io, { isJson: json }));
};

/** Reads the question from stdin if it is "-", or if there is none where one is needed and stdin is not a terminal. */
async function readQuestion(
  question: string | undefined,
  sessionId: string | undefined,
): Promise<string | undefined> {
  const isOmitted = question === undefined && sessionId === undefined && !process.stdin.isTTY;
  return question === "-" || isOmitted ? (await text(process.stdin)).trimEnd() : question;
}

/** Asks the next question of a session, which another process may have started. */
async function askSession(sessionId: string, flags: Flags, question: string, io: CliIo): Promise<number> {
  const session = { sessionId, flags };
  return withStore(flags.store, (store) =>
    explainSessionErrors(session, () =>
      withAgent(flags, io, { store, sessionId }, async (agent) => {
        await refuseUnloaded(agent, { store, sessionId });
        await agent.open();
        refuseWhilePending(agent, session, io.terminal);
        return runTurn(agent, question, io, { isJson: flags.json, session });
      }),
    ),
  );
}

/** A question does not answer an open call. */
function refuseWhilePending(agent: Agent, session: SessionTarget, terminal: Terminal): void {
  const status = agent.status();
  if (status.pending.length === 0) return;
  for (const call of status.pending) terminal.warn(pendingLine(call));
  printNextCommands(status, session, terminal);
  throw new AgentError(
    "run/pending",
    `Session '${session.sessionId}' needs an answer to its open calls before the next question.`,
  );
}

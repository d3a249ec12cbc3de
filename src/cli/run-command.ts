import type { Agent } from "../agent/types.ts";
import { AgentError } from "../base/error.ts";
import { sayHowToGoOn } from "./how-to-go-on.ts";
import { withAgent } from "./open-agent.ts";
import { withStore } from "./open-store.ts";
import type { GivenFlags } from "./read-flags.ts";
import { resumeSession } from "./sessions/resume-command.ts";
import { pendingLine } from "./show-turn.ts";
import { aboutSession, type SessionLine } from "./stored-session.ts";
import type { Surroundings } from "./surroundings.ts";
import { takeTurn } from "./take-turn.ts";
import type { Terminal } from "./terminal.ts";
import { UsageError } from "./usage-error.ts";

/** `agentchart run`: one turn of one agent. Gives the exit code; throws what went wrong. */
export async function runCommand(flags: GivenFlags, surroundings: Surroundings): Promise<number> {
  const question = questionOf(flags);
  const sessionId = flags.text("session");
  if (sessionId !== undefined && question === undefined)
    return resumeSession({ sessionId, flags }, surroundings);
  if (question === undefined) throw new UsageError('What is the question? agentchart run "<question>"');
  if (sessionId !== undefined) return askSession({ sessionId, flags }, question, surroundings);
  if (flags.has("store")) throw new UsageError('"--store" needs "--session".');
  const isJson = flags.has("json");
  return withAgent(flags, surroundings, undefined, (agent) =>
    takeTurn(agent, question, surroundings, { isJson }),
  );
}

/** Asks the next question of a conversation that may have begun in another process. */
async function askSession(
  session: SessionLine,
  question: string,
  surroundings: Surroundings,
): Promise<number> {
  const { flags, sessionId } = session;
  const isJson = flags.has("json");
  return withStore(flags.text("store"), (store) =>
    aboutSession(session, () =>
      withAgent(flags, surroundings, { store, sessionId }, async (agent) => {
        await agent.open();
        refuseWhilePending(agent, session, surroundings.terminal);
        return takeTurn(agent, question, surroundings, { isJson, session });
      }),
    ),
  );
}

/** Words are no answer to an open call. */
function refuseWhilePending(agent: Agent, session: SessionLine, terminal: Terminal): void {
  const status = agent.status();
  if (status.pending.length === 0) return;
  for (const call of status.pending) terminal.warn(pendingLine(call));
  sayHowToGoOn(status, session, terminal);
  throw new AgentError(
    "run/pending",
    `Session '${session.sessionId}' waits for an answer to its open calls before it takes a new question.`,
  );
}

function questionOf({ words }: GivenFlags): string | undefined {
  const [question, ...more] = words;
  if (more.length > 0) throw new UsageError("More than one question: put it in quotes.");
  if (question?.trim() === "") throw new UsageError('What is the question? agentchart run "<question>"');
  return question;
}

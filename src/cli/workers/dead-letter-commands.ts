import { AgentError } from "../../core/base/error.ts";
import { createDispatcher } from "../../worker/dispatcher.ts";
import type { DeadLetter, Dispatcher } from "../../worker/types.ts";
import type { Handler } from "../define-command.ts";
import { formatTime, printItems, printResult } from "../output.ts";
import { paginate } from "../paginate.ts";
import { UsageError } from "../usage-error.ts";
import type { listDeadLetters, retryDeadLetters } from "./definitions.ts";
import { withBackend } from "./open-backend.ts";

/** `agentchart dead-letters ls`. */
export const listCommand: Handler<typeof listDeadLetters> = async ({ flags }, io) =>
  withBackend(
    flags,
    io.env,
    async (backend) => {
      const letters = deadLettersOf(createDispatcher(backend), flags.tenant, flags.limit);
      const rowOf = ({ sessionId, at, reason }: DeadLetter) => [sessionId, formatTime(at), reason];
      await printItems(
        io,
        flags,
        letters,
        ["SESSION", "SINCE", "REASON"],
        rowOf,
        "No session is quarantined.",
      );
      return 0;
    },
    true,
  );

/** `agentchart dead-letters retry`. The exit code is 1 if a session could not be retried. */
export const retryCommand: Handler<typeof retryDeadLetters> = async ({ args: { ids }, flags }, io) => {
  const { all, tenant } = flags;
  if (all === ids.length > 0) throw new UsageError("Name the sessions to retry, or use '--all'.");
  if (!all && tenant !== undefined) throw new UsageError("'--tenant' needs '--all'.");
  return withBackend(
    flags,
    io.env,
    async (backend) => {
      const dispatcher = createDispatcher(backend);
      let exitCode = 0;
      const letters = all ? deadLettersOf(dispatcher, tenant) : ids.map((sessionId) => ({ sessionId }));
      for await (const { sessionId } of letters) {
        const problem = await retry(dispatcher, sessionId);
        if (problem === undefined) printResult(io, flags, `Woken: ${sessionId}`, { sessionId, woken: true });
        else {
          exitCode = 1;
          io.terminal.fail(`${sessionId}: ${problem}`);
        }
      }
      return exitCode;
    },
    true,
  );
};

/** Ends the quarantine of a session. Returns the reason if that is not possible. */
async function retry(dispatcher: Dispatcher, sessionId: string): Promise<string | undefined> {
  try {
    return (await dispatcher.retry(sessionId)) ? undefined : "the session is not quarantined";
  } catch (error) {
    if (!AgentError.is(error) || !error.code.startsWith("session/")) throw error;
    return error.message;
  }
}

function deadLettersOf(
  dispatcher: Dispatcher,
  tenant: string | undefined,
  limit?: number,
): AsyncIterable<DeadLetter> {
  const meta = tenant === undefined ? undefined : { tenant };
  return paginate(
    (page) => dispatcher.deadLetters({ meta, ...page }),
    ({ letters }) => letters,
    limit,
  );
}

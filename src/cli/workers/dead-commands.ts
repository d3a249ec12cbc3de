import { AgentError } from "../../base/error.ts";
import { createDispatcher } from "../../worker/dispatcher.ts";
import type { DeadLetter, Dispatcher } from "../../worker/types.ts";
import type { GivenFlags } from "../read-flags.ts";
import type { Surroundings } from "../surroundings.ts";
import { table, timeText } from "../table.ts";
import { oneLine } from "../terminal.ts";
import { UsageError } from "../usage-error.ts";
import { countOf, noWords } from "../words.ts";
import { withBackend } from "./open-backend.ts";

/** `agentchart dead ls`: the sessions that are quarantined. Gives the exit code. */
export async function deadListCommand(
  flags: GivenFlags,
  { stdout, terminal, env }: Surroundings,
): Promise<number> {
  noWords(flags);
  const limit = countOf(flags, "limit") ?? Number.POSITIVE_INFINITY;
  return withBackend(flags, env, async (backend) => {
    const shown: DeadLetter[] = [];
    for await (const letter of lettersOf(createDispatcher(backend), flags.text("tenant"), limit)) {
      if (stdout.isTTY) shown.push(letter);
      else stdout.write(`${JSON.stringify(letter)}\n`);
    }
    const rows = shown.map(({ sessionId, at, reason }) => [sessionId, timeText(at), reason]);
    if (rows.length > 0) stdout.write(table(["SESSION", "SINCE", "REASON"], rows));
    else if (stdout.isTTY) terminal.note("No session is quarantined.");
    return 0;
  });
}

/** `agentchart dead retry`: ends quarantines. Gives the exit code, 1 if one could not be ended. */
export async function deadRetryCommand(
  flags: GivenFlags,
  { stdout, terminal, env }: Surroundings,
): Promise<number> {
  const isAll = flags.has("all");
  if (isAll === flags.words.length > 0) {
    throw new UsageError("Which sessions? agentchart dead retry <id>…, or --all.");
  }
  if (!isAll && flags.has("tenant")) throw new UsageError('"--tenant" needs "--all".');
  return withBackend(flags, env, async (backend) => {
    const dispatcher = createDispatcher(backend);
    let failures = 0;
    for await (const sessionId of isAll ? idsOf(dispatcher, flags.text("tenant")) : flags.words) {
      const problem = await retried(dispatcher, sessionId);
      if (problem !== undefined) {
        failures++;
        terminal.fail(`${sessionId}: ${problem}`);
      } else if (stdout.isTTY) stdout.write(`${oneLine(`Woken: ${sessionId}`)}\n`);
      else stdout.write(`${JSON.stringify({ sessionId, woken: true })}\n`);
    }
    return failures > 0 ? 1 : 0;
  });
}

/** Why it was not, if it was not. */
async function retried(dispatcher: Dispatcher, sessionId: string): Promise<string | undefined> {
  try {
    return (await dispatcher.retry(sessionId)) ? undefined : "it is not quarantined";
  } catch (error) {
    if (!AgentError.is(error) || !error.code.startsWith("session/")) throw error;
    return error.message;
  }
}

async function* lettersOf(
  dispatcher: Dispatcher,
  tenant: string | undefined,
  limit: number,
): AsyncGenerator<DeadLetter> {
  let left = limit;
  let cursor: string | undefined;
  do {
    const page = await dispatcher.deadLetters({
      limit: Math.min(left, 100),
      ...(cursor !== undefined && { cursor }),
      ...(tenant !== undefined && { meta: { tenant } }),
    });
    yield* page.letters;
    left -= page.letters.length;
    cursor = page.cursor;
  } while (cursor !== undefined && left > 0);
}

async function* idsOf(dispatcher: Dispatcher, tenant: string | undefined): AsyncGenerator<string> {
  for await (const { sessionId } of lettersOf(dispatcher, tenant, Number.POSITIVE_INFINITY)) yield sessionId;
}

// src/cli/sessions holds the commands for stored sessions.
import { SESSION_PHASES, type SessionFilter, type SessionInfo, type SessionStore } from "../../store/port.ts";
import { nearestName } from "../../base/nearest-name.ts";
import { withFoundStore } from "../open-store.ts";
import type { GivenFlags } from "../read-flags.ts";
import type { Surroundings } from "../surroundings.ts";
import { table, timeText } from "../table.ts";
import { UsageError } from "../usage-error.ts";
import { countOf, noWords } from "../words.ts";

/** `agentchart sessions ls`: the sessions of a store. Gives the exit code. */
export async function listCommand(flags: GivenFlags, { stdout, terminal }: Surroundings): Promise<number> {
  noWords(flags);
  const limit = countOf(flags, "limit") ?? Number.POSITIVE_INFINITY;
  const [prefix, phase] = [flags.text("prefix"), phaseOf(flags)];
  const filter = { ...(prefix !== undefined && { prefix }), ...(phase && { phase }) };
  return withFoundStore(flags.text("store"), async (store) => {
    const shown: SessionInfo[] = [];
    for await (const session of sessionsOf(store, filter, limit)) {
      if (stdout.isTTY) shown.push(session);
      else stdout.write(`${JSON.stringify(session)}\n`);
    }
    if (shown.length > 0)
      stdout.write(table(["SESSION", "PHASE", "POSITION", "UPDATED", "WAITS FOR"], shown.map(rowOf)));
    else if (stdout.isTTY) terminal.note("There are no such sessions.");
    return 0;
  });
}

async function* sessionsOf(
  store: SessionStore,
  filter: SessionFilter,
  limit: number,
): AsyncGenerator<SessionInfo> {
  let left = limit;
  let cursor: string | undefined;
  do {
    const page = await store.list({
      ...filter,
      ...(cursor !== undefined && { cursor }),
      limit: Math.min(left, 100),
    });
    yield* page.sessions;
    left -= page.sessions.length;
    cursor = page.cursor;
  } while (cursor !== undefined && left > 0);
}

function rowOf({ sessionId, phase, seq, updatedAt, waitsFor }: SessionInfo): string[] {
  return [sessionId, phase, String(seq), timeText(updatedAt), waitsFor.join(", ")];
}

function phaseOf(flags: GivenFlags): SessionInfo["phase"] | undefined {
  const said = flags.text("phase");
  if (said === undefined) return undefined;
  const phase = SESSION_PHASES.find((known) => known === said);
  if (phase) return phase;
  const near = nearestName(said, SESSION_PHASES);
  const instead = near ? `Did you mean "${near}"?` : `There are ${SESSION_PHASES.join(", ")}.`;
  throw new UsageError(`There is no phase "${said}". ${instead}`);
}

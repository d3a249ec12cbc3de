import { AgentError } from "../../base/error.ts";
import { openSession } from "../../session/open-session.ts";
import { withFoundStore } from "../open-store.ts";
import type { GivenFlags } from "../read-flags.ts";
import { pendingLine } from "../show-turn.ts";
import { aboutSession } from "../stored-session.ts";
import type { Surroundings } from "../surroundings.ts";
import { oneLine } from "../terminal.ts";
import { UsageError } from "../usage-error.ts";
import { countOf, onlyWord } from "../words.ts";

/** `agentchart sessions fork`: a new session that begins as another one stood. Gives the exit code. */
export async function forkCommand(flags: GivenFlags, { stdout, terminal }: Surroundings): Promise<number> {
  const sessionId = onlyWord(flags, "Which session? agentchart sessions fork <id> --at N");
  const at = countOf(flags, "at");
  const as = flags.text("as");
  if (at === undefined)
    throw new UsageError(`At which position? "agentchart sessions show" lists them, --at names one.`);
  return withFoundStore(flags.text("store"), (store) =>
    aboutSession({ sessionId, flags }, async () => {
      const session = await openSession(store, sessionId);
      await session.at(at);
      if (as !== undefined && (await store.load(as))) {
        throw new AgentError(
          "config/invalid",
          `Session '${as}' exists already: choose another id with --as.`,
        );
      }
      const fork = await session.fork(at, { ...(as !== undefined && { sessionId: as }) });
      const report = { sessionId: fork.sessionId, forkedFrom: sessionId, at, runsAgain: fork.runsAgain };
      if (!stdout.isTTY) stdout.write(`${JSON.stringify(report)}\n`);
      else
        stdout.write(
          `${oneLine(`Forked ${sessionId} at ${at}: ${fork.sessionId}`, Number.POSITIVE_INFINITY)}\n`,
        );
      for (const call of fork.runsAgain) terminal.warn(`Open at that position. ${pendingLine(call)}`);
      return 0;
    }),
  );
}

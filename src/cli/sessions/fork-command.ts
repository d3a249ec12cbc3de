import { AgentError } from "../../base/error.ts";
import { openSession } from "../../session/open-session.ts";
import type { Handler } from "../define-command.ts";
import { withExistingStore } from "../open-store.ts";
import { printResult } from "../output.ts";
import { pendingLine } from "../print-turn.ts";
import { explainSessionErrors } from "../session-commands.ts";
import type { fork as definition } from "./definitions.ts";

/** `agentchart sessions fork`. */
export const forkCommand: Handler<typeof definition> = async ({ args: { id }, flags }, io) => {
  const { at, as } = flags;
  return withExistingStore(flags.store, (store) =>
    explainSessionErrors({ sessionId: id, flags }, async () => {
      const session = await openSession(store, id);
      await session.at(at);
      if (as !== undefined && (await store.load(as))) {
        throw new AgentError(
          "config/invalid",
          `Session '${as}' already exists: choose another id with --as.`,
        );
      }
      const fork = await session.fork(at, { ...(as !== undefined && { sessionId: as }) });
      const { sessionId, forkedAt, runsAgain } = fork;
      const step = forkedAt === at ? "" : `, the end of the step of position ${at}`;
      const report = { sessionId, forkedFrom: id, forkedAt, runsAgain };
      printResult(io, flags, `Forked ${id} at ${forkedAt}${step}: ${sessionId}`, report);
      for (const call of runsAgain) io.terminal.warn(`Open at that position. ${pendingLine(call)}`);
      return 0;
    }),
  );
};

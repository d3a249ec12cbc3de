import { randomUUID } from "node:crypto";
import type { Agent } from "../../agent/types.ts";
import { AgentError, messageOf } from "../../core/base/error.ts";
import type { Fork } from "../../session/fork.ts";
import { checkChanges } from "../../session/fork-changes.ts";
import type { ForkChanges } from "../../../machines/agent/prompt/edits.ts";
import { openSession, type StoredSession } from "../../session/open-session.ts";
import type { SessionStore } from "../../store/port.ts";
import { RESERVED_NAMES } from "../../core/tool/reserved-names.ts";
import type { CliIo } from "../cli-io.ts";
import type { Handler } from "../define-command.ts";
import { asSentence } from "../error-message.ts";
import { onSignal } from "../on-signal.ts";
import { withExistingStore } from "../open-store.ts";
import { printResult, printsJson } from "../output.ts";
import { pendingLine } from "../print-turn.ts";
import { runTurn } from "../run-turn.ts";
import { explainSessionErrors } from "../session-commands.ts";
import { withAgent } from "../with-agent.ts";
import type { fork as definition } from "./definitions.ts";
import { readJson } from "./read-json.ts";

type Flags = Parameters<Handler<typeof definition>>[0]["flags"];
type Forking = {
  readonly store: SessionStore;
  readonly session: StoredSession;
  readonly changes: ForkChanges | undefined;
  readonly flags: Flags;
  readonly io: CliIo;
};

/** `agentchart sessions fork`. */
export const forkCommand: Handler<typeof definition> = async ({ args: { id }, flags }, io) => {
  const changes = flags.edit === undefined ? undefined : await readChanges(flags.edit);
  return withExistingStore(flags.store, (store) =>
    explainSessionErrors({ sessionId: id, flags }, async () => {
      const session = await openSession(store, id);
      await session.at(flags.at);
      const ids = idsOf(flags);
      for (const each of ids) await refuseExisting(store, each);
      const forking = { store, session, changes, flags, io };
      let exitCode = 0;
      for (const sessionId of ids) {
        if (!flags.run) printFork(await fork(forking, sessionId), forking);
        else if (!(await forkAndRun(forking, sessionId))) exitCode = 1;
      }
      return exitCode;
    }),
  );
};

async function readChanges(file: string): Promise<ForkChanges> {
  const changes = (await readJson(file, "The file of --edit")) as ForkChanges;
  checkChanges(changes, "The file of --edit");
  return changes;
}

function idsOf({ as, times = 1 }: Flags): readonly string[] {
  if (as !== undefined && times === 1) return [as];
  return Array.from({ length: times }, (_, index) =>
    as === undefined ? randomUUID() : `${as}-${index + 1}`,
  );
}

async function refuseExisting(store: SessionStore, sessionId: string): Promise<void> {
  if (!(await store.load(sessionId))) return;
  throw new AgentError(
    "config/invalid",
    `Session '${sessionId}' already exists: choose another id with --as.`,
  );
}

function fork({ session, changes, flags }: Forking, sessionId: string): Promise<Fork> {
  return session.fork(flags.at, { sessionId, ...(changes && { changes }) });
}

function printFork(made: Fork, { session, flags, io }: Forking, turn: object = {}): void {
  const { sessionId, forkedAt, runsAgain } = made;
  const step = forkedAt === flags.at ? "" : `, the end of the step of position ${flags.at}`;
  const report = { sessionId, forkedFrom: session.sessionId, forkedAt, runsAgain, ...turn };
  printResult(io, flags, `Forked ${session.sessionId} at ${forkedAt}${step}: ${sessionId}`, report);
  if (flags.run) return;
  for (const call of runsAgain) io.terminal.warn(`Open at that position. ${pendingLine(call)}`);
}

/** Makes a fork and runs its turn. Returns false if the turn failed, which is printed. */
async function forkAndRun(forking: Forking, sessionId: string): Promise<boolean> {
  const { store, flags, io } = forking;
  return withAgent(flags, io, { store, sessionId }, async (agent) => {
    refuseUnknownTools(agent, forking.changes);
    const made = await fork(forking, sessionId);
    if (printsJson(io, flags)) return runSilently(agent, made, forking);
    printFork(made, forking);
    try {
      return (await runTurn(agent, undefined, io, { isJson: false, session: { sessionId, flags } })) === 0;
    } catch (error) {
      io.terminal.fail(asSentence(messageOf(error)));
      return false;
    }
  });
}

function refuseUnknownTools(agent: Agent, changes: ForkChanges | undefined): void {
  const names = [...agent.toolkit.names(), ...RESERVED_NAMES];
  const unknown = changes?.tools?.find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new AgentError(
    "session/bad-change",
    `The tool "${unknown}" of --edit is not loaded: name its file with --tools.`,
  );
}

/** Runs the turn of a fork, and prints what came of it in the line of the fork. */
async function runSilently(agent: Agent, made: Fork, forking: Forking): Promise<boolean> {
  const { io } = forking;
  const remove = onSignal(
    "SIGINT",
    () => agent.interrupt(),
    () => io.exit(130),
  );
  try {
    const { reason, text, turn } = await agent.call();
    printFork(made, forking, { reason, text, usage: turn.usage });
    return reason !== "INTERRUPTED";
  } catch (error) {
    printFork(made, forking, {
      error: AgentError.is(error) ? error.toJSON() : { message: messageOf(error) },
    });
    return false;
  } finally {
    remove();
  }
}

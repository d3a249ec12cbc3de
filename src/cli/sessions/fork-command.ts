import { randomUUID } from "node:crypto";
import type { AgentConfig } from "../../agent/options/agent-config.ts";
import type { Agent } from "../../agent/types.ts";
import { AgentError, configError, messageOf } from "../../core/base/error.ts";
import { actingTools, RecordedResults, recordingOf } from "../../agent/recorded-results.ts";
import type { Msg } from "../../core/message/types.ts";
import type { Fork, ForkPoint } from "../../session/fork.ts";
import type { ForkChanges } from "../../../machines/agent/prompt/edits.ts";
import { openSession, type StoredSession } from "../../session/open-session.ts";
import type { SessionStore } from "../../store/port.ts";
import { RESERVED_NAMES } from "../../core/tool/reserved-names.ts";
import type { CliIo } from "../cli-io.ts";
import type { Handler } from "../define-command.ts";
import { asSentence } from "../error-message.ts";
import { askPerson } from "../person.ts";
import { onSignal } from "../on-signal.ts";
import { printResult, printsJson } from "../output.ts";
import { pendingLine } from "../print-turn.ts";
import { runTurn } from "../run-turn.ts";
import { withSession } from "../session-commands.ts";
import { withAgent } from "../with-agent.ts";
import type { fork as definition } from "./definitions.ts";
import { UsageError } from "../usage-error.ts";
import { readChanges } from "./read-changes.ts";

type Flags = Parameters<Handler<typeof definition>>[0]["flags"];
type Forking = {
  readonly store: SessionStore;
  readonly session: StoredSession;
  readonly place: ForkPoint;
  readonly changes: ForkChanges | undefined;
  /** Says whether the tools of an agent repeat what is recorded; called once for each fork that runs. */
  readonly repeats: (config: AgentConfig) => Promise<boolean>;
  readonly flags: Flags;
  readonly io: CliIo;
};

/** `agentchart sessions fork`. */
export const forkCommand: Handler<typeof definition> = async ({ args: { id }, flags }, io) => {
  const place = placeOf(flags);
  const changes = flags.edit === undefined ? undefined : await readChanges(flags.edit);
  return withSession({ sessionId: id, flags }, async (store) => {
    const session = await openSession(store, id);
    await session.at(flags.at ?? flags.before);
    const ids = idsOf(flags);
    for (const each of ids) await refuseExisting(store, each);
    const forking = { store, session, place, changes, repeats: asksOnce(flags), flags, io };
    let exitCode = 0;
    for (const [index, sessionId] of ids.entries()) {
      if (!flags.run) printFork(await fork(forking, sessionId), forking);
      else {
        const { isWhole, isStopped } = await forkAndRun(forking, sessionId);
        const left = ids.length - index - 1;
        if (!isWhole || (isStopped && left > 0)) exitCode = 1;
        if (!isStopped || left === 0) continue;
        io.terminal.note(`Not made: ${left} more.`);
        break;
      }
    }
    return exitCode;
  });
};

function placeOf({ at, before }: Flags): ForkPoint {
  if (at !== undefined && before === undefined) return at;
  if (before !== undefined && at === undefined) return { before };
  throw new UsageError("Expected one of --at and --before: the place at which the fork begins.");
}

/** Returns the function that says what tools do: what the flag says, or a person, who is told which of them act. */
function asksOnce({ results }: Flags): Forking["repeats"] {
  let answer: Promise<boolean> | undefined;
  return async (config) => {
    if (results !== undefined) return results === "recorded";
    const acting = actingTools(config);
    return acting.length > 0 && (await (answer ??= askAbout(acting)));
  };
}

/** Rejects with `config/invalid` if no person is there to ask. */
async function askAbout(acting: readonly string[]): Promise<boolean> {
  const names = acting.join(", ");
  const ask = askPerson();
  if (ask) return !(await ask(`These tools act each time they run: ${names}. Really run them? [y/N] `));
  throw configError(
    `These tools act each time they run: ${names}. Say whether they do, with --results live, or repeat what is recorded, with --results recorded.`,
  );
}

function idsOf({ as, times = 1 }: Flags): readonly string[] {
  if (as !== undefined && times === 1) return [as];
  return Array.from({ length: times }, (_, index) =>
    as === undefined ? randomUUID() : `${as}-${index + 1}`,
  );
}

async function refuseExisting(store: SessionStore, sessionId: string): Promise<void> {
  if (!(await store.load(sessionId))) return;
  throw configError(`Session '${sessionId}' already exists: choose another id with --as.`);
}

function fork({ session, place, changes }: Forking, sessionId: string, repeats = false): Promise<Fork> {
  return session.fork(place, { sessionId, repeats, ...(changes && { changes }) });
}

function printFork(made: Fork, { session, place, flags, io }: Forking, turn: object = {}): void {
  const { sessionId, forkedAt, runsAgain } = made;
  const step =
    typeof place !== "number"
      ? `, before the step of position ${place.before}`
      : forkedAt === place
        ? ""
        : `, the end of the step of position ${place}`;
  const report = { sessionId, forkedFrom: session.sessionId, forkedAt, runsAgain, ...turn };
  printResult(io, flags, `Forked ${session.sessionId} at ${forkedAt}${step}: ${sessionId}`, report);
  if (flags.run) return;
  for (const call of runsAgain) io.terminal.warn(`Open at that position. ${pendingLine(call)}`);
}

/** The end of the turn of a fork. `isWhole`: it did not fail and was not interrupted. `isStopped`: a signal has ended it, and no other fork
 *  is run. */
type TurnEnd = { readonly isWhole: boolean; readonly isStopped: boolean };

/** Makes a fork and runs its turn. Prints an error of the turn. */
async function forkAndRun(forking: Forking, sessionId: string): Promise<TurnEnd> {
  const { store, session, flags, io } = forking;
  let repeated: RecordedResults | undefined;
  const change = async (config: AgentConfig): Promise<AgentConfig> => {
    if (!(await forking.repeats(config))) return config;
    repeated = new RecordedResults(await recordingOf(store, session.sessionId));
    return repeated.configured(config);
  };
  const use = async (agent: Agent): Promise<TurnEnd> => {
    refuseUnknownTools(agent, forking.changes);
    const made = await fork(forking, sessionId, repeated !== undefined);
    await repeated?.begin(agent, store);
    if (printsJson(io, flags)) return runSilently(agent, made, forking);
    printFork(made, forking);
    let isTerminated = false;
    const note = (): void => void (isTerminated = true);
    process.on("SIGTERM", note);
    try {
      const session = { sessionId, flags };
      const isWhole = (await runTurn(agent, inputOf(made), io, { isJson: false, session })) === 0;
      return { isWhole, isStopped: isTerminated || !isWhole };
    } catch (error) {
      io.terminal.fail(asSentence(messageOf(error)));
      return { isWhole: false, isStopped: isTerminated };
    } finally {
      process.off("SIGTERM", note);
    }
  };
  return withAgent(flags, io, { store, sessionId }, use, change);
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

/** The message that the original got at the place of a fork, if it rested there. */
const inputOf = ({ input }: Fork): readonly Msg[] | undefined => (input.length > 0 ? input : undefined);

/** Runs the turn of a fork, and prints what came of it in the line of the fork. */
async function runSilently(agent: Agent, made: Fork, forking: Forking): Promise<TurnEnd> {
  const { io } = forking;
  const remove = onSignal(
    "SIGINT",
    () => agent.interrupt(),
    () => io.exit(130),
  );
  try {
    const { reason, text, turn } = await agent.call(inputOf(made));
    printFork(made, forking, { reason, text, usage: turn.usage });
    const isStopped = reason === "INTERRUPTED";
    return { isWhole: !isStopped, isStopped };
  } catch (error) {
    printFork(made, forking, {
      error: AgentError.is(error) ? error.toJSON() : { message: messageOf(error) },
    });
    return { isWhole: false, isStopped: false };
  } finally {
    remove();
  }
}

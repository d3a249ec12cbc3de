import { AgentError } from "../../core/base/error.ts";
import type { SessionInfo, SessionStore } from "../../store/port.ts";
import { sessionsOf } from "../paginate.ts";
import { sessionCommand } from "../session-commands.ts";
import { ok, wrong, type Finding } from "./check.ts";

const PAGE = 500;
/** The ids that a line names. */
const MAX_NAMED = 3;

/** Finds the sessions that do not open: damaged, quarantined, or of a newer release. Of the others it finds those that have stopped in the
 *  middle of a turn and that no process holds. If the signal aborts, it says how many sessions it has looked at. */
export async function sessionFindings(
  store: SessionStore,
  spec: string,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const bad: string[] = [];
  const left: string[] = [];
  let count = 0;
  for await (const info of sessionsOf(store, {}, undefined, PAGE)) {
    if (signal.aborted) break;
    count++;
    if (await isBad(store, info)) bad.push(info.sessionId);
    else if (await isLeft(store, info)) left.push(info.sessionId);
  }
  const looked = signal.aborted ? `the first ${count}` : `${count}`;
  const line = (command: string, ids: readonly string[]): string =>
    `${ids.slice(0, MAX_NAMED).join(", ")}${ids.length > MAX_NAMED ? ", …" : ""}: ${sessionCommand(command, { sessionId: ids[0]!, flags: { store: spec } })}`;
  return [
    ...(bad.length > 0
      ? [wrong("sessions", `${bad.length} of ${looked} cannot go on, ${line("sessions show", bad)}`)]
      : [ok("sessions", `${looked}, and each can be opened`)]),
    ...(left.length > 0
      ? [
          wrong(
            "sessions",
            `${left.length} of ${looked} stopped in the middle of a turn, and no process runs them; a worker takes them up, or by hand ${line("sessions resume", left)}`,
            false,
          ),
        ]
      : []),
  ];
}

/** True if the session is quarantined, or what a restore would begin with is damaged or of a newer release. */
async function isBad(store: SessionStore, { sessionId, phase }: SessionInfo): Promise<boolean> {
  if (phase === "quarantined") return true;
  try {
    await store.load(sessionId);
    return false;
  } catch (thrown) {
    if (AgentError.is(thrown) && (thrown.code === "session/damaged" || thrown.code === "session/version"))
      return true;
    throw thrown;
  }
}

const isLeft = async (store: SessionStore, { sessionId, phase }: SessionInfo): Promise<boolean> =>
  (phase === "running" || phase === "unfinished") && (await store.holder?.(sessionId)) === undefined;

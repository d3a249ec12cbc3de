import { AgentError } from "../../core/base/error.ts";
import { deleteSession } from "../../store/delete-session.ts";
import { withLease } from "../../store/lease.ts";
import type { SessionStore } from "../../store/port.ts";
import { confirm } from "../person.ts";
import type { Handler } from "../define-command.ts";
import { printResult } from "../output.ts";
import { withSession } from "../session-commands.ts";
import { oneLine } from "../terminal.ts";
import { UsageError } from "../usage-error.ts";
import type { remove as definition } from "./definitions.ts";

/** `agentchart sessions rm`. */
export const removeCommand: Handler<typeof definition> = async ({ args: { id }, flags }, io) => {
  const { yes } = flags;
  if (!yes && !process.stdin.isTTY)
    throw new UsageError("Without a terminal, the deletion cannot be confirmed: use --yes.");
  return withSession({ sessionId: id, flags }, async (store) => {
    const size = await sizeOf(store, id);
    if (!yes && !(await confirm(`Delete session ${oneLine(id)} (${size}) permanently? [y/N] `))) {
      io.terminal.note("Not deleted.");
      return 1;
    }
    await remove(store, id);
    printResult(io, flags, `Deleted ${id}`, { sessionId: id, deleted: true });
    return 0;
  });
};

/** The size of the session. A session that cannot be read can still be deleted. */
async function sizeOf(store: SessionStore, sessionId: string): Promise<string> {
  try {
    const found = await store.load(sessionId);
    if (found) return `${found.seq} entries`;
  } catch (error) {
    if (!AgentError.is(error) || !["session/damaged", "session/version"].includes(error.code)) throw error;
    return "unreadable";
  }
  throw new AgentError("session/not-found", `Session not found: ${sessionId}`);
}

/** Deletes the session unless another process holds its lease. A session with a damaged end has no lease. */
async function remove(store: SessionStore, sessionId: string): Promise<void> {
  const work = (): Promise<boolean> => deleteSession(store, sessionId);
  await withLease(store, sessionId, work).catch((error: unknown) => {
    if (AgentError.is(error) && error.code === "session/damaged") return work();
    throw error;
  });
}

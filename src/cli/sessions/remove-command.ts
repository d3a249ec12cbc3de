import { createInterface } from "node:readline";
import { AgentError } from "../../core/base/error.ts";
import { deleteSession } from "../../store/delete-session.ts";
import { LEASE_MS, sessionLocked } from "../../store/lease.ts";
import { newOwner } from "../../store/leases.ts";
import type { SessionStore } from "../../store/port.ts";
import type { Handler } from "../define-command.ts";
import { withExistingStore } from "../open-store.ts";
import { printResult } from "../output.ts";
import { explainSessionErrors } from "../session-commands.ts";
import { oneLine } from "../terminal.ts";
import { UsageError } from "../usage-error.ts";
import type { remove as definition } from "./definitions.ts";

/** `agentchart sessions rm`. */
export const removeCommand: Handler<typeof definition> = async ({ args: { id }, flags }, io) => {
  const { yes } = flags;
  if (!yes && !process.stdin.isTTY)
    throw new UsageError("Without a terminal, the deletion cannot be confirmed: use --yes.");
  return withExistingStore(flags.store, (store) =>
    explainSessionErrors({ sessionId: id, flags }, async () => {
      const size = await sizeOf(store, id);
      if (!yes && !(await confirm(`Delete session ${oneLine(id)} (${size}) permanently? [y/N] `))) {
        io.terminal.note("Not deleted.");
        return 1;
      }
      await remove(store, id);
      printResult(io, flags, `Deleted ${id}`, { sessionId: id, deleted: true });
      return 0;
    }),
  );
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
  const lease = await store
    .acquire(sessionId, { owner: newOwner(), ttlMs: LEASE_MS })
    .catch((error: unknown) => {
      if (AgentError.is(error) && error.code === "session/damaged") return "none" as const;
      throw error;
    });
  if (!lease) throw await sessionLocked(store, sessionId);
  try {
    await deleteSession(store, sessionId);
  } finally {
    if (lease !== "none") await store.release(lease);
  }
}

/** Whether the user confirms. Ctrl-C and Ctrl-D do not. */
async function confirm(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await new Promise<string>((resolve) => {
    lines.once("close", () => resolve(""));
    lines.question(question, resolve);
  });
  if (answer === "") process.stderr.write("\n");
  lines.close();
  return /^y(es)?$/i.test(answer.trim());
}

import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline";
import { AgentError } from "../../base/error.ts";
import { sessionLocked } from "../../session/session-locked.ts";
import type { SessionStore } from "../../store/port.ts";
import { withFoundStore } from "../open-store.ts";
import type { GivenFlags } from "../read-flags.ts";
import { aboutSession } from "../stored-session.ts";
import type { Surroundings } from "../surroundings.ts";
import { oneLine } from "../terminal.ts";
import { UsageError } from "../usage-error.ts";
import { onlyWord } from "../words.ts";

const LEASE_MS = 30_000;

/** `agentchart sessions rm`: deletes a session for good. Gives the exit code. */
export async function removeCommand(flags: GivenFlags, { stdout, terminal }: Surroundings): Promise<number> {
  const sessionId = onlyWord(flags, "Which session? agentchart sessions rm <id>");
  const isAsked = !flags.has("yes");
  if (isAsked && !process.stdin.isTTY)
    throw new UsageError("There is nobody to ask: say --yes to delete it.");
  return withFoundStore(flags.text("store"), (store) =>
    aboutSession({ sessionId, flags }, async () => {
      const size = await sizeOf(store, sessionId);
      if (isAsked && !(await confirmed(`Delete session ${oneLine(sessionId)} (${size}) for good? [y/N] `))) {
        terminal.note("Kept.");
        return 1;
      }
      await remove(store, sessionId);
      stdout.write(
        stdout.isTTY
          ? `Deleted ${oneLine(sessionId)}\n`
          : `${JSON.stringify({ sessionId, deleted: true })}\n`,
      );
      return 0;
    }),
  );
}

/** What would be deleted; a session that cannot be read may be deleted all the same. */
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

/** Not while somebody works on it, as nobody does on one whose end is damaged. */
async function remove(store: SessionStore, sessionId: string): Promise<void> {
  const owner = `rm ${randomUUID()}`;
  const lease = await store.acquire(sessionId, { owner, ttlMs: LEASE_MS }).catch((error: unknown) => {
    if (AgentError.is(error) && error.code === "session/damaged") return "none" as const;
    throw error;
  });
  if (!lease) throw sessionLocked(sessionId, LEASE_MS);
  try {
    await store.delete(sessionId);
  } finally {
    if (lease !== "none") await store.release(lease);
  }
}

/** False also for Ctrl-C and Ctrl-D. */
async function confirmed(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await new Promise<string>((resolve) => {
    lines.once("close", () => resolve(""));
    lines.question(question, resolve);
  });
  if (answer === "") process.stderr.write("\n");
  lines.close();
  return /^y(es)?$/i.test(answer.trim());
}

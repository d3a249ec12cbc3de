import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { AgentError, messageOf } from "../../core/base/error.ts";
import { folderName } from "../../store/file-name.ts";
import type { SessionInfo } from "../../store/port.ts";
import type { Handler } from "../define-command.ts";
import { withExistingStore } from "../open-store.ts";
import { formatTime, printResult } from "../output.ts";
import type { prune as definition } from "./definitions.ts";
import { writeAtomically } from "./write-atomically.ts";

/** `agentchart sessions prune`. */
export const pruneCommand: Handler<typeof definition> = async ({ flags }, io) => {
  const { olderThan, prefix, archive, dryRun } = flags;
  return withExistingStore(flags.store, async (store) => {
    if (archive !== undefined && !dryRun) await makeFolder(archive);
    const onSession = (session: SessionInfo): void => {
      const { sessionId, updatedAt } = session;
      const file = archive === undefined ? undefined : archiveFile(archive, session);
      const [done, to] = [
        dryRun ? "Would delete" : "Deleted",
        file === undefined ? "" : `, archived as ${file}`,
      ];
      const line = `${done} ${sessionId}, stopped since ${formatTime(updatedAt)}${to}`;
      printResult(io, flags, line, { sessionId, updatedAt, ...(file !== undefined && { archive: file }) });
    };
    const { pruned, kept } = await store.prune({
      olderThan,
      dryRun,
      onSession,
      ...(prefix !== undefined && { prefix }),
      ...(archive !== undefined && {
        archive: (session, lines) => writeAtomically(archiveFile(archive, session), lines),
      }),
    });
    io.terminal.note(summaryOf(pruned, kept, dryRun));
    return 0;
  });
};

async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new AgentError("store/failed", `Cannot make the folder ${path}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** A file for this session as it is: a later session of the same id gets another one. */
function archiveFile(folder: string, { sessionId, updatedAt }: SessionInfo): string {
  const at = formatTime(updatedAt).replaceAll(/[-:]/g, "").replace(" ", "T");
  return join(folder, `${folderName(sessionId)}.${at}.ndjson`);
}

function summaryOf(pruned: number, kept: number, dryRun: boolean): string {
  const counted = (count: number): string => `${count} ${count === 1 ? "session" : "sessions"}`;
  const done = `${counted(pruned)} ${dryRun ? "would be deleted" : "deleted"}.`;
  return kept === 0 ? done : `${done} ${counted(kept)} as old stay: in use, waiting, or damaged.`;
}

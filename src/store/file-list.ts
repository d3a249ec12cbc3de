import { join } from "node:path";
import { AgentError } from "../core/base/error.ts";
import type { FileAccess, OpenFile } from "./file-access.ts";
import { checkedTailOf } from "./file-end.ts";
import { journalLineAt, journalLines, type JournalTail } from "./file-journal.ts";
import { linesBackward, linesForward } from "./file-lines.ts";
import { sessionIdOf } from "./file-name.ts";
import { readPosition } from "./shared.ts";
import type { SessionInfo } from "./port.ts";

/** The names of a session's files. */
export const JOURNAL = "journal.ndjson";
/** See {@link JOURNAL}. */
export const INBOX = "inbox.ndjson";

async function infoAt(
  file: OpenFile,
  sessionId: string,
  tail: JournalTail,
): Promise<SessionInfo | undefined> {
  const { head } = tail;
  if (!head || head.position === null) return undefined;
  const line = await journalLineAt(file, sessionId, head.position);
  const { meta = {}, ...facts } = readPosition(line.position ?? {});
  const metaLine =
    head.meta === null || head.meta === line.off
      ? undefined
      : await journalLineAt(file, sessionId, head.meta);
  const newest = metaLine ? (readPosition(metaLine.position ?? {}).meta ?? {}) : meta;
  return { sessionId, seq: head.seq, ...facts, meta: newest, updatedAt: line.time };
}

/** Returns what a list shows of a session; undefined if it does not exist. */
export async function infoOf(
  access: FileAccess,
  folder: string,
  sessionId: string,
): Promise<SessionInfo | undefined> {
  const path = join(folder, JOURNAL);
  const read = async (file: OpenFile): Promise<SessionInfo | undefined> => {
    try {
      return await infoAt(file, sessionId, await checkedTailOf(file, sessionId));
    } catch (error) {
      if (!AgentError.is(error) || error.code !== "session/damaged") throw error;
      const updatedAt = Math.floor((await file.stat()).mtimeMs);
      return { sessionId, seq: 0, phase: "quarantined", waitsFor: [], meta: {}, updatedAt };
    }
  };
  return access.readFile(path, read);
}

/** Returns the session id that the inbox of a folder without a journal holds. */
async function idInInbox(access: FileAccess, folder: string): Promise<string | undefined> {
  const read = async (file: OpenFile): Promise<string | undefined> => {
    for await (const [line] of linesForward(file, 0, (await file.stat()).size))
      return line?.value?.["session"] as string;
    return undefined;
  };
  return access.readFile(join(folder, INBOX), read);
}

/** Returns the session id that the journal of a folder holds, for a folder whose name is a hash. */
export async function idInJournal(access: FileAccess, folder: string): Promise<string | undefined> {
  const read = async (file: OpenFile): Promise<string | undefined> => {
    try {
      for await (const { session } of journalLines(file, folder, 0))
        if (session !== undefined) return session;
    } catch (error) {
      if (!AgentError.is(error)) throw error;
    }
    return undefined;
  };
  const found = await access.readFile(join(folder, JOURNAL), read);
  return found ?? idInInbox(access, folder);
}

/** Returns the sessions that have a folder, in no order. */
export async function sessionFolders(
  access: FileAccess,
  dir: string,
): Promise<readonly { readonly sessionId: string; readonly folder: string }[]> {
  const folders = [];
  for (const name of await access.namesIn(dir)) {
    const folder = join(dir, name);
    const id = sessionIdOf(name);
    const sessionId = id === undefined ? await idInJournal(access, folder) : id;
    if (sessionId !== undefined && sessionId !== null) folders.push({ sessionId, folder });
  }
  return folders;
}

/** Returns the newest fence of a journal, also of a damaged one. */
export async function newestFence(access: FileAccess, folder: string): Promise<number> {
  const read = async (file: OpenFile): Promise<number> => {
    for await (const { value } of linesBackward(file, (await file.stat()).size)) {
      const fence = (value?.["head"] as { fence?: unknown } | undefined)?.fence;
      if (typeof fence === "number") return fence;
    }
    return 0;
  };
  return (await access.readFile(join(folder, JOURNAL), read)) ?? 0;
}

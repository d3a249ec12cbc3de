import { constants, fstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { AgentError } from "../base/error.ts";
import { checkedTailOf } from "./file-end.ts";
import { ifExists } from "./file-folder.ts";
import { journalLineAt, journalLines, type JournalTail } from "./file-journal.ts";
import { linesBackward, linesForward, withFile } from "./file-lines.ts";
import { sessionIdOf } from "./file-name.ts";
import { readPosition } from "./position.ts";
import type { SessionInfo } from "./port.ts";

/** The names of a session's files. */
export const JOURNAL = "journal.ndjson";
/** See {@link JOURNAL}. */
export const INBOX = "inbox.ndjson";

function infoAt(fd: number, sessionId: string, tail: JournalTail): SessionInfo | undefined {
  const { head } = tail;
  if (!head || head.position === null) return undefined;
  const line = journalLineAt(fd, sessionId, head.position);
  const { meta = {}, ...facts } = readPosition(line.position ?? {});
  const metaLine =
    head.meta === null || head.meta === line.off ? undefined : journalLineAt(fd, sessionId, head.meta);
  const newest = metaLine ? (readPosition(metaLine.position ?? {}).meta ?? {}) : meta;
  return { sessionId, seq: head.seq, ...facts, meta: newest, updatedAt: line.time };
}

/** Returns what a list shows of a session; undefined if it does not exist. */
export function infoOf(folder: string, sessionId: string): SessionInfo | undefined {
  const path = join(folder, JOURNAL);
  const read = (fd: number): SessionInfo | undefined => {
    try {
      return infoAt(fd, sessionId, checkedTailOf(fd, path, sessionId));
    } catch (error) {
      if (!AgentError.is(error) || error.code !== "session/damaged") throw error;
      const updatedAt = Math.floor(fstatSync(fd).mtimeMs);
      return { sessionId, seq: 0, phase: "quarantined", waitsFor: [], meta: {}, updatedAt };
    }
  };
  return ifExists(() => withFile(path, constants.O_RDONLY, read));
}

/** Returns the session id that the inbox of a folder without a journal holds. */
function idInInbox(folder: string): string | undefined {
  const read = (fd: number): string | undefined => {
    for (const { value } of linesForward(fd, 0, fstatSync(fd).size)) return value?.["session"] as string;
    return undefined;
  };
  return ifExists(() => withFile(join(folder, INBOX), constants.O_RDONLY, read));
}

/** Returns the session id that the journal of a folder holds, for a folder whose name is a hash. */
function idInJournal(folder: string): string | undefined {
  const read = (fd: number): string | undefined => {
    try {
      for (const { session } of journalLines(fd, folder, 0)) if (session !== undefined) return session;
    } catch (error) {
      if (!AgentError.is(error)) throw error;
    }
    return undefined;
  };
  return ifExists(() => withFile(join(folder, JOURNAL), constants.O_RDONLY, read)) ?? idInInbox(folder);
}

/** Returns the sessions that have a folder, in no order. */
export function sessionFolders(
  dir: string,
): readonly { readonly sessionId: string; readonly folder: string }[] {
  const names = ifExists(() => readdirSync(dir)) ?? [];
  return names.flatMap((name) => {
    const folder = join(dir, name);
    const id = sessionIdOf(name);
    const sessionId = id === undefined ? idInJournal(folder) : id;
    return sessionId === undefined || sessionId === null ? [] : [{ sessionId, folder }];
  });
}

/** Returns the newest fence of a journal, also of a damaged one. */
export function newestFence(folder: string): number {
  const read = (fd: number): number => {
    for (const { value } of linesBackward(fd, fstatSync(fd).size)) {
      const fence = (value?.["head"] as { fence?: unknown } | undefined)?.fence;
      if (typeof fence === "number") return fence;
    }
    return 0;
  };
  return ifExists(() => withFile(join(folder, JOURNAL), constants.O_RDONLY, read)) ?? 0;
}

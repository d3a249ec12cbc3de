import { closeSync, constants, openSync } from "node:fs";
import { dirname } from "node:path";
import type { LRUCache } from "lru-cache";
import { AgentError } from "../base/error.ts";
import { checkedTailOf, noteEnd, type FileExtent } from "./file-end.ts";
import { isMissing, makeFolder, syncFile, syncFolder } from "./file-folder.ts";
import {
  commit,
  type Acknowledged,
  type LineDraft,
  type JournalHead,
  type JournalTail,
} from "./file-journal.ts";
import type { Batch } from "./port.ts";
import { readPosition } from "./position.ts";

const MAX_TRIES = 1_000;
const APPEND = constants.O_RDWR | constants.O_APPEND;

/** Opens a file for appending; with `mayCreate` makes it and its folder. Returns undefined if there is no such file. */
export function openToAppend(path: string, mayCreate: boolean): number | undefined {
  for (;;) {
    try {
      return openSync(path, mayCreate ? APPEND | constants.O_CREAT : APPEND, 0o600);
    } catch (error) {
      if (!isMissing(error)) throw error;
      if (!mayCreate) return undefined;
      makeFolder(dirname(path));
    }
  }
}

/** Makes a file of this extent survive a power loss, and the names of a new file and its folder. */
export async function syncAll(fd: number, path: string, extent: FileExtent, isNew: boolean): Promise<void> {
  await syncFile(fd);
  noteEnd(fd, path, extent);
  if (!isNew) return;
  try {
    await syncFolder(dirname(path));
    await syncFolder(dirname(dirname(path)));
  } catch (error) {
    if (!isMissing(error)) throw error; // deleted meanwhile
  }
}

/** Returns the line of an append. `inbox`: what is acknowledged after it. */
export function appendLineDraft(
  head: JournalHead,
  batch: Batch,
  time: number,
  inbox: Acknowledged,
): LineDraft {
  const { expectedSeq: from, entries, position, checkpoint } = batch;
  const former = checkpoint && { checkpoint, formerCheckpoint: head.checkpoint };
  const hasMeta = readPosition(position).meta !== undefined;
  return {
    fields: { kind: "append", time, from, entries, position, ...former },
    headAt: (off) => ({
      ...head,
      seq: from + entries.length,
      position: off,
      checkpoint: checkpoint ? off : head.checkpoint,
      meta: hasMeta ? off : head.meta,
      inbox,
    }),
  };
}

/** Options of {@link changeJournal}. */
export type JournalChange = {
  readonly path: string;
  readonly sessionId: string;
  readonly mayCreate: boolean;
  /** Returns the line to append to a journal with this head, or undefined to append nothing. Called again if another process
   *  appended first. */
  readonly decide: (head: JournalHead | undefined) => LineDraft | undefined;
  /** The change must survive a power loss. */
  readonly isSynced: boolean;
  /** A new journal must survive a power loss, whatever `isSynced` says. */
  readonly isNewSynced: boolean;
};

/** Reads the end of a journal, decides, and appends, as one atomic operation. Returns the new head; undefined if nothing was
 *  appended. */
export async function changeJournal(
  change: JournalChange,
  tails: LRUCache<string, JournalTail>,
): Promise<JournalHead | undefined> {
  const { path, sessionId, mayCreate, decide, isSynced, isNewSynced } = change;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const fd = openToAppend(path, mayCreate);
    if (fd === undefined) {
      decide(undefined);
      return undefined;
    }
    try {
      const tail = checkedTailOf(fd, path, sessionId, tails.get(path));
      const draft = decide(tail.head);
      if (!draft) return undefined;
      const written = commit(fd, tail, draft);
      if (!written) continue;
      tails.set(path, written);
      const isNew = tail.head === undefined;
      if (isSynced || (isNew && isNewSynced)) await syncAll(fd, path, { end: written.end.size }, isNew);
      return written.head;
    } finally {
      closeSync(fd);
    }
  }
  throw new AgentError(
    "store/failed",
    `Session '${sessionId}' is being written by too many processes at once.`,
    {
      isRetryable: true,
    },
  );
}

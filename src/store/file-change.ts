import { constants } from "node:fs";
import { dirname } from "node:path";
import type { LRUCache } from "lru-cache";
import { AgentError } from "../core/base/error.ts";
import type { FileAccess, OpenFile } from "./file-access.ts";
import { checkedTailOf, noteEnd, type FileExtent } from "./file-end.ts";
import { isMissing } from "./file-error.ts";
import { syncFolder } from "./file-folder.ts";
import {
  commit,
  type Acknowledged,
  type LineDraft,
  type JournalHead,
  type JournalTail,
} from "./file-journal.ts";
import { pauseBefore } from "./file-lines.ts";
import type { CachedFile, FileCache } from "./file-cache.ts";
import type { Batch } from "./port.ts";

const MAX_TRIES = 1_000;
const APPEND = constants.O_RDWR | constants.O_APPEND;

/** Opens a file for appending; with `mayCreate` makes it and its folder. Resolves to undefined if there is no such file. */
export async function openToAppend(
  access: FileAccess,
  path: string,
  mayCreate: boolean,
): Promise<OpenFile | undefined> {
  for (;;) {
    try {
      return await access.open(path, mayCreate ? APPEND | constants.O_CREAT : APPEND);
    } catch (error) {
      if (!isMissing(error)) throw error;
      if (!mayCreate) return undefined;
      await access.makeFolder(dirname(path));
    }
  }
}

/** Makes a file of this extent survive a power loss, and the names of a new file and its folder. */
export async function syncAll(file: OpenFile, extent: FileExtent, isNew: boolean): Promise<void> {
  const { access, path } = file;
  await file.sync();
  await noteEnd(file, extent);
  if (!isNew) return;
  try {
    await syncFolder(access, dirname(path));
    await syncFolder(access, dirname(dirname(path)));
  } catch (error) {
    if (!isMissing(error)) throw error; // deleted meanwhile
  }
}

/** Returns the line of an append. `inbox`: what is acknowledged after it; `hasMeta`: its position has a `meta`. */
export function appendLineDraft(
  head: JournalHead,
  batch: Batch,
  time: number,
  inbox: Acknowledged,
  hasMeta: boolean,
): LineDraft {
  const { expectedSeq: from, entries, position, checkpoint } = batch;
  const former = checkpoint && { checkpoint, formerCheckpoint: head.checkpoint };
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
  readonly decide: (head: JournalHead | undefined) => LineDraft | undefined | Promise<LineDraft | undefined>;
  /** The change must survive a power loss. */
  readonly isSynced: boolean;
  /** A new journal must survive a power loss, whatever `isSynced` says. */
  readonly isNewSynced: boolean;
  /** The journal stays open for the next change. Not with `isSynced`, nor for a new journal. */
  readonly isCached: boolean;
};

type Written = JournalTail & { readonly isNew: boolean };

/** The data that a store remembers of its journals. */
type KnownJournals = { readonly tails: LRUCache<string, JournalTail>; readonly files: FileCache };

/** Decides and appends once. Returns undefined if nothing is to be appended, and "overtaken" if another process appended first. */
async function tryChange(
  file: OpenFile,
  { path, decide }: JournalChange,
  tail: JournalTail,
  { tails }: KnownJournals,
): Promise<Written | "overtaken" | undefined> {
  const draft = await decide(tail.head);
  if (!draft) return undefined;
  const written = await commit(file, tail, draft);
  if (!written) return "overtaken";
  tails.set(path, written);
  return { ...written, isNew: tail.head === undefined };
}

/** Appends to a journal that was retained, after what is known of it. Another process that has changed it is found by the append, which
 *  then does not count. Returns undefined if the journal must be read to decide, also to refuse. */
async function changeCached(
  { file, ino }: CachedFile,
  change: JournalChange,
  known: KnownJournals,
): Promise<Written | undefined> {
  const tail = known.tails.get(change.path);
  if (tail?.end.ino !== ino) return undefined; // what is known is of another file
  const decide: JournalChange["decide"] = async (head) => {
    try {
      return await change.decide(head);
    } catch {
      return undefined;
    }
  };
  const changed = await tryChange(file, { ...change, decide }, tail, known);
  return changed === "overtaken" ? undefined : changed;
}

/** Reads the end of a journal, decides, and appends, as one atomic operation, in the order of the calls. Returns the new head;
 *  undefined if nothing was appended. */
export async function changeJournal(
  access: FileAccess,
  change: JournalChange,
  known: KnownJournals,
): Promise<JournalHead | undefined> {
  const { path, sessionId, mayCreate, decide, isSynced, isNewSynced, isCached } = change;
  let file: OpenFile | undefined;
  const changed = async (): Promise<Written | undefined> => {
    const cached = known.files.take(access, path);
    file = cached?.file;
    const written = cached && (await changeCached(cached, change, known));
    if (written) return written;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const former = file;
      file = undefined;
      await former?.close();
      await pauseBefore(tries);
      file = await openToAppend(access, path, mayCreate);
      if (!file) {
        await decide(undefined);
        return undefined;
      }
      const tail = await checkedTailOf(file, sessionId, known.tails.get(path));
      const found = await tryChange(file, change, tail, known);
      if (found !== "overtaken") return found;
    }
    throw tooManyWriters(sessionId);
  };
  try {
    const written = await access.alone(path, async () => {
      const result = await changed();
      if (!result || !file || !isCached) return result;
      const cached = { file, ino: result.end.ino };
      file = undefined;
      await known.files.put(cached);
      return result;
    });
    // While it is synced, other operations may read and write the file.
    if (written && file && (isSynced || (written.isNew && isNewSynced)))
      await syncAll(file, { end: written.end.size }, written.isNew);
    return written?.head;
  } finally {
    await file?.close();
  }
}

function tooManyWriters(sessionId: string): AgentError {
  const message = `Session '${sessionId}' is being written by too many processes at once.`;
  return new AgentError("store/failed", message, { isRetryable: true });
}

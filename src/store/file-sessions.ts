import { constants } from "node:fs";
import { join, sep } from "node:path";
import { LRUCache } from "lru-cache";
import { storeClosed, checkId } from "./shared.ts";
import type { FileAccess, OpenFile } from "./file-access.ts";
import { changeJournal, openToAppend, syncAll, type JournalChange } from "./file-change.ts";
import { checkedTailOf, checkEnd } from "./file-end.ts";
import { ifExists } from "./file-error.ts";
import { appendInput, indexOf, waitingInputs, type InboxIndex } from "./file-inbox.ts";
import { journalEntries, type Acknowledged, type JournalHead, type JournalTail } from "./file-journal.ts";
import { FileCache } from "./file-cache.ts";
import { INBOX, JOURNAL } from "./file-list.ts";
import { folderName } from "./file-name.ts";
import type { JournalEntry, SessionInput } from "./port.ts";

/** The options with which a journal is changed. All are false by default. */
type ChangeOptions = Partial<Pick<JournalChange, "mayCreate" | "isSynced" | "isCached">>;

/** The journals and inboxes of one store, and what it remembers of them. */
export class SessionFiles {
  readonly #dir: string;
  /** Accepted inputs and new journals survive a power loss. */
  readonly #isInputSynced: boolean;
  readonly #folders = new LRUCache<string, string>({ max: 1_000 });
  readonly #tails = new LRUCache<string, JournalTail>({ max: 1_000 });
  readonly #inboxes = new LRUCache<string, InboxIndex>({ max: 100 });
  readonly #files = new FileCache();
  isClosed = false;

  constructor(dir: string, isInputSynced: boolean) {
    this.#dir = dir;
    this.#isInputSynced = isInputSynced;
  }

  assertOpen(): void {
    if (this.isClosed) throw storeClosed();
  }

  folder(sessionId: string): string {
    this.assertOpen();
    let path = this.#folders.get(sessionId);
    if (path === undefined) {
      checkId(sessionId, "A session id");
      path = join(this.#dir, folderName(sessionId));
      this.#folders.set(sessionId, path);
    }
    return path;
  }

  #journalPath(sessionId: string): string {
    return `${this.folder(sessionId)}${sep}${JOURNAL}`;
  }

  /** Returns the end of a session's journal as it was last seen, and its path. */
  journalOf(sessionId: string): { readonly path: string; readonly tail: JournalTail | undefined } {
    const path = this.#journalPath(sessionId);
    return { path, tail: this.#tails.get(path) };
  }

  change(
    access: FileAccess,
    sessionId: string,
    { mayCreate = false, isSynced = false, isCached = false }: ChangeOptions,
    decide: JournalChange["decide"],
  ): Promise<JournalHead | undefined> {
    const path = this.#journalPath(sessionId);
    const isNewSynced = this.#isInputSynced;
    const options = { path, sessionId, mayCreate, isSynced, isNewSynced, isCached, decide };
    return changeJournal(access, options, { tails: this.#tails, files: this.#files });
  }

  /** Closes the journal of a session that was deleted. */
  async forget(access: FileAccess, sessionId: string): Promise<void> {
    const path = this.#journalPath(sessionId);
    await access.alone(path, () => this.#files.close(access, path));
  }

  closeAll(access: FileAccess): Promise<void> {
    return this.#files.closeAll(access);
  }

  headOf(access: FileAccess, sessionId: string): Promise<JournalHead | undefined> {
    return this.readJournal(access, sessionId, (_, head) => head);
  }

  /** Returns what `read` returns of a journal that exists and is not empty. */
  async readJournal<T>(
    access: FileAccess,
    sessionId: string,
    read: (file: OpenFile, head: JournalHead) => T | Promise<T>,
  ): Promise<T | undefined> {
    const path = this.#journalPath(sessionId);
    return readCached(access, sessionId, path, this.#tails, checkedTailOf, (file, { head }) =>
      head ? read(file, head) : undefined,
    );
  }

  /** Returns what `read` returns of an inbox that exists. */
  async readInbox<T>(
    access: FileAccess,
    sessionId: string,
    read: (file: OpenFile, index: InboxIndex) => T | Promise<T>,
  ): Promise<T | undefined> {
    const path = join(this.folder(sessionId), INBOX);
    return readCached(access, sessionId, path, this.#inboxes, indexOf, read);
  }

  async *readEntries(
    access: FileAccess,
    sessionId: string,
    after: number,
    limit: number,
  ): AsyncGenerator<JournalEntry> {
    const { path } = this.journalOf(sessionId);
    const file = await openToRead(access, sessionId, path);
    if (file === undefined) return;
    try {
      let left = limit;
      for await (const entry of journalEntries(file, sessionId, after, limit)) {
        left--;
        yield entry;
      }
      if (left > 0) await checkedTailOf(file, sessionId, this.#tails.get(path));
    } finally {
      await file.close();
    }
  }

  async put(access: FileAccess, sessionId: string, input: SessionInput): Promise<"accepted" | "duplicate"> {
    const path = join(this.folder(sessionId), INBOX);
    let wasMoved = false;
    for (;;) {
      const file = (await openToAppend(access, path, true))!;
      try {
        const { isNew, isAccepted, extent } = await this.#putInto(file, sessionId, input);
        if (isAccepted && this.#isInputSynced) await syncAll(file, extent, isNew);
        const found = await ifExists(access.stat(path));
        const isLinked = found?.ino === (await file.stat()).ino; // else the session was deleted meanwhile
        if (isAccepted !== undefined && isLinked) return isAccepted || wasMoved ? "accepted" : "duplicate";
        wasMoved ||= isAccepted === true; // and is there again if the session was deleted but for its inputs
      } finally {
        await file.close();
      }
    }
  }

  /** Appends an input to an open inbox. Returns true if it was, false if the inbox had its id, and undefined if it is to be tried
   *  again; and the extent of the inbox. */
  #putInto(file: OpenFile, sessionId: string, input: SessionInput) {
    const { access, path } = file;
    return access.alone(path, async () => {
      const index = await indexOf(file, sessionId, this.#inboxes.get(path));
      this.#inboxes.set(path, index);
      const isNew = index.items.length === 0;
      const isAccepted = index.byId.has(input.id) ? false : await appendInput(file, sessionId, index, input);
      return { isNew, isAccepted, extent: { end: index.end.size, count: index.items.length } };
    });
  }
}

/** Opens a file of a session; undefined if there never was one. */
async function openToRead(
  access: FileAccess,
  sessionId: string,
  path: string,
): Promise<OpenFile | undefined> {
  const file = await ifExists(access.open(path, constants.O_RDONLY));
  if (!file) await checkEnd({ access, path }, { end: 0 }, sessionId, "a file");
  return file;
}

/** Opens a file of a session and updates what is cached of it; undefined if there is no such file. */
function readCached<C extends object, T>(
  access: FileAccess,
  sessionId: string,
  path: string,
  cache: LRUCache<string, C>,
  update: (file: OpenFile, sessionId: string, known?: C) => Promise<C>,
  read: (file: OpenFile, found: C) => T | Promise<T>,
): Promise<T | undefined> {
  return access.alone(path, async () => {
    const file = await openToRead(access, sessionId, path);
    if (!file) return undefined;
    try {
      const found = await update(file, sessionId, cache.get(path));
      cache.set(path, found);
      return await read(file, found);
    } finally {
      await file.close();
    }
  });
}

/** The inputs in the inbox at `path`, of a session that is being deleted, that are not acknowledged. */
export async function inputsIn(
  access: FileAccess,
  path: string,
  sessionId: string,
  acknowledged: Acknowledged,
): Promise<readonly SessionInput[]> {
  const read = async (file: OpenFile) => {
    const index = await indexOf(file, sessionId);
    return waitingInputs(file, sessionId, index, acknowledged, Number.POSITIVE_INFINITY);
  };
  return (await access.readFile(path, read)) ?? [];
}

import { closeSync, constants, fstatSync, openSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { LRUCache } from "lru-cache";
import { check } from "../base/options.ts";
import { duePage, isSessionDue } from "./due.ts";
import { appendLineDraft, changeJournal, openToAppend, syncAll } from "./file-change.ts";
import { checkedTailOf, checkEnd } from "./file-end.ts";
import { withStoreErrors, withStoreErrorsEach } from "./file-error.ts";
import {
  expiryOf,
  fenceFloor,
  ifExists,
  moveToTrash,
  removeDrafts,
  removeTrash,
  writeRenewal,
} from "./file-folder.ts";
import {
  acknowledge,
  appendInput,
  hasDueInput,
  indexOf,
  waitingInputs,
  type InboxIndex,
} from "./file-inbox.ts";
import {
  journalEntries,
  journalLineAt,
  type Acknowledged,
  type LineDraft,
  type JournalHead,
  type JournalTail,
} from "./file-journal.ts";
import { withFile } from "./file-lines.ts";
import { INBOX, infoOf, JOURNAL, newestFence, sessionFolders } from "./file-list.ts";
import { folderName } from "./file-name.ts";
import { isAppendSynced } from "./local-options.ts";
import type { JournalEntry, SessionInfo, SessionInput, SessionStore } from "./port.ts";
import { matchesFilter, readPosition } from "./position.ts";
import { pruneSessions } from "./prune.ts";
import { holdsLease, leaseLost, appendError, storeClosed, nextTakeovers } from "./append-check.ts";
import { fileSchema, type FileStoreOptions } from "./store-options.ts";
import { checkId, compareIds } from "./session-id.ts";
import { pollEvery, watchSeq } from "./watch-seq.ts";

export type { FileStoreOptions };

const NOTHING: Acknowledged = { upTo: 0, also: [] };
const EMPTY = { seq: 0, position: null, checkpoint: null, meta: null, inbox: NOTHING } as const;

/**
 * A store in files, for any number of processes on one machine: a folder per session with `journal.ndjson`, `inbox.ndjson`,
 * `lease.json`, and beside the first two a file `.end` with their length when they were last synced. People may read them; only
 * stores may write them. There is no lock that a killed process could leave behind. An unfinished last line that was not synced
 * counts as never written; any other changed byte is `session/damaged`. Throws `config/invalid` for
 * unknown options.
 *
 * @example
 * ```ts
 * import { createAgent } from "agentchart";
 * import { fileStore } from "agentchart/store/file";
 * import { scriptedModel } from "agentchart/testing";
 *
 * const store = fileStore({ dir: "./sessions", fsync: "always" });
 * const agent = createAgent({ name: "desk", model: scriptedModel(["Hello."]), store, sessionId: "customer-42" });
 * ```
 */
export function fileStore(options: FileStoreOptions = {}): SessionStore {
  check(fileSchema(), options, "fileStore");
  const { fsync = "rest", watchEveryMs = 100, now = Date.now } = options;
  const dir = options.dir ?? join(homedir(), ".agentchart", "sessions");
  const tails = new LRUCache<string, JournalTail>({ max: 1_000 });
  const inboxes = new LRUCache<string, InboxIndex>({ max: 100 });
  const isInputSynced = fsync !== "never";
  let isClosed = false;

  const assertOpen = (): void => {
    if (isClosed) throw storeClosed();
  };
  const folder = (sessionId: string): string => {
    assertOpen();
    checkId(sessionId, "A session id");
    return join(dir, folderName(sessionId));
  };
  const change = (
    sessionId: string,
    { mayCreate = false, isSynced = false },
    decide: (head?: JournalHead) => LineDraft | undefined,
  ) => {
    const path = join(folder(sessionId), JOURNAL);
    return changeJournal({ path, sessionId, mayCreate, isSynced, isNewSynced: isInputSynced, decide }, tails);
  };

  /** Opens a file of a session; undefined if there never was one. */
  function openToRead(sessionId: string, path: string): number | undefined {
    const fd = ifExists(() => openSync(path, constants.O_RDONLY));
    if (fd === undefined) checkEnd(fd, path, { end: 0 }, sessionId, "a file");
    return fd;
  }
  /** Opens a file of a session and updates what is cached of it; undefined if there is no such file. */
  function readCached<C extends object, T>(
    sessionId: string,
    path: string,
    cache: LRUCache<string, C>,
    update: (fd: number, known?: C) => C,
    read: (fd: number, found: C) => T,
  ): T | undefined {
    const fd = openToRead(sessionId, path);
    if (fd === undefined) return undefined;
    try {
      const found = update(fd, cache.get(path));
      cache.set(path, found);
      return read(fd, found);
    } finally {
      closeSync(fd);
    }
  }
  /** Returns what `read` returns of a journal that exists and is not empty. */
  function readJournal<T>(sessionId: string, read: (fd: number, head: JournalHead) => T): T | undefined {
    const path = join(folder(sessionId), JOURNAL);
    const update = (fd: number, known?: JournalTail) => checkedTailOf(fd, path, sessionId, known);
    return readCached(sessionId, path, tails, update, (fd, { head }) => head && read(fd, head));
  }
  const headOf = (sessionId: string) => readJournal(sessionId, (_, head) => head);
  /** Returns what `read` returns of an inbox that exists. */
  function readInbox<T>(sessionId: string, read: (fd: number, index: InboxIndex) => T): T | undefined {
    const path = join(folder(sessionId), INBOX);
    const update = (fd: number, known?: InboxIndex) => indexOf(fd, path, sessionId, known);
    return readCached(sessionId, path, inboxes, update, read);
  }

  /** The inputs of a folder in the trash that are not acknowledged. */
  function inputsIn(path: string, sessionId: string, acknowledged: Acknowledged): readonly SessionInput[] {
    const read = (fd: number) =>
      waitingInputs(fd, sessionId, indexOf(fd, path, sessionId), acknowledged, Number.POSITIVE_INFINITY);
    return ifExists(() => withFile(path, constants.O_RDONLY, read)) ?? [];
  }

  async function put(sessionId: string, input: SessionInput): Promise<"accepted" | "duplicate"> {
    const path = join(folder(sessionId), INBOX);
    let wasMoved = false;
    for (;;) {
      const fd = openToAppend(path, true)!;
      try {
        const index = indexOf(fd, path, sessionId, inboxes.get(path));
        inboxes.set(path, index);
        const isNew = index.items.length === 0;
        const isAccepted = index.byId.has(input.id) ? false : appendInput(fd, path, sessionId, index, input);
        if (isAccepted && isInputSynced)
          await syncAll(fd, path, { end: index.end.size, count: index.items.length }, isNew);
        const isKept = ifExists(() => statSync(path).ino) === fstatSync(fd).ino; // else the session was deleted meanwhile
        if (isAccepted !== undefined && isKept) return isAccepted || wasMoved ? "accepted" : "duplicate";
        wasMoved ||= isAccepted === true; // and is there again if the session was deleted but for its inputs
      } finally {
        closeSync(fd);
      }
    }
  }

  function* readEntries(sessionId: string, after: number, limit: number): Generator<JournalEntry> {
    const path = join(folder(sessionId), JOURNAL);
    const fd = openToRead(sessionId, path);
    if (fd === undefined) return;
    try {
      let left = limit;
      for (const entry of journalEntries(fd, sessionId, after, limit)) {
        left--;
        yield entry;
      }
      if (left > 0) checkedTailOf(fd, path, sessionId, tails.get(path));
    } finally {
      closeSync(fd);
    }
  }

  /** The sessions that have a folder, in the order of their ids. */
  const foldersAfter = (cursor: string, prefix = "") =>
    sessionFolders(dir)
      .filter(({ sessionId }) => sessionId.startsWith(prefix) && compareIds(sessionId, cursor) > 0)
      .toSorted((a, b) => compareIds(a.sessionId, b.sessionId));

  function isDue(sessionId: string, path: string, before: number): boolean {
    const info = infoOf(path, sessionId);
    if (info?.phase === "quarantined") return false;
    const head = headOf(sessionId);
    if (head && head.owner !== null && expiryOf(path, head) > now()) return false;
    const acknowledged = head?.inbox ?? NOTHING;
    const hasInput = readInbox(sessionId, (_, index) => hasDueInput(index, acknowledged, before)) ?? false;
    return isSessionDue(info, hasInput, before);
  }

  const store: SessionStore = {
    acquire: (sessionId, { owner, ttlMs }) =>
      withStoreErrors("acquire a lease", async () => {
        checkId(owner, "An owner");
        const path = folder(sessionId);
        const head = await change(sessionId, { mayCreate: true, isSynced: fsync === "always" }, (found) => {
          const isLocked = found !== undefined && found.owner !== null && found.owner !== owner;
          if (isLocked && expiryOf(path, found) > now()) return undefined;
          const fence = (found?.fence ?? fenceFloor(dir)) + 1;
          const lease = { fence, owner, expiresAt: now() + ttlMs, takeovers: nextTakeovers(found, owner) };
          return {
            fields: { kind: "lease", time: now(), session: sessionId },
            headAt: () => ({ ...EMPTY, ...found, ...lease }),
          };
        });
        if (!head) return undefined;
        const { fence, expiresAt, takeovers = 0 } = head;
        removeDrafts(path, fence);
        return { sessionId, owner, fence, expiresAt, takeovers };
      }),

    renew: (lease, ttlMs) =>
      withStoreErrors("renew a lease", () => {
        const { sessionId, fence } = lease;
        const check = () => {
          const head = headOf(sessionId);
          if (!holdsLease(lease, head)) throw leaseLost(sessionId, fence, head?.fence);
        };
        check();
        const renewed = { ...lease, expiresAt: now() + ttlMs };
        writeRenewal(folder(sessionId), renewed);
        check();
        return renewed;
      }),

    release: (lease) =>
      withStoreErrors("release a lease", async () => {
        await change(lease.sessionId, {}, (head) =>
          head && holdsLease(lease, head)
            ? { fields: { kind: "release", time: now() }, headAt: () => ({ ...head, owner: null }) }
            : undefined,
        );
      }),

    holder: (sessionId) =>
      withStoreErrors("read a lease", () => {
        const head = headOf(sessionId);
        const leftMs = head ? expiryOf(folder(sessionId), head) - now() : 0;
        return head && head.owner !== null && leftMs > 0 ? { owner: head.owner, leftMs } : undefined;
      }),

    append: (sessionId, batch) =>
      withStoreErrors("append", async () => {
        const isSynced = isAppendSynced(fsync, readPosition(batch.position).phase);
        const { ackInputs = [] } = batch;
        const head = await change(sessionId, { isSynced }, (found) => {
          const refusal = appendError(sessionId, batch, found);
          if (refusal || !found) throw refusal ?? leaseLost(sessionId, batch.fence);
          const inbox =
            ackInputs.length === 0
              ? undefined
              : readInbox(sessionId, (_, index) => acknowledge(index, found.inbox, ackInputs));
          return appendLineDraft(found, batch, now(), inbox ?? found.inbox);
        });
        return head!.seq;
      }),

    read: (sessionId, { after = 0, limit = Number.POSITIVE_INFINITY } = {}) =>
      withStoreErrorsEach("read", () => readEntries(sessionId, after, limit)),

    load: (sessionId) =>
      withStoreErrors("load", () =>
        readJournal(sessionId, (fd, head) => {
          if (head.position === null) return undefined;
          const line = journalLineAt(fd, sessionId, head.position);
          const { position = {} } = line;
          if (head.checkpoint === null) return { seq: head.seq, position };
          const from = head.checkpoint === line.off ? line : journalLineAt(fd, sessionId, head.checkpoint);
          return { seq: head.seq, position, checkpoint: from.checkpoint ?? {} };
        }),
      ),

    putInput: (sessionId, input) =>
      withStoreErrors("put an input", () => {
        checkId(input.id, "An input id");
        return put(sessionId, input);
      }),

    takeInputs: (sessionId, limit) =>
      withStoreErrors("take inputs", () => {
        const acknowledged = headOf(sessionId)?.inbox ?? NOTHING;
        const read = (fd: number, index: InboxIndex) =>
          waitingInputs(fd, sessionId, index, acknowledged, limit);
        return readInbox(sessionId, read) ?? [];
      }),

    list: (filter = {}) =>
      withStoreErrors("list", () => {
        assertOpen();
        const { prefix, cursor = "", limit = 100 } = filter;
        const sessions: SessionInfo[] = [];
        for (const { sessionId, folder: path } of foldersAfter(cursor, prefix)) {
          const info = infoOf(path, sessionId);
          if (!info || !matchesFilter(info, filter)) continue;
          if (sessions.length === limit) return { sessions, cursor: sessions.at(-1)!.sessionId };
          sessions.push(info);
        }
        return { sessions };
      }),

    listDue: ({ before, cursor = "", limit = 100 }) =>
      withStoreErrors("list", () => {
        assertOpen();
        const due: string[] = [];
        for (const { sessionId, folder: path } of foldersAfter(cursor)) {
          if (due.length > limit) break;
          if (isDue(sessionId, path, before)) due.push(sessionId);
        }
        return duePage(due, limit);
      }),

    delete: (sessionId, { keepsInputs = false } = {}) =>
      withStoreErrors("delete", async () => {
        const path = folder(sessionId);
        const exists = infoOf(path, sessionId) !== undefined;
        const hasInputs = ifExists(() => statSync(join(path, INBOX)).size > 0) ?? false;
        if (!ifExists(() => statSync(path))?.isDirectory()) return exists || hasInputs;
        const acknowledged = keepsInputs ? (headOf(sessionId)?.inbox ?? NOTHING) : undefined;
        const trash = moveToTrash(dir, path, newestFence(path));
        if (acknowledged)
          for (const input of inputsIn(join(trash, INBOX), sessionId, acknowledged))
            await put(sessionId, input);
        removeTrash(trash);
        return exists || hasInputs;
      }),

    watch(sessionId, { signal }) {
      const current = () =>
        readJournal(sessionId, (_, { position, seq }) => (position === null ? undefined : seq));
      return watchSeq({ current, subscribe: pollEvery(watchEveryMs), signal });
    },

    prune: (options) => pruneSessions(store, options, now),

    close: async () => {
      isClosed = true;
    },
  };
  return store;
}

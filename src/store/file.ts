import { homedir } from "node:os";
import { join } from "node:path";
import { check } from "../core/base/options.ts";
import {
  duePage,
  sessionPage,
  isSessionDue,
  matchesFilter,
  readPosition,
  holdsLease,
  leaseLost,
  appendError,
  nextTakeovers,
  takenFrom,
  checkId,
  compareIds,
  isLeftOut,
} from "./shared.ts";
import { appendLineDraft } from "./file-change.ts";
import { inTime, settlingAppend, STORE_TIMEOUT_MS } from "./deadlines.ts";
import { FileAccess, type FileTurns, type OpenFile } from "./file-access.ts";
import { fileError, ifExists } from "./file-error.ts";
import { deletedName, putInputsBack, putLeftInputsBack } from "./file-deleted.ts";
import { isExiting, releaseAtExit, releaseDraft, watchExit } from "./file-exit.ts";
import { slotsOfStore } from "./file-slots.ts";
import { expiryOf, fenceFloor, moveToTrash, removeDrafts, removeTrash, writeRenewal } from "./file-folder.ts";
import { acknowledge, hasDueInput, takenIds, waitingInputs, type InboxIndex } from "./file-inbox.ts";
import { journalLineAt, type Acknowledged, type JournalHead } from "./file-journal.ts";
import { INBOX, infoOf, newestFence, sessionFolders } from "./file-list.ts";
import { fileChanges, INDEX_FILE, statsOf } from "./file-search.ts";
import { LocalSearcher } from "./local-index.ts";
import { isDeadOwner } from "./leases.ts";
import { isAppendSynced } from "./local-options.ts";
import type { Lease, SessionInfo, SessionStore } from "./port.ts";
import { pruneSessions } from "./prune.ts";
import { fileSchema, type FileStoreOptions } from "./store-options.ts";
import { pollEvery, watchSeq } from "./watch-seq.ts";
import { SessionFiles } from "./file-sessions.ts";
import { limitOf } from "./sql/page-of.ts";

export type { FileStoreOptions };

const NOTHING: Acknowledged = { upTo: 0, also: [] };
const EMPTY = { seq: 0, position: null, checkpoint: null, meta: null, inbox: NOTHING } as const;

/**
 * Returns a store in files, for any number of processes on one machine. It has a folder per session with `journal.ndjson`, `inbox.ndjson`,
 * `lease.json`, and beside the first two a file `.end` with their length when they were last synced. People may read them; only stores may
 * write them. There is no lock that a killed process could leave behind. An unfinished last line that was not synced counts as never
 * written; any other changed byte is `session/damaged`. Throws `config/invalid` for unknown options.
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
  const { fsync = "rest", watchEveryMs = 100, timeoutMs = STORE_TIMEOUT_MS, now = Date.now } = options;
  const dir = options.dir ?? join(homedir(), ".agentchart", "sessions");
  const files = new SessionFiles(dir, fsync !== "never");
  const slots = slotsOfStore();
  const turns: FileTurns = new Map();
  const running = new Set<Promise<unknown>>();
  watchExit();

  /** Runs an operation, or a step of a long one. `operation` completes "could not …" in messages. */
  async function operate<T>(operation: string, work: (access: FileAccess) => Promise<T>): Promise<T> {
    const access = new FileAccess(slots, turns);
    const ended = inTime(work(access), timeoutMs, operation);
    running.add(ended);
    try {
      return await ended;
    } catch (error) {
      throw fileError(error, operation);
    } finally {
      running.delete(ended);
      access.giveUp();
    }
  }

  async function releaseNow(lease: Lease): Promise<void> {
    const { path, tail } = files.journalOf(lease.sessionId);
    releaseAtExit(path, tail, lease, now());
  }

  /** The sessions that have a folder, in the order of their ids. */
  const foldersAfter = (cursor: string, prefix = "") =>
    operate("list", async (access) => {
      files.assertOpen();
      const folders = await sessionFolders(access, dir);
      return folders
        .filter(({ sessionId }) => sessionId.startsWith(prefix) && compareIds(sessionId, cursor) > 0)
        .toSorted((a, b) => compareIds(a.sessionId, b.sessionId));
    });

  /** True while a process that may be alive holds the lease of a session. */
  async function isHeld(access: FileAccess, path: string, head: JournalHead): Promise<boolean> {
    if (head.owner === null || (await expiryOf(access, path, head)) <= now()) return false;
    return !isDeadOwner(head.owner);
  }

  async function isDue(
    access: FileAccess,
    sessionId: string,
    path: string,
    before: number,
  ): Promise<boolean> {
    const info = await infoOf(access, path, sessionId);
    if (info?.phase === "quarantined") return false;
    const head = await files.headOf(access, sessionId);
    if (head && (await isHeld(access, path, head))) return false;
    const acknowledged = head?.inbox ?? NOTHING;
    const hasInput = await files.readInbox(access, sessionId, (_, index) =>
      hasDueInput(index, acknowledged, before),
    );
    return isSessionDue(info, hasInput ?? false, before);
  }

  const indexPath = join(dir, INDEX_FILE);
  const searcher = new LocalSearcher(indexPath, {
    changes: async (index) =>
      fileChanges(await operate("search", (access) => sessionFolders(access, dir)), index, {
        stats: (paths) => operate("search", (access) => statsOf(access, paths)),
        infoOf: ({ folder: path, sessionId }) =>
          operate("search", (access) => infoOf(access, path, sessionId)),
      }),
    read: (sessionId, range) => store.read(sessionId, range),
  });

  const store: SessionStore = {
    timeoutMs,

    acquire: (sessionId, { owner, ttlMs, skips = 0 }) =>
      operate("acquire a lease", async (access) => {
        checkId(owner, "An owner");
        const path = files.folder(sessionId);
        const isSynced = fsync === "always";
        let former: ReturnType<typeof takenFrom> = {};
        const head = await files.change(access, sessionId, { mayCreate: true, isSynced }, async (found) => {
          if (found && found.owner !== owner && (await isHeld(access, path, found))) return undefined;
          former = takenFrom(found, owner, found ? await expiryOf(access, path, found) : 0);
          const fence = (found?.fence ?? (await fenceFloor(access, dir))) + 1 + skips;
          const lease = { fence, owner, expiresAt: now() + ttlMs, takeovers: nextTakeovers(found, owner) };
          return {
            fields: { kind: "lease", time: now(), session: sessionId },
            headAt: () => ({ ...EMPTY, ...found, ...lease }),
          };
        });
        if (!head) return undefined;
        const { fence, expiresAt, takeovers = 0 } = head;
        await removeDrafts(access, path, fence);
        return { sessionId, owner, fence, expiresAt, takeovers, ...former };
      }),

    renew: (lease, ttlMs) =>
      operate("renew a lease", async (access) => {
        const { sessionId, fence } = lease;
        const check = async () => {
          const head = await files.headOf(access, sessionId);
          if (!holdsLease(lease, head)) throw leaseLost(sessionId, fence, head?.fence);
        };
        await check();
        const renewed = { ...lease, expiresAt: now() + ttlMs };
        await writeRenewal(access, files.folder(sessionId), renewed);
        await check();
        return renewed;
      }),

    release: (lease) => {
      if (isExiting()) return releaseNow(lease);
      return operate("release a lease", async (access) => {
        await files.change(access, lease.sessionId, {}, async (head) =>
          head && holdsLease(lease, head) ? releaseDraft(head, now()) : undefined,
        );
      });
    },

    holder: (sessionId) =>
      operate("read a lease", async (access) => {
        const head = await files.headOf(access, sessionId);
        const path = files.folder(sessionId);
        if (!head?.owner || !(await isHeld(access, path, head))) return undefined;
        return { owner: head.owner, leftMs: Math.max(0, (await expiryOf(access, path, head)) - now()) };
      }),

    append: (sessionId, batch) =>
      operate("append", async (access) => {
        const { phase, meta } = readPosition(batch.position);
        const isSynced = isAppendSynced(fsync, phase);
        const isCached = phase === "running" && !isSynced;
        const { ackInputs = [] } = batch;
        const draft = (found: JournalHead, inbox = found.inbox) =>
          appendLineDraft(found, batch, now(), inbox, meta !== undefined);
        const head = await files.change(access, sessionId, { isSynced, isCached }, (found) => {
          const refusal = appendError(sessionId, batch, found);
          if (refusal || !found) throw refusal ?? leaseLost(sessionId, batch.fence);
          if (ackInputs.length === 0) return draft(found);
          const read = (_: OpenFile, index: InboxIndex) => acknowledge(index, found.inbox, ackInputs);
          return files.readInbox(access, sessionId, read).then((inbox) => draft(found, inbox));
        });
        return head!.seq;
      }),

    async *read(sessionId, { after = 0, limit = Number.POSITIVE_INFINITY } = {}) {
      const access = new FileAccess(slots, turns);
      const entries = files.readEntries(access, sessionId, after, limit);
      try {
        for (;;) {
          const next = await inTime(entries.next(), timeoutMs, "read");
          if (next.done) return;
          yield next.value;
        }
      } catch (error) {
        throw fileError(error, "read");
      } finally {
        access.giveUp();
        entries.return(undefined).catch(() => {});
      }
    },

    load: (sessionId) =>
      operate("load", (access) =>
        files.readJournal(access, sessionId, async (file, head) => {
          if (head.position === null) return undefined;
          const line = await journalLineAt(file, sessionId, head.position);
          const { position = {} } = line;
          if (head.checkpoint === null) return { seq: head.seq, position };
          const from =
            head.checkpoint === line.off ? line : await journalLineAt(file, sessionId, head.checkpoint);
          return { seq: head.seq, position, checkpoint: from.checkpoint ?? {} };
        }),
      ),

    putInput: (sessionId, input) =>
      operate("put an input", async (access) => {
        checkId(input.id, "An input id");
        return files.put(access, sessionId, input);
      }),

    takeInputs: (sessionId, limit) =>
      operate("take inputs", async (access) => {
        const acknowledged = (await files.headOf(access, sessionId))?.inbox ?? NOTHING;
        const read = (file: OpenFile, index: InboxIndex) =>
          waitingInputs(file, sessionId, index, acknowledged, limit);
        return (await files.readInbox(access, sessionId, read)) ?? [];
      }),

    takenInputs: (sessionId, page) =>
      operate("take inputs", async (access) => {
        const acknowledged = (await files.headOf(access, sessionId))?.inbox ?? NOTHING;
        const read = async (_: OpenFile, index: InboxIndex) => takenIds(index, acknowledged, page);
        return (await files.readInbox(access, sessionId, read)) ?? [];
      }),

    // There may be any number of sessions: each is read in a time of its own.
    async list(filter = {}) {
      const { prefix, cursor = "" } = filter;
      const limit = limitOf(filter);
      const sessions: SessionInfo[] = [];
      for (const { sessionId, folder: path } of await foldersAfter(cursor, prefix)) {
        if (isLeftOut(sessionId, prefix)) continue;
        const info = await operate("list", (access) => infoOf(access, path, sessionId));
        if (info && matchesFilter(info, filter) && sessions.push(info) > limit) break;
      }
      return sessionPage(sessions, limit);
    },

    async search(query) {
      files.assertOpen();
      const isThere = await operate("search", (access) => ifExists(access.stat(dir)));
      return isThere ? searcher.search(query) : { sessions: [], total: 0 };
    },

    async listDue(filter) {
      const { before, cursor = "" } = filter;
      const limit = limitOf(filter);
      const due: string[] = [];
      // an operation that has not ended within its time is given up
      if (cursor === "")
        await operate("list", (access) => putLeftInputsBack(access, files, dir, now() - timeoutMs));
      for (const { sessionId, folder: path } of await foldersAfter(cursor)) {
        if (due.length > limit) break;
        if (await operate("list", (access) => isDue(access, sessionId, path, before))) due.push(sessionId);
      }
      return duePage(due, limit);
    },

    delete: (sessionId, { keepsInputs = false } = {}) =>
      operate("delete", async (access) => {
        const path = files.folder(sessionId);
        const exists = (await infoOf(access, path, sessionId)) !== undefined;
        const inbox = await ifExists(access.stat(join(path, INBOX)));
        const isThere = exists || (inbox?.size ?? 0) > 0;
        if (!(await ifExists(access.stat(path)))?.isDirectory()) return isThere;
        if (keepsInputs) await files.headOf(access, sessionId); // throws for a damaged session, which stays
        const name = keepsInputs ? deletedName(now()) : undefined;
        const trash = await moveToTrash(access, dir, path, await newestFence(access, path), name);
        if (keepsInputs) await putInputsBack(access, files, trash, sessionId);
        else await removeTrash(access, trash);
        await files.forget(access, sessionId);
        const hasIndex = (await ifExists(access.stat(indexPath))) !== undefined;
        await searcher.remove(sessionId, hasIndex);
        return isThere;
      }),

    watch(sessionId, { signal }) {
      const read = (access: FileAccess) =>
        files.readJournal(access, sessionId, (_, { position, seq }) => (position === null ? undefined : seq));
      const current = () => operate("watch", read);
      return watchSeq({ current, subscribe: pollEvery(watchEveryMs), signal });
    },

    prune: (options) => pruneSessions(store, options, now),

    close: async () => {
      files.isClosed = true;
      await searcher.close();
      await Promise.allSettled(running);
      await operate("close", (access) => files.closeAll(access));
    },
  };
  settlingAppend(store.append, timeoutMs);
  return store;
}

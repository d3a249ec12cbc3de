import { closeSync, constants, openSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { LRUCache } from "lru-cache";
import { checkOptions } from "../base/options.ts";
import { duePage, isSessionDue } from "./due.ts";
import { appendLineDraft, changeJournal, openToAppend, syncAll } from "./file-change.ts";
import { withStoreErrors, withStoreErrorsEach } from "./file-error.ts";
import { expiryOf, fenceFloor, ifThere, removeFolder, writeRenewal } from "./file-folder.ts";
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
  tailOf,
  type Acknowledged,
  type LineDraft,
  type JournalHead,
  type JournalTail,
} from "./file-journal.ts";
import { withFile } from "./file-lines.ts";
import { INBOX, infoOf, JOURNAL, newestFence, sessionFolders } from "./file-list.ts";
import { folderName } from "./file-name.ts";
import type { JournalEntry, SessionInfo, SessionStore } from "./port.ts";
import { readPosition, isAtRest, matchesFilter } from "./position.ts";
import { holdsLease, leaseLost, appendError, storeClosed, nextTakeovers } from "./append-check.ts";
import { checkId, compareIds } from "./session-id.ts";
import { pollEvery, watchSeq } from "./watch-seq.ts";

export type FileStoreOptions = {
  /** A folder on a local file system, made when first used; default `~/.agentchart/sessions`. */
  readonly dir?: string;
  /** What a power loss can take (`kill -9` takes nothing): `rest` (default) what was appended since the session last rested,
   *  `never` whatever the operating system had not written, `always` nothing. Accepted inputs count as rest. */
  readonly fsync?: "never" | "rest" | "always";
  /** How often {@link SessionStore.watch} looks, in ms; default 100. */
  readonly watchEveryMs?: number;
  readonly now?: () => number;
};

const NOTHING: Acknowledged = { upTo: 0, also: [] };
const EMPTY = { seq: 0, position: null, checkpoint: null, meta: null, inbox: NOTHING } as const;

/**
 * Sessions in files, for any number of processes on one machine: a folder per session with `journal.ndjson` (see
 * file-journal.ts), `inbox.ndjson` and `lease.json`, to be read by people and changed by nobody. There is no lock that a dead
 * process could leave behind. A cut-off last line counts as never written; any other changed byte is `session/damaged`.
 */
export function fileStore(options: FileStoreOptions = {}): SessionStore {
  checkOptions(
    options,
    ["dir", "fsync", "watchEveryMs", "now"],
    "fileStore",
    'fileStore({ dir: "./sessions" })',
  );
  const { fsync = "rest", watchEveryMs = 100, now = Date.now } = options;
  const dir = options.dir ?? join(homedir(), ".agentchart", "sessions");
  const tails = new LRUCache<string, JournalTail>({ max: 1_000 });
  const inboxes = new LRUCache<string, InboxIndex>({ max: 100 });
  let isClosed = false;

  const folder = (sessionId: string): string => {
    if (isClosed) throw storeClosed();
    checkId(sessionId, "A session id");
    return join(dir, folderName(sessionId));
  };
  const isKept = fsync !== "never";
  const change = (
    sessionId: string,
    how: { readonly mayCreate?: boolean; readonly isSynced?: boolean },
    decide: (head?: JournalHead) => LineDraft | undefined,
  ) => {
    const path = join(folder(sessionId), JOURNAL);
    const { mayCreate = false, isSynced = false } = how;
    return changeJournal({ path, sessionId, mayCreate, isSynced, isNewSynced: isKept, decide }, tails);
  };

  /** What `read` gives of a journal that is there and not empty. */
  function look<T>(sessionId: string, read: (fd: number, head: JournalHead) => T): T | undefined {
    const path = join(folder(sessionId), JOURNAL);
    return ifThere(() =>
      withFile(path, constants.O_RDONLY, (fd) => {
        const tail = tailOf(fd, sessionId, tails.get(path));
        tails.set(path, tail);
        return tail.head && read(fd, tail.head);
      }),
    );
  }

  function lookAtInbox<T>(sessionId: string, read: (fd: number, index: InboxIndex) => T): T | undefined {
    const path = join(folder(sessionId), INBOX);
    return ifThere(() =>
      withFile(path, constants.O_RDONLY, (fd) => {
        const index = indexOf(fd, sessionId, inboxes.get(path));
        inboxes.set(path, index);
        return read(fd, index);
      }),
    );
  }

  async function put(sessionId: string, input: Parameters<SessionStore["putInput"]>[1]) {
    const path = join(folder(sessionId), INBOX);
    for (;;) {
      const fd = openToAppend(path, true)!;
      try {
        const index = indexOf(fd, sessionId, inboxes.get(path));
        inboxes.set(path, index);
        const isNew = index.items.length === 0;
        const isAccepted = index.byId.has(input.id) ? false : appendInput(fd, sessionId, index, input);
        if (isAccepted && isKept) await syncAll(fd, path, isNew);
        if (isAccepted !== undefined) return isAccepted ? "accepted" : "duplicate";
      } finally {
        closeSync(fd);
      }
    }
  }

  function* read(sessionId: string, after: number, limit: number): Generator<JournalEntry> {
    const path = join(folder(sessionId), JOURNAL);
    const fd = ifThere(() => openSync(path, constants.O_RDONLY));
    if (fd === undefined) return;
    try {
      yield* journalEntries(fd, sessionId, after, limit);
    } finally {
      closeSync(fd);
    }
  }

  return {
    acquire: (sessionId, { owner, ttlMs }) =>
      withStoreErrors("acquire a lease", async () => {
        checkId(owner, "An owner");
        const path = folder(sessionId);
        const head = await change(sessionId, { mayCreate: true, isSynced: fsync === "always" }, (found) => {
          const isHeld = found !== undefined && found.owner !== null && found.owner !== owner;
          if (isHeld && expiryOf(path, found) > now()) return undefined;
          const fence = (found?.fence ?? fenceFloor(dir)) + 1;
          const lease = { fence, owner, expiresAt: now() + ttlMs, takeovers: nextTakeovers(found, owner) };
          return {
            fields: { kind: "lease", time: now(), session: sessionId },
            headAt: () => ({ ...EMPTY, ...found, ...lease }),
          };
        });
        if (!head) return undefined;
        const { fence, expiresAt, takeovers = 0 } = head;
        return { sessionId, owner, fence, expiresAt, takeovers };
      }),

    renew: (lease, ttlMs) =>
      withStoreErrors("renew a lease", () => {
        const { sessionId, fence } = lease;
        const check = () => {
          const head = look(sessionId, (_, found) => found);
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

    append: (sessionId, batch) =>
      withStoreErrors("append", async () => {
        const { phase } = readPosition(batch.position);
        const isSynced = fsync === "always" || (fsync === "rest" && isAtRest(phase));
        const { ackInputs = [] } = batch;
        const head = await change(sessionId, { isSynced }, (found) => {
          const refusal = appendError(sessionId, batch, found);
          if (refusal || !found) throw refusal ?? leaseLost(sessionId, batch.fence);
          const taken =
            ackInputs.length === 0
              ? undefined
              : lookAtInbox(sessionId, (_, index) => acknowledge(index, found.inbox, ackInputs));
          return appendLineDraft(found, batch, now(), taken ?? found.inbox);
        });
        return head!.seq;
      }),

    read: (sessionId, { after = 0, limit = Number.POSITIVE_INFINITY } = {}) =>
      withStoreErrorsEach("read", () => read(sessionId, after, limit)),

    load: (sessionId) =>
      withStoreErrors("load", () =>
        look(sessionId, (fd, head) => {
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
        const taken = look(sessionId, (_, head) => head.inbox) ?? NOTHING;
        return lookAtInbox(sessionId, (fd, index) => waitingInputs(fd, sessionId, index, taken, limit)) ?? [];
      }),

    list: (filter = {}) =>
      withStoreErrors("list", () => {
        if (isClosed) throw storeClosed();
        const { prefix = "", cursor = "", limit = 100 } = filter;
        const found = sessionFolders(dir)
          .filter(({ sessionId }) => sessionId.startsWith(prefix) && compareIds(sessionId, cursor) > 0)
          .toSorted((a, b) => compareIds(a.sessionId, b.sessionId));
        const sessions: SessionInfo[] = [];
        for (const { sessionId, folder: path } of found) {
          const info = infoOf(path, sessionId);
          if (!info || !matchesFilter(info, filter)) continue;
          if (sessions.length === limit) return { sessions, cursor: sessions.at(-1)!.sessionId };
          sessions.push(info);
        }
        return { sessions };
      }),

    listDue: ({ before, cursor = "", limit = 100 }) =>
      withStoreErrors("list", () => {
        if (isClosed) throw storeClosed();
        const isDue = ({ sessionId, folder: path }: { sessionId: string; folder: string }): boolean => {
          const info = infoOf(path, sessionId);
          if (info?.phase === "quarantined") return false;
          const head = look(sessionId, (_, found) => found);
          if (head && head.owner !== null && expiryOf(path, head) > now()) return false;
          const taken = head?.inbox ?? NOTHING;
          const hasInput = lookAtInbox(sessionId, (_, index) => hasDueInput(index, taken, before)) ?? false;
          return isSessionDue(info, hasInput, before);
        };
        const found = sessionFolders(dir)
          .filter(({ sessionId }) => compareIds(sessionId, cursor) > 0)
          .toSorted((a, b) => compareIds(a.sessionId, b.sessionId));
        const due: string[] = [];
        for (const each of found) {
          if (due.length > limit) break;
          if (isDue(each)) due.push(each.sessionId);
        }
        return duePage(due, limit);
      }),

    delete: (sessionId) =>
      withStoreErrors("delete", () => {
        const path = folder(sessionId);
        const exists = infoOf(path, sessionId) !== undefined;
        const hasInputs = ifThere(() => statSync(join(path, INBOX)).size > 0) ?? false;
        if (ifThere(() => statSync(path))?.isDirectory()) removeFolder(dir, path, newestFence(path));
        return exists || hasInputs;
      }),

    watch(sessionId, { signal }) {
      const current = () => look(sessionId, (_, { position, seq }) => (position === null ? undefined : seq));
      return watchSeq({ current, subscribe: pollEvery(watchEveryMs), signal });
    },

    close: async () => {
      isClosed = true;
    },
  };
}

import type { JsonObject } from "../core/base/json.ts";
import { check } from "../core/base/options.ts";
import {
  dueTime,
  duePage,
  sessionPage,
  isSessionDue,
  readPosition,
  matchesFilter,
  holdsLease,
  leaseLost,
  appendError,
  storeClosed,
  nextTakeovers,
  takenFrom,
  checkId,
  compareIds,
  isLeftOut,
} from "./shared.ts";
import type { JournalEntry, SessionInfo, SessionPage, SessionStore } from "./port.ts";
import { memorySchema, type MemoryStoreOptions } from "./store-options.ts";
import { searcherOf, type LocalSearcher } from "./local-index.ts";
import { pruneSessions } from "./prune.ts";
import { watchSeq } from "./watch-seq.ts";
import { limitOf } from "./sql/page-of.ts";

export type { MemoryStoreOptions };

type Stored = {
  fence: number;
  owner: string | null;
  expiresAt: number;
  takeovers: number;
  /** As JSON strings, so that nothing is shared with a caller. */
  readonly entries: string[];
  position: string | undefined;
  checkpoint: string | undefined;
  meta: string;
  updatedAt: number;
  /** The ids of all inputs ever put. */
  readonly inputIds: Set<string>;
  /** The inputs that are not acknowledged, oldest first. */
  readonly inputs: Map<string, { readonly data: string; readonly dueAt?: number }>;
};

const parse = (json: string): JsonObject => JSON.parse(json) as JsonObject;

function infoOf(sessionId: string, { entries, position, meta, updatedAt }: Stored): SessionInfo | undefined {
  if (position === undefined) return undefined;
  const facts = readPosition(parse(position));
  return { sessionId, seq: entries.length, ...facts, meta: parse(meta), updatedAt };
}

/**
 * A store in the memory of this process: for tests, and for agents whose sessions may be lost with the process.
 *
 * @example
 * ```ts
 * import { createAgent } from "agentchart";
 * import { memoryStore } from "agentchart/store/memory";
 * import { scriptedModel } from "agentchart/testing";
 *
 * const agent = createAgent({ name: "desk", model: scriptedModel(["Hello."]), store: memoryStore(), sessionId: "s" });
 * ```
 */
export function memoryStore(options: MemoryStoreOptions = {}): SessionStore {
  check(memorySchema(), options, "memoryStore");
  const { now = Date.now } = options;
  const sessions = new Map<string, Stored>();
  const watchers = new Set<{ readonly sessionId: string; readonly wake: () => void }>();
  let lastFence = 0; // the highest fence of all deleted sessions
  let searcher: LocalSearcher | undefined;
  let isClosed = false;

  const find = (sessionId: string): Stored | undefined => {
    if (isClosed) throw storeClosed();
    checkId(sessionId, "A session id");
    return sessions.get(sessionId);
  };
  const findOrCreate = (sessionId: string): Stored => {
    const found = find(sessionId);
    if (found) return found;
    const stored: Stored = {
      fence: lastFence,
      owner: null,
      expiresAt: 0,
      takeovers: 0,
      entries: [],
      position: undefined,
      checkpoint: undefined,
      meta: "{}",
      updatedAt: 0,
      inputIds: new Set(),
      inputs: new Map(),
    };
    sessions.set(sessionId, stored);
    return stored;
  };
  const stateOf = (stored: Stored | undefined) => stored && { ...stored, seq: stored.entries.length };
  const notify = (changed: string): void => {
    for (const { sessionId, wake } of watchers) if (sessionId === changed) wake();
  };

  const store: SessionStore = {
    async acquire(sessionId, { owner, ttlMs, skips = 0 }) {
      checkId(owner, "An owner");
      const stored = findOrCreate(sessionId);
      const isLocked = stored.owner !== null && stored.owner !== owner && stored.expiresAt > now();
      if (isLocked) return undefined;
      const takeovers = nextTakeovers(stored, owner);
      const former = takenFrom(stored, owner, stored.expiresAt);
      const lease = { owner, fence: stored.fence + 1 + skips, expiresAt: now() + ttlMs, takeovers };
      Object.assign(stored, lease);
      return { sessionId, ...lease, ...former };
    },

    async renew(lease, ttlMs) {
      const stored = find(lease.sessionId);
      if (!stored || !holdsLease(lease, stateOf(stored))) {
        throw leaseLost(lease.sessionId, lease.fence, stored?.fence);
      }
      stored.expiresAt = now() + ttlMs;
      return { ...lease, expiresAt: stored.expiresAt };
    },

    async release(lease) {
      const stored = find(lease.sessionId);
      if (stored && holdsLease(lease, stateOf(stored))) stored.owner = null;
    },

    async holder(sessionId) {
      const { owner = null, expiresAt = 0 } = find(sessionId) ?? {};
      const leftMs = expiresAt - now();
      return owner !== null && leftMs > 0 ? { owner, leftMs } : undefined;
    },

    async append(sessionId, batch) {
      const stored = find(sessionId);
      const refusal = appendError(sessionId, batch, stateOf(stored));
      if (refusal || !stored) throw refusal ?? leaseLost(sessionId, batch.fence);
      const entries = batch.entries.map((entry) => JSON.stringify(entry));
      const position = JSON.stringify(batch.position);
      const checkpoint = batch.checkpoint && JSON.stringify(batch.checkpoint);
      const { meta } = readPosition(batch.position);
      for (const entry of entries) stored.entries.push(entry);
      stored.position = position;
      if (checkpoint !== undefined) stored.checkpoint = checkpoint;
      if (meta) stored.meta = JSON.stringify(meta);
      stored.updatedAt = now();
      for (const id of batch.ackInputs ?? []) stored.inputs.delete(id);
      if (batch.onRelease) {
        const hasInput = [...stored.inputs.values()].some((input) => dueTime(input) <= now());
        if (!hasInput) stored.owner = null;
        batch.onRelease(!hasInput);
      }
      notify(sessionId);
      return stored.entries.length;
    },

    async *read(sessionId, { after = 0, limit = Number.POSITIVE_INFINITY } = {}) {
      const entries = find(sessionId)?.entries ?? [];
      const end = Math.min(entries.length, after + limit);
      for (let index = after; index < end; index++) yield JSON.parse(entries[index]!) as JournalEntry;
    },

    async load(sessionId) {
      const stored = find(sessionId);
      if (stored?.position === undefined) return undefined;
      return {
        seq: stored.entries.length,
        position: parse(stored.position),
        ...(stored.checkpoint !== undefined && { checkpoint: parse(stored.checkpoint) }),
      };
    },

    async putInput(sessionId, { id, data, dueAt }) {
      checkId(id, "An input id");
      const { inputIds, inputs } = findOrCreate(sessionId);
      if (inputIds.has(id)) return "duplicate";
      inputs.set(id, { data: JSON.stringify(data), ...(dueAt !== undefined && { dueAt }) });
      inputIds.add(id);
      return "accepted";
    },

    async takeInputs(sessionId, limit) {
      return [...(find(sessionId)?.inputs ?? [])]
        .toSorted(([, a], [, b]) => dueTime(a) - dueTime(b))
        .slice(0, limit)
        .map(([id, input]) => ({ id, ...input, data: parse(input.data) }));
    },

    async takenInputs(sessionId, { after, limit }) {
      const { inputIds, inputs } = find(sessionId) ?? { inputIds: [], inputs: new Map() };
      const taken = [...inputIds].filter((id) => !inputs.has(id) && compareIds(id, after) > 0);
      return taken.toSorted(compareIds).slice(0, limit);
    },

    async list(filter = {}): Promise<SessionPage> {
      if (isClosed) throw storeClosed();
      const { prefix = "", cursor = "" } = filter;
      const limit = limitOf(filter);
      const found = [...sessions.keys()]
        .filter((id) => id.startsWith(prefix) && !isLeftOut(id, prefix) && compareIds(id, cursor) > 0)
        .toSorted(compareIds)
        .flatMap((id) => infoOf(id, sessions.get(id)!) ?? [])
        .filter((info) => matchesFilter(info, filter));
      return sessionPage(found, limit);
    },

    async search(query) {
      if (isClosed) throw storeClosed();
      searcher ??= searcherOf(store);
      return searcher.search(query);
    },

    async listDue(filter) {
      const { before, cursor = "" } = filter;
      const limit = limitOf(filter);
      if (isClosed) throw storeClosed();
      const isDue = ([sessionId, stored]: [string, Stored]): boolean => {
        if (compareIds(sessionId, cursor) <= 0) return false;
        const isFree = stored.owner === null || stored.expiresAt <= now();
        const hasInput = [...stored.inputs.values()].some((input) => dueTime(input) <= before);
        return isFree && isSessionDue(infoOf(sessionId, stored), hasInput, before);
      };
      const found = [...sessions].filter(isDue).map(([sessionId]) => sessionId);
      return duePage(found.toSorted(compareIds), limit);
    },

    async delete(sessionId, { keepsInputs = false } = {}) {
      const stored = find(sessionId);
      if (!stored) return false;
      lastFence = Math.max(lastFence, stored.fence);
      sessions.delete(sessionId);
      if (keepsInputs && stored.inputs.size > 0) {
        const { inputs, inputIds } = findOrCreate(sessionId);
        for (const [id, input] of stored.inputs) inputs.set(id, input);
        for (const id of stored.inputs.keys()) inputIds.add(id);
      }
      await searcher?.remove(sessionId);
      return stored.position !== undefined || stored.inputIds.size > 0;
    },

    watch(sessionId, { signal }) {
      const current = () => {
        const stored = find(sessionId);
        return stored?.position === undefined ? undefined : stored.entries.length;
      };
      const subscribe = (wake: () => void) => {
        const watcher = { sessionId, wake };
        watchers.add(watcher);
        return () => void watchers.delete(watcher);
      };
      return watchSeq({ current, subscribe, signal });
    },

    prune: (options) => pruneSessions(store, options, now),

    async close() {
      isClosed = true;
      sessions.clear();
      await searcher?.close();
    },
  };
  return store;
}

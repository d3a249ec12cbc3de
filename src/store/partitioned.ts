import { setTimeout as sleep } from "node:timers/promises";
import { AgentError } from "../core/base/error.ts";
import { check } from "../core/base/options.ts";
import { rulesOfStore, withRules } from "../core/tool/rules/store-rules.ts";
import { STORE_TIMEOUT_MS, withDeadlines } from "./deadlines.ts";
import { EntryRuns, runsOf } from "./entry-runs.ts";
import { newOwner } from "./leases.ts";
import {
  damagedMark,
  isMark,
  isMarkInfo,
  isMover,
  isMoving,
  movedError,
  moveSession,
  placeOf,
  sendOn,
  type MovingRange,
} from "./moved.ts";
import {
  partitionedSchema,
  rangeOf,
  rangesOf,
  type Partition,
  type PartitionedStoreOptions,
} from "./partition-map.ts";
import { isAway, mergedPage, partitionsAway, type PagedStore } from "./partition-pages.ts";
import type { JournalEntry, Lease, SessionInfo, SessionStore } from "./port.ts";
import { searchPartitions } from "./partition-search.ts";
import { pruneSessions } from "./prune.ts";
import { compareIds } from "./shared.ts";
import { limitOf } from "./sql/page-of.ts";
import { watchSeq } from "./watch-seq.ts";

export { finishMove, movePartitions, type MoveOptions, type MoveProgress } from "./move-partitions.ts";
export { partitionHash, type Partition, type PartitionedStoreOptions } from "./partition-map.ts";

/** The time after which an operation looks again whether a session has been moved, ms. */
const LOOK_MS = 20;

/** The members that a store need not have. The store over several ones has those that all of them have. */
const OPTIONAL = ["acquiresIfReady", "renewAll", "holder", "offerInput", "peek", "search", "watch"] as const;

/** The share of a lease that the stores have to renew it together. What is left is for each lease alone, if one of them is away. */
const RENEWAL = 6;

/**
 * A store over several ones, such as databases. Each session belongs to the store in whose range its {@link partitionHash} is; the order and
 * the ranges are stored nowhere, so that all processes must be given the same. While one store is away, the sessions of the others go
 * on: `list` and `search` reject a retryable `store/failed` whose `data.partitions` has the numbers of those that are away, `listDue`
 * leaves them out. Pages need stores whose cursors are those of this package. Throws `config/invalid` for ranges that do not cover all
 * hashes once. `movesFrom` of a partition: see {@link movePartitions}.
 *
 * @example
 * ```ts
 * import { createAgent } from "agentchart";
 * import { partitionedStore } from "agentchart/store/partitioned";
 * import { sqliteStore } from "agentchart/store/sqlite";
 * import { scriptedModel } from "agentchart/testing";
 *
 * const store = partitionedStore([
 *   { store: sqliteStore({ path: "./sessions-0.db" }), upTo: 0x7fffffff },
 *   { store: sqliteStore({ path: "./sessions-1.db" }), upTo: 0xffffffff },
 * ]);
 * const agent = createAgent({ name: "desk", model: scriptedModel(["Hello."]), store, sessionId: "customer-42" });
 * ```
 */
export function partitionedStore(
  partitions: readonly Partition[],
  options: PartitionedStoreOptions = {},
): SessionStore {
  check(partitionedSchema(), options, "partitionedStore");
  const { onAway = () => {}, now = Date.now } = options;
  const ranges = rangesOf(partitions, "partitionedStore").map((range) => ({
    ...range,
    store: withDeadlines(range.store),
    ...(range.movesFrom && { movesFrom: withDeadlines(range.movesFrom) }),
  }));
  const stores = [
    ...new Set(ranges.flatMap(({ store, movesFrom }) => (movesFrom ? [store, movesFrom] : [store]))),
  ];
  const numberOf = (store: SessionStore): number =>
    ranges.findIndex((range) => range.store === store || range.movesFrom === store);
  const timeoutMs = Math.max(...stores.map((store) => store.timeoutMs ?? STORE_TIMEOUT_MS));
  /** The stores that have given leases of ranges that move. */
  const givenBy = new WeakMap<Lease, SessionStore>();

  const given = <L extends Lease | undefined>(lease: L, store: SessionStore): L => {
    if (lease) givenBy.set(lease, store);
    return lease;
  };

  /** The store that has a session now. */
  async function storeOf(range: MovingRange, sessionId: string): Promise<SessionStore> {
    return (await placeOf(range, sessionId)) === "moved" ? range.store : range.movesFrom;
  }

  /** Runs an operation where the session is. */
  async function at<T>(sessionId: string, work: (store: SessionStore) => Promise<T>): Promise<T> {
    const range = rangeOf(ranges, sessionId);
    return work(isMoving(range) ? await storeOf(range, sessionId) : range.store);
  }

  /** Reads where the session is, and again if it was moved meanwhile. */
  async function readAt<T>(sessionId: string, read: (store: SessionStore) => Promise<T>): Promise<T> {
    const range = rangeOf(ranges, sessionId);
    if (!isMoving(range)) return read(range.store);
    const place = await storeOf(range, sessionId);
    const found = await read(place);
    const isThere = place === range.store || place === (await storeOf(range, sessionId));
    return isThere ? found : read(range.store);
  }

  async function* readRuns(
    sessionId: string,
    how: Parameters<SessionStore["read"]>[1],
  ): AsyncGenerator<readonly JournalEntry[]> {
    const range = rangeOf(ranges, sessionId);
    const place = isMoving(range) ? await storeOf(range, sessionId) : range.store;
    yield* runsOf(place.read(sessionId, how));
  }

  /** Reads a session's inbox, with what came to it in a former store. */
  const readInbox = <T>(sessionId: string, read: (store: SessionStore) => Promise<T>): Promise<T> =>
    readAt(sessionId, async (place) => {
      const range = rangeOf(ranges, sessionId);
      if (isMoving(range) && place === range.store) await sendOn(range, sessionId);
      return read(place);
    });

  /** Runs an operation in the store that has given the lease. */
  async function held<T>(lease: Lease, work: (store: SessionStore) => Promise<T>): Promise<T> {
    const range = rangeOf(ranges, lease.sessionId);
    const store = isMoving(range) ? givenBy.get(lease) : range.store;
    return store ? work(store) : at(lease.sessionId, work);
  }

  /** True once a session that has not begun may begin in the store of its range. */
  async function isBorn(range: MovingRange, sessionId: string): Promise<boolean> {
    try {
      return (await moveSession(range, sessionId, { isNew: true })) === "moved";
    } catch (error) {
      if (AgentError.is(error) && error.code === "session/lease-lost") return false;
      throw error;
    }
  }

  async function acquireMoving(
    range: MovingRange,
    sessionId: string,
    how: Parameters<SessionStore["acquire"]>[1],
  ) {
    const { store, movesFrom } = range;
    const place = await placeOf(range, sessionId);
    if (place === "former") return given(await movesFrom.acquire(sessionId, how), movesFrom);
    if (place === "unborn" && !(await isBorn(range, sessionId))) return undefined;
    await sendOn(range, sessionId);
    return given(await store.acquire(sessionId, how), store);
  }

  async function putMoving(
    range: MovingRange,
    sessionId: string,
    input: Parameters<SessionStore["putInput"]>[1],
  ) {
    const { store, movesFrom } = range;
    const place = await placeOf(range, sessionId);
    if (place === "moved" || (place === "unborn" && (await isBorn(range, sessionId))))
      return store.putInput(sessionId, input);
    const state = await movesFrom.putInput(sessionId, input);
    // The session may have been moved meanwhile, without this input.
    if ((await placeOf(range, sessionId)) === "moved") await store.putInput(sessionId, input);
    return state;
  }

  /** Deletes a session of a range that moves. A mover that copies it is waited for. */
  async function deleteMoving(
    range: MovingRange,
    sessionId: string,
    how: Parameters<SessionStore["delete"]>[1],
  ) {
    const { store, movesFrom } = range;
    for (;;) {
      if ((await placeOf(range, sessionId)) === "moved") {
        await sendOn(range, sessionId);
        return store.delete(sessionId, how); // the mark stays
      }
      const lease = await movesFrom.acquire(sessionId, { owner: newOwner(), ttlMs: timeoutMs });
      const holder = lease ? undefined : await movesFrom.holder?.(sessionId);
      const found = lease && (await movesFrom.load(sessionId).catch(damagedMark));
      const isHeld = lease !== undefined && !isMark(found?.position);
      if (isHeld || (holder && !isMover(holder.owner))) return movesFrom.delete(sessionId, how);
      await sleep(LOOK_MS);
    }
  }

  /** The stores with their pages. A session of a range that moves is shown by its former store, unless it is marked there. */
  function pagesOf<T>(
    idOf: (item: T) => string,
    page: (store: SessionStore, cursor: string | undefined) => ReturnType<PagedStore<T>["page"]>,
    isMarked: (item: T) => boolean,
  ): readonly PagedStore<T>[] {
    return stores.map((store) => ({
      index: numberOf(store),
      isMovedInto: ranges.some((range) => isMoving(range) && range.store === store),
      page: (cursor) => page(store, cursor),
      isItsOwn: async (item) => {
        const range = rangeOf(ranges, idOf(item));
        if (!isMoving(range)) return range.store === store;
        if (range.movesFrom === store) return !isMarked(item);
        return range.store === store && (await placeOf(range, idOf(item))) === "moved";
      },
    }));
  }

  const store: SessionStore = {
    timeoutMs: 2 * timeoutMs, // for what needs two operations, and so that the store that is away says so itself

    acquiresIfReady: true,

    async acquire(sessionId, how) {
      const range = rangeOf(ranges, sessionId);
      if (isMoving(range)) return acquireMoving(range, sessionId, how);
      const lease = await range.store.acquire(sessionId, how);
      const found = lease ? undefined : await range.store.load(sessionId).catch(damagedMark);
      if (isMark(found?.position)) throw movedError(sessionId);
      return lease;
    },

    renew: (lease, ttlMs) => held(lease, async (at) => given(await at.renew(lease, ttlMs), at)),

    async renewAll(leases, ttlMs) {
      const groups = new Map<SessionStore, number[]>();
      const located = await Promise.allSettled(leases.map((lease) => held(lease, async (at) => at)));
      const renewed: (Lease | undefined)[] = leases.map(() => undefined);
      const away = new Map<SessionStore, AgentError>();
      for (const [index, place] of located.entries()) {
        if (place.status === "fulfilled")
          groups.set(place.value, [...(groups.get(place.value) ?? []), index]);
        else if (isAway(place.reason))
          away.set(rangeOf(ranges, leases[index]!.sessionId).store, place.reason);
        else throw place.reason;
      }
      const renewIn = async ([at, indexes]: readonly [SessionStore, readonly number[]]): Promise<void> => {
        const bounded = withDeadlines(at, { maxMs: ttlMs / RENEWAL });
        try {
          const all = await bounded.renewAll!(
            indexes.map((index) => leases[index]!),
            ttlMs,
          );
          for (const [n, index] of indexes.entries()) renewed[index] = given(all[n], at);
        } catch (error) {
          if (!isAway(error)) throw error;
          away.set(at, error);
        }
      };
      await Promise.all([...groups].map(renewIn));
      const [first] = away.values();
      if (first === undefined) return renewed;
      throw partitionsAway([...new Set([...away.keys()].map(numberOf))], first);
    },

    release: (lease) => held(lease, (at) => at.release(lease)),

    holder: (sessionId) => readAt(sessionId, (place) => place.holder!(sessionId)),

    append: (sessionId, batch) => at(sessionId, (place) => place.append(sessionId, batch)),

    read: (sessionId, how) => new EntryRuns(readRuns(sessionId, how)),

    async load(sessionId) {
      const found = await readAt(sessionId, (place) => place.load(sessionId));
      if (isMark(found?.position)) throw movedError(sessionId);
      return found;
    },

    async putInput(sessionId, input) {
      const range = rangeOf(ranges, sessionId);
      return isMoving(range) ? putMoving(range, sessionId, input) : range.store.putInput(sessionId, input);
    },

    offerInput: async (sessionId, ...args) =>
      rangeOf(ranges, sessionId).store.offerInput!(sessionId, ...args),

    takeInputs: (sessionId, limit) => readInbox(sessionId, (place) => place.takeInputs(sessionId, limit)),

    async peek(sessionId, limit) {
      const found = await readInbox(sessionId, (place) => place.peek!(sessionId, limit));
      if (isMark(found.position)) throw movedError(sessionId);
      return found;
    },

    async list(filter = {}) {
      const limit = limitOf(filter);
      const pages = pagesOf<SessionInfo>(
        ({ sessionId }) => sessionId,
        async (at, cursor) => {
          const page = await at.list({ ...filter, limit, ...(cursor !== undefined && { cursor }) });
          return { items: page.sessions, ...(page.cursor !== undefined && { cursor: page.cursor }) };
        },
        isMarkInfo,
      );
      const { items, cursor } = await mergedPage(pages, {
        cursor: filter.cursor,
        limit,
        order: (a, b) => compareIds(a.sessionId, b.sessionId),
        idOf: ({ sessionId }) => sessionId,
        cursorAfter: ({ sessionId }) => sessionId,
      });
      return { sessions: items, ...(cursor !== undefined && { cursor }) };
    },

    search: (query = {}) => searchPartitions(stores, pagesOf, query),

    async listDue(filter) {
      const limit = limitOf(filter);
      const pages = pagesOf<string>(
        (id) => id,
        async (at, cursor) => {
          const page = await at.listDue({ ...filter, limit, ...(cursor !== undefined && { cursor }) });
          return { items: page.sessionIds, ...(page.cursor !== undefined && { cursor: page.cursor }) };
        },
        () => false, // what is marked is not due
      );
      const { items, cursor } = await mergedPage(pages, {
        cursor: filter.cursor,
        limit,
        order: compareIds,
        idOf: (id) => id,
        cursorAfter: (id) => id,
        onAway,
      });
      return { sessionIds: items, ...(cursor !== undefined && { cursor }) };
    },

    async delete(sessionId, how) {
      const range = rangeOf(ranges, sessionId);
      return isMoving(range) ? deleteMoving(range, sessionId, how) : range.store.delete(sessionId, how);
    },

    prune: (how) => pruneSessions(store, how, now),

    watch(sessionId, { signal }) {
      const range = rangeOf(ranges, sessionId);
      if (!isMoving(range)) return range.store.watch!(sessionId, { signal });
      const subscribe = (wake: () => void) => {
        const end = new AbortController();
        const follow = async (from: SessionStore): Promise<void> => {
          for await (const _ of from.watch!(sessionId, { signal: end.signal })) wake();
        };
        for (const each of [range.store, range.movesFrom]) follow(each).catch(() => {});
        return () => end.abort();
      };
      const current = async () => (await store.load(sessionId))?.seq;
      return watchSeq({ current, subscribe, signal, outlasts: true });
    },

    async close() {
      const closed = await Promise.allSettled(stores.map((each) => each.close()));
      for (const each of closed) if (each.status === "rejected") throw each.reason;
    },
  };
  for (const name of OPTIONAL) if (stores.some((each) => !each[name])) delete store[name];
  if (ranges.some(isMoving))
    for (const name of ["offerInput", "acquiresIfReady"] as const) delete store[name];
  return withRules(store, [...new Set(stores.flatMap(rulesOfStore))]);
}

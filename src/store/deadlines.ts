import { withRulesOf } from "../core/tool/rules/store-rules.ts";
import { AgentError } from "../core/base/error.ts";
import { LONGEST_DELAY_MS, restarted } from "../core/base/time.ts";
import type { SessionStore, Batch } from "./port.ts";
import { setTimeout as sleep } from "node:timers/promises";

/** The maximum time of an operation of a store unless the store says so itself, ms. */
export const STORE_TIMEOUT_MS = 10_000;

function lateError(timeoutMs: number, operation: string): AgentError {
  const message = `The store did not answer within ${timeoutMs} ms: could not ${operation}.`;
  return new AgentError("store/failed", message, { isRetryable: true, data: { operation, timeoutMs } });
}

/** Settles as `work` does; rejects a retryable `store/failed` if that takes longer. */
export function inTime<T>(work: Promise<T>, timeoutMs: number, operation: string): Promise<T> {
  if (timeoutMs > LONGEST_DELAY_MS) return work;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(lateError(timeoutMs, operation)), timeoutMs);
    work.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error as Error);
      },
    );
  });
}

/** Yields as `entries` does; rejects as {@link inTime} if one takes longer. All of them have one timer: there may be many. */
export async function* eachInTime<T>(
  entries: AsyncIterable<T>,
  timeoutMs: number,
  operation: string,
): AsyncGenerator<T> {
  const iterator = entries[Symbol.asyncIterator]();
  let giveUp: (error: AgentError) => void = () => {};
  const isBounded = timeoutMs <= LONGEST_DELAY_MS;
  const start = (): NodeJS.Timeout => setTimeout(() => giveUp(lateError(timeoutMs, operation)), timeoutMs);
  let timer = isBounded ? start() : undefined;
  try {
    for (;;) {
      if (timer) timer = restarted(timer, start);
      const next = await new Promise<IteratorResult<T>>((resolve, reject) => {
        giveUp = reject;
        iterator.next().then(resolve, reject);
      });
      if (next.done) return;
      yield next.value;
    }
  } finally {
    clearTimeout(timer);
    iterator.return?.().catch(() => {});
  }
}

/**
 * Wraps a store so that each operation settles within {@link SessionStore.timeoutMs}, also if the store never answers. What an
 * operation that was given up has changed is unknown. A renewal settles within a third of its lease, so that its caller learns in
 * time that the lease runs out. `watch`, `search` and `prune` have no deadline. `maxMs` lowers the limit.
 */
export function withDeadlines(store: SessionStore, options?: { readonly maxMs?: number }): SessionStore {
  if (options) return bounding(store, options.maxMs);
  const known = wrapped.get(store) ?? bounding(store);
  wrapped.set(store, known);
  return known;
}

/** The stores of agents, of which many have the same one. */
const wrapped = new WeakMap<SessionStore, SessionStore>();

type Append = SessionStore["append"];

const settling = new WeakMap<Append, number>();

/** Marks an `append` that settles within `timeoutMs` by itself, so that it is not watched by a second timer. */
export function settlingAppend(append: Append, timeoutMs: number): void {
  settling.set(append, timeoutMs);
}

function bounding(store: SessionStore, maxMs = Number.POSITIVE_INFINITY): SessionStore {
  const limit = (): number => Math.min(store.timeoutMs ?? STORE_TIMEOUT_MS, maxMs);
  const bounded = <T>(work: Promise<T>, operation: string): Promise<T> => inTime(work, limit(), operation);
  return withRulesOf(store, {
    get timeoutMs() {
      return limit();
    },
    acquire: (...args) => bounded(store.acquire(...args), "acquire a lease"),
    renew: (lease, ttlMs) => inTime(store.renew(lease, ttlMs), Math.min(limit(), ttlMs / 3), "renew a lease"),
    ...(store.renewAll && {
      renewAll: (leases, ttlMs) =>
        inTime(store.renewAll!(leases, ttlMs), Math.min(limit(), ttlMs / 3), "renew leases"),
    }),
    release: (lease) => bounded(store.release(lease), "release a lease"),
    ...(store.holder && { holder: (sessionId) => bounded(store.holder!(sessionId), "read a lease") }),
    append: (...args) => {
      const work = store.append(...args);
      return (settling.get(store.append) ?? Number.POSITIVE_INFINITY) <= limit()
        ? work
        : bounded(work, "append");
    },
    read: (...args) => eachInTime(store.read(...args), limit(), "read"),
    load: (sessionId) => bounded(store.load(sessionId), "load"),
    putInput: (...args) => bounded(store.putInput(...args), "put an input"),
    ...(store.offerInput && { offerInput: (...args) => bounded(store.offerInput!(...args), "put an input") }),
    takeInputs: (...args) => bounded(store.takeInputs(...args), "take inputs"),
    ...(store.peek && { peek: (...args) => bounded(store.peek!(...args), "take inputs") }),
    list: (filter) => bounded(store.list(filter), "list"),
    ...(store.search && { search: (query) => store.search!(query) }),
    listDue: (filter) => bounded(store.listDue(filter), "list"),
    delete: (...args) => bounded(store.delete(...args), "delete"),
    prune: (options) => store.prune(options),
    ...(store.watch && { watch: (...args) => store.watch!(...args) }),
    close: () => bounded(store.close(), "close"),
  });
}

/** Options of {@link retryingStore}. */
export type RetryingStoreOptions = {
  /** For how long an operation is repeated, ms. */
  readonly timeoutMs: number;
  /** Once aborted, no operation is repeated. */
  readonly signal?: AbortSignal;
  /** Called with each failure before the operation is repeated. */
  readonly onRetry?: (error: AgentError) => void;
};

const [FIRST_DELAY_MS, MAX_DELAY_MS] = [50, 1_000];

const isTransient = (error: unknown): error is AgentError =>
  AgentError.is(error) && error.code === "store/failed" && error.isRetryable;

/**
 * Wraps a store so that it survives a restart of its database. Operations that fail with a retryable `store/failed` are repeated with
 * exponential back-off. An append whose outcome is unknown is repeated and takes effect once; if its outcome is still unknown after
 * `timeoutMs`, it rejects `session/lease-lost`, because its writer must not continue. `renew` is not repeated, because its caller renews
 * periodically, nor is `prune`, which can be called again.
 */
export function retryingStore(
  store: SessionStore,
  { timeoutMs, signal, onRetry }: RetryingStoreOptions,
): SessionStore {
  async function retrying<T>(work: (attempt: number) => Promise<T>): Promise<T> {
    const deadline = Date.now() + timeoutMs;
    for (let attempt = 0, delay = FIRST_DELAY_MS; ; attempt++, delay = Math.min(delay * 2, MAX_DELAY_MS)) {
      try {
        return await work(attempt);
      } catch (error) {
        if (!isTransient(error) || signal?.aborted || Date.now() + delay > deadline) throw error;
        onRetry?.(error);
        await sleep(delay, undefined, signal && { signal }).catch(() => {});
      }
    }
  }

  /** True if the journal has the entries of a batch. Another writer would have to write the same at the same time, and then it is written. */
  async function isWritten(sessionId: string, { expectedSeq: after, entries }: Batch): Promise<boolean> {
    const found = [];
    for await (const entry of store.read(sessionId, { after, limit: entries.length })) found.push(entry);
    return entries.length > 0 && JSON.stringify(found) === JSON.stringify(entries);
  }

  return withRulesOf(store, {
    timeoutMs: timeoutMs + (store.timeoutMs ?? STORE_TIMEOUT_MS),
    acquire: (...args) => retrying(() => store.acquire(...args)),
    renew: (...args) => store.renew(...args),
    ...(store.renewAll && { renewAll: (...args) => store.renewAll!(...args) }),
    release: (lease) => retrying(() => store.release(lease)),
    ...(store.holder && { holder: (sessionId) => retrying(() => store.holder!(sessionId)) }),
    async append(sessionId, batch) {
      const seq = batch.expectedSeq + batch.entries.length;
      try {
        return await retrying(async (attempt) => {
          try {
            return await store.append(sessionId, batch);
          } catch (error) {
            if (attempt === 0 || !AgentError.is(error)) throw error;
            if (
              error.code === "session/lease-lost" &&
              batch.onRelease &&
              (await isWritten(sessionId, batch))
            ) {
              batch.onRelease(true); // a former attempt has ended the lease
              return seq;
            }
            if (error.code !== "session/conflict" || (await store.load(sessionId))?.seq !== seq) throw error;
            // The entries are this writer's if its fence is still the newest, which an empty append proves.
            return await store.append(sessionId, { ...batch, expectedSeq: seq, entries: [] });
          }
        });
      } catch (error) {
        if (!isTransient(error)) throw error;
        const { fence } = batch;
        const message = `Session '${sessionId}' was released: its store did not answer in time.`;
        throw new AgentError("session/lease-lost", message, { cause: error, data: { sessionId, fence } });
      }
    },
    async *read(sessionId, { after = 0, limit = Number.POSITIVE_INFINITY } = {}) {
      let [last, left] = [after, limit];
      const next = () =>
        retrying(async () => {
          const entries = [];
          for await (const entry of store.read(sessionId, { after: last, limit: Math.min(left, 500) }))
            entries.push(entry);
          return entries;
        });
      for (let entries = await next(); entries.length > 0; entries = left > 0 ? await next() : []) {
        yield* entries;
        last += entries.length;
        left -= entries.length;
      }
    },
    load: (sessionId) => retrying(() => store.load(sessionId)),
    putInput: async (sessionId, input) =>
      retrying(async (attempt) => {
        const state = await store.putInput(sessionId, input);
        if (state === "accepted" || attempt === 0) return state;
        return "accepted"; // by an attempt whose answer was lost, or by another caller with the same id
      }),
    ...(store.offerInput && {
      offerInput: async (...args) =>
        retrying(async (attempt) => {
          const offered = await store.offerInput!(...args);
          return offered && attempt > 0 ? { ...offered, state: "accepted" } : offered; // by an attempt whose answer was lost
        }),
    }),
    takeInputs: (...args) => retrying(() => store.takeInputs(...args)),
    ...(store.peek && { peek: (...args) => retrying(() => store.peek!(...args)) }),
    list: (filter) => retrying(() => store.list(filter)),
    ...(store.search && { search: (query) => retrying(() => store.search!(query)) }),
    listDue: (filter) => retrying(() => store.listDue(filter)),
    delete: (...args) => retrying(() => store.delete(...args)),
    prune: (options) => store.prune(options),
    ...(store.watch && { watch: store.watch.bind(store) }),
    close: () => store.close(),
  });
}

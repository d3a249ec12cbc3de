import { withRulesOf } from "../core/tool/rules/store-rules.ts";
import { AgentError } from "../core/base/error.ts";
import { perObject } from "../core/base/json.ts";
import { LONGEST_DELAY_MS, restarted } from "../core/base/time.ts";
import { EntryRuns, runsOf } from "./entry-runs.ts";
import type { SessionStore } from "./port.ts";

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

/** Resolves with true when `work` has ended, and with false after `ms`. Rejects as `work` does in the meantime. */
export async function endsWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  if (ms > LONGEST_DELAY_MS) return work.then(() => true);
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, ms, false);
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Yields as `items` does; rejects as {@link inTime} if one takes longer. All of them have one timer: there may be many. */
async function* eachInTime<T>(
  items: AsyncIterable<T>,
  timeoutMs: number,
  operation: string,
): AsyncGenerator<T> {
  const iterator = items[Symbol.asyncIterator]();
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
  return options ? bounding(store, options.maxMs) : boundingOf(store);
}

/** The stores of agents, of which many have the same one. */
const boundingOf = perObject((store: SessionStore): SessionStore => bounding(store));

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
    ...(store.acquiresIfReady && { acquiresIfReady: true }),
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
    read: (...args) => new EntryRuns(eachInTime(runsOf(store.read(...args)), limit(), "read")),
    load: (sessionId) => bounded(store.load(sessionId), "load"),
    putInput: (...args) => bounded(store.putInput(...args), "put an input"),
    ...(store.offerInput && { offerInput: (...args) => bounded(store.offerInput!(...args), "put an input") }),
    takeInputs: (...args) => bounded(store.takeInputs(...args), "take inputs"),
    ...(store.peek && { peek: (...args) => bounded(store.peek!(...args), "take inputs") }),
    ...(store.takenInputs && {
      takenInputs: (...args) => bounded(store.takenInputs!(...args), "take inputs"),
    }),
    list: (filter) => bounded(store.list(filter), "list"),
    ...(store.search && { search: (query) => store.search!(query) }),
    listDue: (filter) => bounded(store.listDue(filter), "list"),
    delete: (...args) => bounded(store.delete(...args), "delete"),
    prune: (options) => store.prune(options),
    ...(store.watch && { watch: (...args) => store.watch!(...args) }),
    close: () => bounded(store.close(), "close"),
  });
}

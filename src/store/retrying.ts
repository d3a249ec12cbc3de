import { setTimeout as sleep } from "node:timers/promises";
import { AgentError } from "../core/base/error.ts";
import { STORE_TIMEOUT_MS } from "./deadlines.ts";
import { withRulesOf } from "../core/tool/rules/store-rules.ts";
import { EntryRuns, runsOf } from "./entry-runs.ts";
import type { Batch, JournalEntry, OfferedInput, SessionInput, SessionStore } from "./port.ts";
import { deletedMeanwhile } from "./shared.ts";

type RetryingStoreOptions = {
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
 * `timeoutMs`, it rejects `session/lease-lost`, because its writer must not continue. An input that a repetition finds is "accepted" if it
 * waits and has the same data, else a "duplicate". A deletion that is repeated returns true: a former attempt may have done it. `renew` is not repeated, because its caller renews periodically, nor is `prune`, which
 * can be called again.
 */
export function retryingStore(
  store: SessionStore,
  { timeoutMs, signal, onRetry }: RetryingStoreOptions,
): SessionStore {
  async function retrying<T>(work: (attempt: number) => Promise<T>): Promise<T> {
    const deadline = performance.now() + timeoutMs;
    for (let attempt = 0, delay = FIRST_DELAY_MS; ; attempt++, delay = Math.min(delay * 2, MAX_DELAY_MS)) {
      try {
        return await work(attempt);
      } catch (error) {
        if (!isTransient(error) || signal?.aborted || performance.now() + delay > deadline) throw error;
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

  /** The state of an input that is there: accepted if it waits as it was put, by an attempt whose answer was lost. */
  async function stateOf(sessionId: string, { id, data }: SessionInput): Promise<OfferedInput["state"]> {
    const waiting = await store.takeInputs(sessionId, Number.MAX_SAFE_INTEGER);
    const found = waiting.find((each) => each.id === id);
    return found && JSON.stringify(found.data) === JSON.stringify(data) ? "accepted" : "duplicate";
  }

  async function* readRuns(
    sessionId: string,
    { after = 0, limit = Number.POSITIVE_INFINITY }: Parameters<SessionStore["read"]>[1] = {},
  ): AsyncGenerator<readonly JournalEntry[]> {
    let [last, left] = [after, limit];
    let former: JournalEntry | undefined;
    let source: AsyncIterator<readonly JournalEntry[]> | undefined;
    /** Opens the journal again behind the entry that came last, if it still has that. */
    const open = async (): Promise<IteratorResult<readonly JournalEntry[]>> => {
      const again = former ? 1 : 0;
      const range = { after: last - again, limit: left + again };
      source = runsOf(store.read(sessionId, range))[Symbol.asyncIterator]();
      const first = await source.next();
      if (!former) return first;
      const [same, ...rest] = first.done ? [] : first.value;
      if (JSON.stringify(same) !== JSON.stringify(former)) throw deletedMeanwhile(sessionId);
      return rest.length > 0 ? { value: rest } : source.next();
    };
    const next = () =>
      retrying(async () => {
        try {
          return await (source ? source.next() : open());
        } catch (error) {
          source = undefined;
          throw error;
        }
      });
    try {
      for (let step = await next(); !step.done; step = await next()) {
        former = step.value.at(-1) ?? former;
        last += step.value.length;
        left -= step.value.length;
        yield step.value;
      }
    } finally {
      await source?.return?.();
    }
  }

  return withRulesOf(store, {
    timeoutMs: timeoutMs + (store.timeoutMs ?? STORE_TIMEOUT_MS),
    ...(store.acquiresIfReady && { acquiresIfReady: true }),
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
    read: (sessionId, range) => new EntryRuns(readRuns(sessionId, range)),
    load: (sessionId) => retrying(() => store.load(sessionId)),
    putInput: async (sessionId, input) =>
      retrying(async (attempt) => {
        const state = await store.putInput(sessionId, input);
        return state === "accepted" || attempt === 0 ? state : stateOf(sessionId, input);
      }),
    ...(store.offerInput && {
      offerInput: async (sessionId, input, options) =>
        retrying(async (attempt) => {
          const offered = await store.offerInput!(sessionId, input, options);
          if (offered?.state !== "duplicate" || attempt === 0) return offered;
          return { ...offered, state: await stateOf(sessionId, input) };
        }),
    }),
    takeInputs: (...args) => retrying(() => store.takeInputs(...args)),
    ...(store.peek && { peek: (...args) => retrying(() => store.peek!(...args)) }),
    ...(store.takenInputs && { takenInputs: (...args) => retrying(() => store.takenInputs!(...args)) }),
    list: (filter) => retrying(() => store.list(filter)),
    ...(store.search && { search: (query) => retrying(() => store.search!(query)) }),
    listDue: (filter) => retrying(() => store.listDue(filter)),
    delete: (...args) => retrying(async (attempt) => (await store.delete(...args)) || attempt > 0),
    prune: (options) => store.prune(options),
    ...(store.watch && { watch: store.watch.bind(store) }),
    close: () => store.close(),
  });
}

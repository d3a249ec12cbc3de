import { setTimeout as sleep } from "node:timers/promises";
import { AgentError } from "../base/error.ts";
import type { SessionStore } from "./port.ts";

export type RetryingStoreOptions = {
  /** How long a storage that fails in passing is asked again, ms. */
  readonly timeoutMs: number;
  /** Ends all patience. */
  readonly signal?: AbortSignal;
  /** Hears of every failure that is waited out. */
  readonly onRetry?: (error: AgentError) => void;
};

const [FIRST_DELAY_MS, MAX_DELAY_MS] = [50, 1_000];

const isTransient = (error: unknown): error is AgentError =>
  AgentError.is(error) && error.code === "store/failed" && error.isRetryable;

/**
 * A store that outlasts a restart of its database: what fails in passing is asked again. An append whose outcome is unknown
 * is repeated and happens once; one that is still unknown when the patience ends is `session/lease-lost`, for its writer must
 * not go on. Renewals fail at once, for they are repeated anyway.
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

  return {
    acquire: (...args) => retrying(() => store.acquire(...args)),
    renew: (...args) => store.renew(...args),
    release: (lease) => retrying(() => store.release(lease)),
    async append(sessionId, batch) {
      const seq = batch.expectedSeq + batch.entries.length;
      try {
        return await retrying(async (attempt) => {
          try {
            return await store.append(sessionId, batch);
          } catch (error) {
            const isConflict = AgentError.is(error) && error.code === "session/conflict";
            if (attempt === 0 || !isConflict || (await store.load(sessionId))?.seq !== seq) throw error;
            // It was written: nobody else may, as long as this fence is the newest, which one more append shows.
            return await store.append(sessionId, { ...batch, expectedSeq: seq, entries: [] });
          }
        });
      } catch (error) {
        if (!isTransient(error)) throw error;
        const { fence } = batch;
        const message = `Session '${sessionId}' is given up: its store did not answer in time.`;
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
        return "accepted"; // by the attempt whose answer was lost, or by somebody with the same id
      }),
    takeInputs: (...args) => retrying(() => store.takeInputs(...args)),
    list: (filter) => retrying(() => store.list(filter)),
    listDue: (filter) => retrying(() => store.listDue(filter)),
    delete: (sessionId) => retrying(() => store.delete(sessionId)),
    ...(store.watch && { watch: store.watch.bind(store) }),
    close: () => store.close(),
  };
}

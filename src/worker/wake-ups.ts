import { setTimeout as sleep } from "node:timers/promises";
import { AgentError } from "../core/base/error.ts";
import { endsWithin } from "../store/deadlines.ts";
import type { Consumer, WakeQueue, WakeUp } from "./queue/port.ts";

/** The time for which the start waits for a queue, ms: the sweep works without it. */
const START_MS = 2_000;
/** The pause before a queue is tried again doubles up to this, ms. */
const MAX_PAUSE_MS = 5_000;

/** Options of {@link WakeUps}. */
export type WakeUpsOptions = {
  readonly queue: WakeQueue;
  readonly concurrency: number;
  /** The pause after the first attempt, ms. */
  readonly retryMs: number;
  readonly handle: (wakeUp: WakeUp) => Promise<void>;
  readonly onError: (error: unknown) => void;
  /** Called once wake-ups arrive, if an attempt has failed before. */
  readonly onConnected: () => void;
};

const mayPass = (error: unknown): boolean => AgentError.is(error) && error.isRetryable;

/** The wake-ups that a worker gets from its queue. A queue that is away at the start is tried again until it is there. */
export class WakeUps {
  readonly #options: WakeUpsOptions;
  readonly #closed = new AbortController();
  #consumer: Consumer | undefined;

  constructor(options: WakeUpsOptions) {
    this.#options = options;
  }

  /** Resolves when wake-ups arrive, or the queue turns out to be away; after two seconds at the latest. Rejects with an error of the queue
   *  that no time mends. */
  async start(): Promise<void> {
    const { promise: isAway, resolve } = Promise.withResolvers<void>();
    const connecting = this.#connect(resolve);
    await endsWithin(Promise.race([connecting, isAway]), START_MS);
    connecting.catch(this.#options.onError);
  }

  /** Takes no more wake-ups; resolves when the running handlers have ended. */
  async close(): Promise<void> {
    this.#closed.abort();
    try {
      await this.#consumer?.close();
    } catch (error) {
      this.#options.onError(error);
    }
  }

  async #connect(onAway: () => void): Promise<void> {
    const { retryMs, onError, onConnected } = this.#options;
    for (let tries = 0; ; tries++) {
      try {
        await this.#consume();
        if (tries > 0) onConnected();
        return;
      } catch (error) {
        if (this.#closed.signal.aborted) return;
        if (!mayPass(error)) throw error;
        onError(error);
      }
      onAway();
      const pause = Math.min(retryMs * 2 ** tries, MAX_PAUSE_MS);
      await sleep(pause, undefined, { signal: this.#closed.signal }).catch(() => {});
      if (this.#closed.signal.aborted) return;
    }
  }

  async #consume(): Promise<void> {
    const { queue, concurrency, handle, onError } = this.#options;
    const consumer = queue.consume(handle, { concurrency, onError });
    this.#consumer = consumer;
    try {
      await consumer.ready();
    } catch (error) {
      this.#consumer = undefined;
      consumer.close().catch(() => {});
      throw error;
    }
  }
}

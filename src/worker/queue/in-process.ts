import { check } from "../../core/base/options.ts";
import { delayUntil } from "../../core/base/time.ts";
import { SignalListeners } from "./signal-listeners.ts";
import type { ConsumeOptions, Consumer, WakeOptions, WakeQueue, WakeUp } from "./port.ts";
import { queueClosed } from "./queue-error.ts";
import { wakeSchema } from "./wake-schema.ts";

type LocalConsumer = {
  readonly handler: (wakeUp: WakeUp) => Promise<void>;
  readonly concurrency: number;
  readonly onError: (error: unknown) => void;
  running: Set<Promise<void>>;
};

/** The number of wake-ups that are buffered while there is no consumer: a process that only dispatches never has one. */
const MAX_UNCONSUMED = 10_000;

class InProcessQueue implements WakeQueue {
  readonly signalMs = 0;
  /** In the order of delivery. */
  readonly #waiting: WakeUp[] = [];
  readonly #waitingIds = new Set<string>();
  /** Sessions with a running handler, each with the wake-up that came in the meantime. */
  readonly #active = new Map<string, WakeUp | undefined>();
  readonly #delayed = new Set<NodeJS.Timeout>();
  readonly #consumers = new Set<LocalConsumer>();
  readonly #listeners = new SignalListeners();
  #isClosed = false;

  async wake(sessionId: string, options: WakeOptions = {}): Promise<void> {
    this.#assertOpen();
    check(wakeSchema(), options, "wake");
    const { priority = 0, delayMs = 0 } = options;
    if (delayMs === 0) this.#add({ sessionId, priority, dueAt: Date.now() });
    else this.#later({ sessionId, priority, dueAt: Date.now() + delayMs });
  }

  consume(handler: LocalConsumer["handler"], options: ConsumeOptions = {}): Consumer {
    this.#assertOpen();
    const { concurrency = 1, onError = () => {} } = options;
    const consumer: LocalConsumer = { handler, concurrency, onError, running: new Set() };
    this.#consumers.add(consumer);
    queueMicrotask(() => this.#deliver());
    return {
      ready: async () => {},
      close: async () => {
        this.#consumers.delete(consumer);
        await Promise.all(consumer.running);
      },
    };
  }

  publish(sessionId: string, signal: Parameters<WakeQueue["publish"]>[1]): void {
    if (this.#isClosed) return;
    const copy = structuredClone(signal);
    queueMicrotask(() => this.#listeners.emit(sessionId, copy));
  }

  async subscribe(sessionId: string, listener: Parameters<WakeQueue["subscribe"]>[1]): Promise<() => void> {
    this.#assertOpen();
    const own = (signal: Parameters<typeof listener>[0]): void => listener(signal);
    this.#listeners.add(sessionId, own);
    return () => void this.#listeners.remove(sessionId, own);
  }

  async stats(): ReturnType<WakeQueue["stats"]> {
    this.#assertOpen();
    const queued = [...this.#active.values()].filter((wakeUp) => wakeUp !== undefined).length;
    return {
      waiting: this.#waiting.length + queued,
      active: this.#active.size,
      delayed: this.#delayed.size,
    };
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const timer of this.#delayed) clearTimeout(timer);
    this.#delayed.clear();
    const running = [...this.#consumers].flatMap((consumer) => [...consumer.running]);
    this.#consumers.clear();
    await Promise.all(running);
  }

  #assertOpen(): void {
    if (this.#isClosed) throw queueClosed();
  }

  #later(wakeUp: WakeUp): void {
    const due = (): void => {
      this.#delayed.delete(timer);
      if (wakeUp.dueAt > Date.now()) this.#later(wakeUp);
      else this.#add(wakeUp);
    };
    const timer = setTimeout(due, delayUntil(wakeUp.dueAt, Date.now()));
    timer.unref();
    this.#delayed.add(timer);
  }

  #add(wakeUp: WakeUp): void {
    if (this.#waitingIds.has(wakeUp.sessionId)) return;
    if (this.#active.has(wakeUp.sessionId)) {
      this.#active.set(wakeUp.sessionId, wakeUp);
      return;
    }
    if (this.#consumers.size === 0 && this.#waiting.length >= MAX_UNCONSUMED) return;
    const before = this.#waiting.findLastIndex(({ priority }) => priority <= wakeUp.priority);
    this.#waiting.splice(before + 1, 0, wakeUp);
    this.#waitingIds.add(wakeUp.sessionId);
    queueMicrotask(() => this.#deliver());
  }

  #deliver(): void {
    for (;;) {
      const consumer = [...this.#consumers].find(({ running, concurrency }) => running.size < concurrency);
      const wakeUp = consumer && this.#waiting.shift();
      if (!consumer || !wakeUp) return;
      this.#waitingIds.delete(wakeUp.sessionId);
      this.#active.set(wakeUp.sessionId, undefined);
      const done = this.#handle(consumer, wakeUp).finally(() => {
        consumer.running.delete(done);
        this.#deliver();
      });
      consumer.running.add(done);
      if (this.#consumers.delete(consumer)) this.#consumers.add(consumer); // the other consumers come first
    }
  }

  async #handle(consumer: LocalConsumer, wakeUp: WakeUp): Promise<void> {
    const { sessionId } = wakeUp;
    try {
      await consumer.handler(wakeUp);
    } catch (error) {
      consumer.onError(error);
    } finally {
      const next = this.#active.get(sessionId);
      this.#active.delete(sessionId);
      if (next && !this.#isClosed) this.#add(next);
    }
  }
}

/**
 * A queue in the memory of this process: for tests, and for applications of one process. Wake-ups are lost with the process;
 * the sweep of the next worker finds the sessions again.
 *
 * @example
 * ```ts
 * import { fileStore } from "agentchart/store/file";
 * import { scriptedModel } from "agentchart/testing";
 * import { createDispatcher, createWorker, inProcessQueue } from "agentchart/worker";
 *
 * const backend = { queue: inProcessQueue(), store: fileStore({ dir: "./sessions" }) };
 * const agents = { desk: () => ({ name: "desk", model: scriptedModel(["Hello."]) }) };
 * await createWorker({ ...backend, agents }).start();
 * await createDispatcher(backend).dispatch("customer-42", "Hi.", { agent: "desk" });
 * ```
 */
export function inProcessQueue(): WakeQueue {
  return new InProcessQueue();
}

import { SignalListeners } from "./signal-listeners.ts";
import type { ConsumeOptions, Consumer, WakeOptions, WakeQueue, WakeUp } from "./port.ts";
import { checkWake, queueClosed } from "./queue-error.ts";

type LocalConsumer = {
  readonly handler: (wakeUp: WakeUp) => Promise<void>;
  readonly concurrency: number;
  readonly onError: (error: unknown) => void;
  running: Set<Promise<void>>;
};

/** So many wake-ups wait at most while nobody takes any: in a process that only dispatches nobody ever will. */
const MAX_UNCONSUMED = 10_000;
/** The longest delay a Node timer takes, ms. */
const LONGEST_DELAY_MS = 2 ** 31 - 1;

class InProcessQueue implements WakeQueue {
  /** In the order of delivery. */
  readonly #waiting: WakeUp[] = [];
  readonly #waitingIds = new Set<string>();
  /** Sessions that are handled, with the wake-up that came meanwhile. */
  readonly #active = new Map<string, WakeUp | undefined>();
  readonly #delayed = new Set<NodeJS.Timeout>();
  readonly #consumers = new Set<LocalConsumer>();
  readonly #listeners = new SignalListeners();
  #isClosed = false;

  async wake(sessionId: string, { priority = 0, delayMs = 0 }: WakeOptions = {}): Promise<void> {
    this.#assertOpen();
    checkWake({ priority, delayMs });
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
    const again = [...this.#active.values()].filter((wanted) => wanted !== undefined).length;
    return {
      waiting: this.#waiting.length + again,
      active: this.#active.size,
      delayed: this.#delayed.size,
    };
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const timer of this.#delayed) clearTimeout(timer);
    this.#delayed.clear();
    const running = [...this.#consumers].flatMap((taker) => [...taker.running]);
    this.#consumers.clear();
    await Promise.all(running);
  }

  #assertOpen(): void {
    if (this.#isClosed) throw queueClosed();
  }

  #later(wanted: WakeUp): void {
    const delay = Math.min(wanted.dueAt - Date.now(), LONGEST_DELAY_MS);
    const timer = setTimeout(() => {
      this.#delayed.delete(timer);
      if (wanted.dueAt > Date.now()) this.#later(wanted);
      else this.#add(wanted);
    }, delay);
    timer.unref();
    this.#delayed.add(timer);
  }

  #add(wanted: WakeUp): void {
    if (this.#waitingIds.has(wanted.sessionId)) return;
    if (this.#active.has(wanted.sessionId)) {
      this.#active.set(wanted.sessionId, wanted);
      return;
    }
    if (this.#consumers.size === 0 && this.#waiting.length >= MAX_UNCONSUMED) return;
    const before = this.#waiting.findLastIndex(({ priority }) => priority <= wanted.priority);
    this.#waiting.splice(before + 1, 0, wanted);
    this.#waitingIds.add(wanted.sessionId);
    queueMicrotask(() => this.#deliver());
  }

  #deliver(): void {
    for (;;) {
      const taker = [...this.#consumers].find(({ running, concurrency }) => running.size < concurrency);
      const wanted = taker && this.#waiting.shift();
      if (!taker || !wanted) return;
      this.#waitingIds.delete(wanted.sessionId);
      this.#active.set(wanted.sessionId, undefined);
      const done = this.#handle(taker, wanted).finally(() => {
        taker.running.delete(done);
        this.#deliver();
      });
      taker.running.add(done);
      if (this.#consumers.delete(taker)) this.#consumers.add(taker); // the next one's turn
    }
  }

  async #handle(taker: LocalConsumer, wakeUp: WakeUp): Promise<void> {
    const { sessionId } = wakeUp;
    try {
      await taker.handler(wakeUp);
    } catch (error) {
      taker.onError(error);
    } finally {
      const again = this.#active.get(sessionId);
      this.#active.delete(sessionId);
      if (again && !this.#isClosed) this.#add(again);
    }
  }
}

/** Wake-ups within this process: for tests, and for applications of one process. What waits is lost with it, and found again
 *  by the sweep of the next one. */
export function inProcessQueue(): WakeQueue {
  return new InProcessQueue();
}

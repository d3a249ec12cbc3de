// src/worker/queue delivers wake-ups of sessions to workers: over BullMQ on Postgres or Redis, or in process.
import type { JsonObject } from "../../core/base/json.ts";
import type { WakeStatement } from "../../store/port.ts";

export type { WakeStatement };

/** Options of {@link WakeQueue.wake}. */
export type WakeOptions = {
  /** An integer from 0 (default, first) to 2,097,152 (last). */
  readonly priority?: number | undefined;
  /** The wake-up is delivered no earlier than this many ms from now; default 0. It does not delay another wake-up of the
   *  session that is due earlier. */
  readonly delayMs?: number | undefined;
};

/** A wake-up as it is delivered. */
export type WakeUp = {
  readonly sessionId: string;
  /** Epoch ms at which it was due, on the clock of its sender. */
  readonly dueAt: number;
  /** As its sender set it. */
  readonly priority: number;
};

/** Options of {@link WakeQueue.consume}. */
export type ConsumeOptions = {
  /** The number of handlers that run at once; default 1. */
  readonly concurrency?: number | undefined;
  /** Called with errors of the transport, which recovers by itself, and with those that a handler rejects with. */
  readonly onError?: ((error: unknown) => void) | undefined;
};

/** A running consumer of wake-ups. */
export interface Consumer {
  /** Resolves when wake-ups can be delivered. Rejects `queue/failed` if the transport cannot be reached. */
  ready(): Promise<void>;
  /** Accepts no more wake-ups; resolves when the running handlers have ended. */
  close(): Promise<void>;
}

/** The numbers of wake-ups of all consumers together. */
export type QueueStats = {
  /** Due and not delivered. */
  readonly waiting: number;
  /** Delivered, with a running handler. */
  readonly active: number;
  /** Not due yet. */
  readonly delayed: number;
};

/**
 * Wakes workers for sessions. It carries session ids only: the work is in the store.
 *
 * Q1 A wake-up that was accepted is delivered at least once, to one consumer. A wake-up of a consumer that dies is delivered
 *    again. Correctness must not depend on this: a transport may lose a wake-up or deliver it twice, and workers handle both.
 * Q2 While a handler runs for a session, no handler of any consumer is called for that session, as far as the transport can
 *    tell. Wake-ups that come in the meantime are one wake-up, delivered when the handler has ended.
 * Q3 Wake-ups that wait for the same session are one wake-up.
 * Q4 A signal reaches the current subscribers, in the order in which one publisher sent them, or is lost.
 *
 * Errors are AgentErrors `queue/failed`; they hold no connection string.
 */
export interface WakeQueue {
  /** The shortest time between two signals of one session with events that are not stored, in ms; default 50. With 0, each is sent at
   *  once: for a transport within one process. */
  readonly signalMs?: number | undefined;
  /** Resolves when the wake-up is accepted. Rejects `config/invalid` for invalid options. */
  wake(sessionId: string, options?: WakeOptions): Promise<void>;
  /** Returns a statement that does what `wake` does, for a store in the same database to run together with what it stores. Resolves to
   *  undefined while there is none: then `wake` is called. */
  wakeStatement?(sessionId: string, options?: WakeOptions): Promise<WakeStatement | undefined>;
  /** Calls `handler` for each wake-up from now on. A wake-up whose handler rejects is not delivered again. */
  consume(handler: (wakeUp: WakeUp) => Promise<void>, options?: ConsumeOptions): Consumer;
  /** Sends a signal to the subscribers of a session. Never throws; a signal may be lost. */
  publish(sessionId: string, signal: JsonObject): void;
  /** Calls `listener` with the signals of a session, those of this process included, once the promise has resolved. Resolves
   *  to a function that unsubscribes. */
  subscribe(sessionId: string, listener: (signal: JsonObject) => void): Promise<() => void>;
  /** Returns how many wake-ups wait, run and are delayed. */
  stats(): Promise<QueueStats>;
  /** Closes the consumers, then the connections. Later calls reject `queue/failed`. */
  close(): Promise<void>;
}

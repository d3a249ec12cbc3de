// src/worker/queue delivers wake-ups of sessions to workers: over BullMQ on Postgres or Redis, or in process.
import type { JsonObject } from "../../base/json.ts";

export type WakeOptions = {
  /** A whole number from 0 (default, first) to 2,097,152 (last). */
  readonly priority?: number;
  /** Not before so many ms from now; default 0. A delayed wake-up never holds back one that is due earlier. */
  readonly delayMs?: number;
};

/** One wake-up as it is delivered. */
export type WakeUp = {
  readonly sessionId: string;
  /** Epoch ms since when it could have been delivered, on the clock of who asked for it. */
  readonly dueAt: number;
  /** As whoever asked for it said. */
  readonly priority: number;
};

export type ConsumeOptions = {
  /** Handlers that run at once; default 1. */
  readonly concurrency?: number;
  /** Hears of a transport that fails; it goes on by itself. */
  readonly onError?: (error: unknown) => void;
};

/** Somebody who takes wake-ups. */
export interface Consumer {
  /** Ends when wake-ups can be delivered. Rejects `queue/failed` if the transport cannot be reached. */
  ready(): Promise<void>;
  /** Takes no more wake-ups; ends when the handlers that run have ended. */
  close(): Promise<void>;
}

/** Wake-ups that are not delivered yet, all consumers together. */
export type QueueStats = {
  /** Due and not taken. */
  readonly waiting: number;
  /** Being handled. */
  readonly active: number;
  /** Not due yet. */
  readonly delayed: number;
};

/**
 * What tells workers that a session has something to do. It carries ids, never work: what to do stands in the store.
 *
 * Q1 A wake-up is delivered at least once, to one consumer, after it was accepted. A consumer that dies gives it back.
 *    Correctness must not rest on this: a transport may lose a wake-up or deliver it twice, and workers bear both.
 * Q2 While a handler runs for a session, no other handler of any consumer is given that session, as far as the transport
 *    can tell; wake-ups that come meanwhile are one wake-up, delivered when the handler has ended.
 * Q3 Wake-ups that wait for the same session are one wake-up.
 * Q4 Signals reach whoever subscribes at that moment, in the order one publisher sent them, or get lost.
 *
 * Errors are AgentErrors `queue/failed`; they hold no connection string.
 */
export interface WakeQueue {
  /** Ends when the wake-up is accepted. */
  wake(sessionId: string, options?: WakeOptions): Promise<void>;
  /** Hands wake-ups to `handler` from now on. One that rejects has had its wake-up all the same. */
  consume(handler: (wakeUp: WakeUp) => Promise<void>, options?: ConsumeOptions): Consumer;
  /** Tells whoever subscribes to this session. Never throws and is never waited for; what is lost is lost. */
  publish(sessionId: string, signal: JsonObject): void;
  /** Hears the signals of a session, those of this process too, once the promise has ended. Gives the way to stop. */
  subscribe(sessionId: string, listener: (signal: JsonObject) => void): Promise<() => void>;
  stats(): Promise<QueueStats>;
  /** Frees connections; consumers are closed first. Later calls reject `queue/failed`. */
  close(): Promise<void>;
}

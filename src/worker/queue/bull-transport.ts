import type { Job, Queue, Worker, WorkerOptions } from "bullmq";
import type { JsonObject } from "../../core/base/json.ts";

/** The data of a job: the key of a session. */
export type Ticket = { readonly sessionId: string };

/** The signals that wait for a server that does not answer; later ones are dropped. */
export const MAX_WAITING = 1_000;

/** Signals of a {@link WakeQueue}. */
export interface Signals {
  publish(sessionId: string, signal: JsonObject): Promise<void>;
  /** Once `late` is aborted nobody waits for it any more: the listener is forgotten. */
  subscribe(
    sessionId: string,
    listener: (signal: JsonObject) => void,
    late: AbortSignal,
  ): Promise<() => void>;
}

/** BullMQ on one database, with signals. */
export interface BullTransport {
  readonly queue: Queue<Ticket>;
  readonly signals: Signals;
  /** Returns the statement with which `add` would add a job; undefined if there is none. Absent: the transport has no SQL. */
  capture?(
    add: () => Promise<unknown>,
  ): Promise<{ readonly sql: string; readonly values: readonly unknown[] } | undefined>;
  consume(
    take: (job: Job<Ticket>) => Promise<void>,
    options: Omit<WorkerOptions, "connection">,
  ): Worker<Ticket>;
  close(): Promise<void>;
  /** Cuts the connections of a server that does not answer. */
  cut(): void;
}

/** Encodes a signal. */
export const encodeSignal = (signal: JsonObject): string => JSON.stringify(signal);
/** Decodes a signal; undefined for anything else. */
export function decodeSignal(text: string | undefined): JsonObject | undefined {
  try {
    return JSON.parse(text ?? "") as JsonObject;
  } catch {
    return undefined;
  }
}

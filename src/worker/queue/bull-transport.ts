import type { Job, Queue, Worker, WorkerOptions } from "bullmq";
import { AgentError } from "../../base/error.ts";
import type { JsonObject } from "../../base/json.ts";

export type Ticket = { readonly sessionId: string };

/** Best-effort messages between processes, by session. */
export interface Signals {
  publish(sessionId: string, signal: JsonObject): Promise<void>;
  subscribe(sessionId: string, listener: (signal: JsonObject) => void): Promise<() => void>;
}

/** BullMQ on one database. */
export interface BullTransport {
  readonly queue: Queue<Ticket>;
  readonly signals: Signals;
  consume(
    take: (job: Job<Ticket>) => Promise<void>,
    options: Omit<WorkerOptions, "connection">,
  ): Worker<Ticket>;
  close(): Promise<void>;
}

/** A package that only some need. Throws `config/invalid` with the way to install it. */
export async function loadPackage<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    throw new AgentError("config/invalid", `bullQueue needs the package ${name}: npm install ${name}`, {
      cause: error,
    });
  }
}

/** A signal as it is sent, and back; undefined for what is none. */
export const encodeSignal = (signal: JsonObject): string => JSON.stringify(signal);
export function decodeSignal(text: string | undefined): JsonObject | undefined {
  try {
    return JSON.parse(text ?? "") as JsonObject;
  } catch {
    return undefined;
  }
}

import crypto from "node:crypto";
import type { Client } from "pg";
import type { JsonObject } from "../../core/base/json.ts";
import { notifyKey, PostgresListener } from "../../store/postgres-listener.ts";
import type { PostgresPipeline } from "../../store/postgres-pipeline.ts";
import { decodeSignal, encodeSignal, MAX_WAITING, type Signals } from "./bull-transport.ts";

/** The longest payload that Postgres accepts is 8,000 bytes. */
const MAX_BYTES = 7_900;
/** Signals in one statement. */
const MAX_PER_QUERY = 100;

/** Signals as Postgres notifications. */
export class PostgresSignals implements Signals {
  readonly #pipeline: PostgresPipeline;
  readonly #listener: PostgresListener;
  readonly #channel: string;
  readonly #outbox: string[] = [];
  #sending: Promise<void> | undefined;
  #sent = 0;

  /** Queues of different names have channels of their own. `newClient` makes the one that listens. */
  constructor(pipeline: PostgresPipeline, newClient: () => Client, name: string) {
    this.#pipeline = pipeline;
    this.#channel = `agentchart_signals_${crypto.hash("md5", name)}`; // a name that needs no quotes
    this.#listener = new PostgresListener(this.#channel, newClient, { isKept: true });
  }

  close(): void {
    this.#listener.close();
  }

  async publish(sessionId: string, signal: JsonObject): Promise<void> {
    // Numbered, because Postgres delivers equal notifications of one transaction once.
    const payload = `${notifyKey(sessionId)}${++this.#sent} ${encodeSignal(signal)}`;
    if (Buffer.byteLength(payload) > MAX_BYTES || this.#outbox.length >= MAX_WAITING) return;
    this.#outbox.push(payload);
    this.#sending ??= this.#send().finally(() => (this.#sending = undefined));
    await this.#sending;
  }

  subscribe(...[sessionId, listener, late]: Parameters<Signals["subscribe"]>): Promise<() => void> {
    return new Promise((resolve) => {
      const stop = this.#listener.subscribe(notifyKey(sessionId), (payload) => {
        if (payload === undefined) return resolve(stop);
        const signal = decodeSignal(payload.slice(payload.indexOf(" ") + 1));
        try {
          if (signal) listener(signal);
        } catch {
          // A listener that throws does not affect the others.
        }
      });
      late.addEventListener("abort", stop);
    });
  }

  /** One statement at a time, so that the order is kept; each takes all signals that came meanwhile. */
  async #send(): Promise<void> {
    while (this.#outbox.length > 0) {
      const signals = this.#outbox.splice(0, MAX_PER_QUERY);
      await this.#pipeline.query({
        text: "SELECT pg_notify($1, p) FROM unnest($2::text[]) AS s (p)",
        values: [this.#channel, signals],
      });
    }
  }
}

import { hash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client, Pool } from "pg";
import { decodeSignal, encodeSignal, type Signals } from "./bull-transport.ts";
import { SignalListeners } from "./signal-listeners.ts";

/** Postgres takes no longer notification. */
const MAX_BYTES = 7_900;
const [MAX_PER_QUERY, MAX_WAITING] = [100, 1_000];
const [FIRST_DELAY_MS, MAX_DELAY_MS] = [50, 2_000];

/** Signals as notifications, heard by one connection while anybody listens; a lost one is replaced. */
class PostgresSignals implements Signals {
  readonly #pool: Pool;
  readonly #newClient: () => Client;
  readonly #name: string;
  readonly #listeners = new SignalListeners();
  readonly #outbox: (readonly [channel: string, text: string])[] = [];
  #sending: Promise<void> | undefined;
  #sent = 0;
  #lastQuery: Promise<unknown> = Promise.resolve();
  #client: Promise<Client> | undefined;
  #isClosed = false;

  constructor(pool: Pool, newClient: () => Client, name: string) {
    this.#pool = pool;
    this.#newClient = newClient;
    this.#name = name;
  }

  async publish(sessionId: string, signal: Parameters<Signals["publish"]>[1]): Promise<void> {
    const text = `${++this.#sent} ${encodeSignal(signal)}`; // equal ones of one transaction would be one
    if (Buffer.byteLength(text) > MAX_BYTES || this.#outbox.length >= MAX_WAITING) return;
    this.#outbox.push([this.#channelOf(sessionId), text]);
    this.#sending ??= this.#send().finally(() => (this.#sending = undefined));
    await this.#sending;
  }

  /** One statement at a time, so that the order stays; it takes all that came meanwhile. */
  async #send(): Promise<void> {
    while (this.#outbox.length > 0) {
      const signals = this.#outbox.splice(0, MAX_PER_QUERY);
      await this.#pool.query("SELECT pg_notify(c, p) FROM unnest($1::text[], $2::text[]) AS s (c, p)", [
        signals.map(([channel]) => channel),
        signals.map(([, text]) => text),
      ]);
    }
  }

  async subscribe(sessionId: string, listener: Parameters<Signals["subscribe"]>[1]): Promise<() => void> {
    const channel = this.#channelOf(sessionId);
    const own: typeof listener = (signal) => listener(signal);
    this.#listeners.add(channel, own);
    try {
      await this.#query(`LISTEN ${channel}`);
    } catch (error) {
      this.#listeners.remove(channel, own);
      throw error;
    }
    return () => {
      if (this.#listeners.remove(channel, own)) {
        if (this.#client) void this.#query(`UNLISTEN ${channel}`).catch(() => {});
      }
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const client = await this.#client?.catch(() => undefined);
    await client?.end().catch(() => {});
  }

  /** A plain name. */
  #channelOf(sessionId: string): string {
    return `agentchart_signals_${hash("md5", `${this.#name} ${sessionId}`)}`;
  }

  /** One after the other, as the driver wants it. */
  #query(sql: string): Promise<unknown> {
    const asked = this.#lastQuery.then(async () => (await this.#listening()).query(sql));
    this.#lastQuery = asked.catch(() => {});
    return asked;
  }

  #listening(): Promise<Client> {
    this.#client ??= this.#connect().catch((error: unknown) => {
      this.#client = undefined;
      throw error;
    });
    return this.#client;
  }

  async #connect(): Promise<Client> {
    const client = this.#newClient();
    let isLost = false;
    const lost = (): void => {
      if (isLost) return;
      isLost = true;
      this.#client = undefined;
      void this.#reconnect();
    };
    client.on("notification", ({ channel, payload }) => {
      const signal = decodeSignal(payload?.slice(payload.indexOf(" ") + 1));
      if (signal) this.#listeners.emit(channel, signal);
    });
    client.on("error", () => {});
    await client.connect();
    client.on("end", lost);
    for (const channel of this.#listeners.channels) await client.query(`LISTEN ${channel}`);
    return client;
  }

  async #reconnect(): Promise<void> {
    let delay = FIRST_DELAY_MS;
    while (!this.#isClosed && this.#listeners.channels.length > 0 && !this.#client) {
      await sleep(delay, undefined, { ref: false });
      await this.#listening().catch(() => {});
      delay = Math.min(delay * 2, MAX_DELAY_MS);
    }
  }
}

export function postgresSignals(
  pool: Pool,
  newClient: () => Client,
  name: string,
): Signals & { close(): Promise<void> } {
  return new PostgresSignals(pool, newClient, name);
}

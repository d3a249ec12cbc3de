import { setTimeout as sleep } from "node:timers/promises";
import type { Socket } from "node:net";
import type { Client } from "pg";

const [FIRST_DELAY_MS, MAX_DELAY_MS] = [50, 2_000];

/** The interval at which a connection that waits for notifications is asked whether it still stands. */
const PROBE_EVERY_MS = 10_000;

/** The listener that is called with the payload of a notification. It is called without one when LISTEN has taken effect on a new
 *  connection, because notifications may have been missed before. */
type OnNotify = (payload?: string) => void;

/** Notifications of any number of channels over one connection, which is opened for the first channel. When it is lost,
 *  another one takes its place. */
export class PostgresListener {
  readonly #newClient: () => Client | Promise<Client>;
  readonly #isKept: boolean;
  readonly #channels = new Map<string, Set<OnNotify>>();
  /** Channels for which LISTEN has taken effect on this connection. */
  readonly #listening = new Set<string>();
  #client: Client | undefined;
  #connecting: Promise<void> | undefined;
  #last: Promise<unknown> = Promise.resolve();
  readonly #stopped = new AbortController();

  /** `isKept`: the connection stays open while there are no channels. */
  constructor(newClient: () => Client | Promise<Client>, { isKept = false } = {}) {
    this.#newClient = newClient;
    this.#isKept = isKept;
  }

  /** Calls `onNotify` for the notifications of a channel, whose name must need no quotes. Returns a function that
   *  unsubscribes. */
  subscribe(channel: string, onNotify: OnNotify): () => void {
    const known = this.#channels.get(channel);
    const callbacks = known ?? new Set();
    callbacks.add(onNotify);
    this.#channels.set(channel, callbacks);
    if (this.#listening.has(channel)) queueMicrotask(() => callbacks.has(onNotify) && onNotify());
    else if (!this.#client) this.#ensure();
    else if (!known) this.#listen(this.#client, channel);
    return () => {
      callbacks.delete(onNotify);
      if (callbacks.size > 0 || this.#channels.get(channel) !== callbacks) return;
      this.#channels.delete(channel);
      this.#listening.delete(channel);
      if (this.#channels.size === 0 && !this.#isKept) this.#drop();
      else if (this.#client) void this.#query(this.#client, `UNLISTEN ${channel}`).catch(() => {});
    };
  }

  close(): void {
    this.#channels.clear();
    this.#stopped.abort();
    this.#drop();
  }

  #notify(channel: string, payload?: string): void {
    for (const onNotify of this.#channels.get(channel) ?? []) onNotify(payload);
  }

  /** A client takes one query at a time. */
  #query(client: Client, sql: string): Promise<unknown> {
    const query = (): Promise<unknown> => client.query(sql);
    return (this.#last = this.#last.then(query, query));
  }

  #listen(client: Client, channel: string): void {
    this.#query(client, `LISTEN ${channel}`).then(
      () => {
        if (this.#client !== client || !this.#channels.has(channel)) return;
        this.#listening.add(channel);
        this.#notify(channel);
      },
      () => {}, // the connection is lost, which `end` reports
    );
  }

  #ensure(): void {
    if (this.#client || this.#connecting) return;
    this.#connecting = this.#connect().finally(() => {
      this.#connecting = undefined;
      if (this.#channels.size > 0 && !this.#stopped.signal.aborted) this.#ensure();
    });
  }

  async #connect(): Promise<void> {
    const { signal } = this.#stopped;
    for (let delay = FIRST_DELAY_MS; this.#channels.size > 0; delay = Math.min(2 * delay, MAX_DELAY_MS)) {
      try {
        const client = await this.#newClient();
        client.on("error", () => {}); // followed by `end`
        await client.connect();
        this.#use(client);
        return;
      } catch {
        if (signal.aborted) return;
        await sleep(delay, undefined, { signal }).catch(() => {});
      }
    }
  }

  #use(client: Client): void {
    if (this.#channels.size === 0 || this.#stopped.signal.aborted) {
      void client.end().catch(() => {});
      return;
    }
    this.#client = client;
    const alive = setInterval(() => this.#probe(client), PROBE_EVERY_MS);
    alive.unref();
    client.once("end", () => clearInterval(alive));
    client.on("notification", ({ channel, payload = "" }) => this.#notify(channel, payload));
    client.once("end", () => {
      if (this.#client !== client) return;
      this.#client = undefined;
      this.#listening.clear();
      if (this.#channels.size > 0) this.#ensure();
    });
    for (const channel of this.#channels.keys()) this.#listen(client, channel);
  }

  /** Cuts a connection whose server does not answer; another one takes its place. */
  #probe(client: Client): void {
    const cut = (): void =>
      void (client as Client & { connection: { stream: Socket } }).connection.stream.destroy();
    this.#query(client, "SELECT 1").catch(cut);
  }

  #drop(): void {
    const client = this.#client;
    this.#client = undefined;
    this.#listening.clear();
    void client?.end().catch(() => {});
  }
}

import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "pg";

const [FIRST_DELAY_MS, MAX_DELAY_MS] = [50, 5_000];

/** Wakes whoever waits for a channel. One connection listens to all channels, only while there are any; when it is lost, another
 *  takes its place and everybody is woken, for something may have been missed. */
export class PostgresListener {
  readonly #newClient: () => Promise<Client>;
  readonly #channels = new Map<string, Set<() => void>>();
  #client: Client | undefined;
  #connecting: Promise<void> | undefined;
  readonly #stopped = new AbortController();

  constructor(newClient: () => Promise<Client>) {
    this.#newClient = newClient;
  }

  /** `channel` must be a plain name. Returns the way to stop. */
  subscribe(channel: string, wake: () => void): () => void {
    const known = this.#channels.get(channel);
    const wakes = known ?? new Set();
    wakes.add(wake);
    this.#channels.set(channel, wakes);
    if (!known && this.#client) this.#listen(this.#client, channel);
    else this.#ensure();
    return () => {
      wakes.delete(wake);
      if (wakes.size > 0 || this.#channels.get(channel) !== wakes) return;
      this.#channels.delete(channel);
      if (this.#channels.size === 0) this.#drop();
      else void this.#client?.query(`UNLISTEN "${channel}"`).catch(() => {});
    };
  }

  #wake(channel: string): void {
    for (const wake of this.#channels.get(channel) ?? []) wake();
  }

  #listen(client: Client, channel: string): void {
    client.query(`LISTEN "${channel}"`).then(
      () => this.#wake(channel),
      () => {}, // the client is lost, which its `end` says
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
    client.on("notification", ({ channel }) => this.#wake(channel));
    client.once("end", () => {
      if (this.#client !== client) return;
      this.#client = undefined;
      if (this.#channels.size > 0) this.#ensure();
    });
    for (const channel of this.#channels.keys()) this.#listen(client, channel);
  }

  #drop(): void {
    const client = this.#client;
    this.#client = undefined;
    void client?.end().catch(() => {});
  }

  close(): void {
    this.#channels.clear();
    this.#stopped.abort();
    this.#drop();
  }
}

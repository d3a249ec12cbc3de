import crypto from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "pg";
import { socketOf } from "./postgres-pipeline.ts";

const [FIRST_DELAY_MS, MAX_DELAY_MS] = [50, 2_000];

/** The interval at which a connection that waits for notifications is asked whether it still stands. */
const PROBE_EVERY_MS = 10_000;

/** The listener that is called with the rest of a notification. It is called without one when LISTEN has taken effect on a new
 *  connection, because notifications may have been missed before. */
type OnNotify = (rest?: string) => void;

/** Returns the key under which a notification says whom it is for: of one length, whatever the session's id is. */
export const notifyKey = (sessionKey: string): string => crypto.hash("md5", sessionKey);

/** The length of a {@link notifyKey}. The rest of a notification follows it. */
const KEY_LENGTH = 32;

/** Notifications for any number of keys over one connection, which is opened for the first of them. When it is lost, another one takes its
 *  place. All come over one channel, so that a LISTEN has the same text for every session, and a connection needs one. */
export class PostgresListener {
  readonly #channel: string;
  readonly #newClient: () => Client | Promise<Client>;
  readonly #isKept: boolean;
  readonly #keys = new Map<string, Set<OnNotify>>();
  /** LISTEN has taken effect on this connection. */
  #isListening = false;
  #client: Client | undefined;
  #connecting: Promise<void> | undefined;
  #last: Promise<unknown> = Promise.resolve();
  readonly #stopped = new AbortController();

  /** `channel`: a name that needs no quotes. `isKept`: the connection stays open while nobody has subscribed. */
  constructor(
    channel: string,
    newClient: () => Client | Promise<Client>,
    { isKept = false }: { readonly isKept?: boolean } = {},
  ) {
    this.#channel = channel;
    this.#newClient = newClient;
    this.#isKept = isKept;
  }

  /** Calls `onNotify` for the notifications with a {@link notifyKey}. Returns a function that unsubscribes. */
  subscribe(key: string, onNotify: OnNotify): () => void {
    const callbacks = this.#keys.get(key) ?? new Set();
    callbacks.add(onNotify);
    this.#keys.set(key, callbacks);
    if (this.#isListening) queueMicrotask(() => callbacks.has(onNotify) && onNotify());
    else this.#ensure();
    return () => {
      callbacks.delete(onNotify);
      if (callbacks.size > 0 || this.#keys.get(key) !== callbacks) return;
      this.#keys.delete(key);
      if (this.#keys.size === 0 && !this.#isKept) this.#drop();
    };
  }

  close(): void {
    this.#keys.clear();
    this.#stopped.abort();
    this.#drop();
  }

  #notify(payload: string): void {
    const callbacks = this.#keys.get(payload.slice(0, KEY_LENGTH));
    for (const onNotify of callbacks ?? []) onNotify(payload.slice(KEY_LENGTH));
  }

  /** A client takes one query at a time. */
  #query(client: Client, sql: string): Promise<unknown> {
    const query = (): Promise<unknown> => client.query(sql);
    return (this.#last = this.#last.then(query, query));
  }

  #listen(client: Client): void {
    this.#query(client, `LISTEN ${this.#channel}`).then(
      () => {
        if (this.#client !== client) return;
        this.#isListening = true;
        for (const callbacks of [...this.#keys.values()]) for (const onNotify of callbacks) onNotify();
      },
      () => {}, // the connection is lost, which `end` reports
    );
  }

  #ensure(): void {
    if (this.#client || this.#connecting) return;
    this.#connecting = this.#connect().finally(() => {
      this.#connecting = undefined;
      if (this.#keys.size > 0 && !this.#stopped.signal.aborted) this.#ensure();
    });
  }

  async #connect(): Promise<void> {
    const { signal } = this.#stopped;
    for (let delay = FIRST_DELAY_MS; this.#keys.size > 0; delay = Math.min(2 * delay, MAX_DELAY_MS)) {
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
    if (this.#keys.size === 0 || this.#stopped.signal.aborted) {
      void client.end().catch(() => {});
      return;
    }
    this.#client = client;
    const alive = setInterval(() => this.#probe(client), PROBE_EVERY_MS);
    alive.unref();
    client.once("end", () => clearInterval(alive));
    client.on("notification", ({ payload = "" }) => this.#notify(payload));
    client.once("end", () => {
      if (this.#client !== client) return;
      this.#client = undefined;
      this.#isListening = false;
      if (this.#keys.size > 0) this.#ensure();
    });
    this.#listen(client);
  }

  /** Cuts a connection whose server does not answer; another one takes its place. */
  #probe(client: Client): void {
    const cut = (): void => void socketOf(client).destroy();
    this.#query(client, "SELECT 1").catch(cut);
  }

  #drop(): void {
    const client = this.#client;
    this.#client = undefined;
    this.#isListening = false;
    void client?.end().catch(() => {});
  }
}

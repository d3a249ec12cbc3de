import * as s from "../../core/base/option-schema.ts";
import { guarded } from "../../core/base/guarded.ts";
import { unref } from "../../core/base/time.ts";
import type { HubAddress } from "../protocol/hub-address.ts";
import type { HubToWorker } from "../protocol/protocol.ts";
import type { HubSocket, OpenSocket } from "./hub-socket.ts";
import type { MessageParts } from "./run-sender.ts";

/** Options of {@link HubConnection}. */
export type HubConnectionOptions = {
  /** Resolves to the address of the hub, or to undefined if none is running. */
  readonly find: () => Promise<HubAddress | undefined>;
  readonly open: OpenSocket;
  /** Creates the first message from the hub's token. */
  readonly hello: (token: string) => string;
  /** Is called with each message of the hub. */
  readonly onMessage: (message: HubToWorker) => void;
  /** Is called when a connection has ended, with the code of WebSocket. */
  readonly onClose?: (code: number) => void;
  /** Bounds of the delay before the next attempt, ms. */
  readonly retryMs: readonly [min: number, max: number];
};

const isRange = (value: unknown): boolean => {
  const [min, max, ...more] = Array.isArray(value) ? (value as readonly unknown[]) : [];
  return typeof min === "number" && typeof max === "number" && 0 < min && min <= max && more.length === 0;
};

/** The schema of {@link HubConnectionOptions.retryMs}. */
export const retrySchema = (): s.OptionSchema<HubConnectionOptions["retryMs"]> =>
  s.value(isRange, "[min, max]: two numbers above 0, the smaller one first");

/**
 * A connection to a hub that may start later, stop, and start again.
 *
 * C1 It never keeps the process alive and never throws.
 * C2 Without a hub it tries again with exponential back-off, silently.
 */
export class HubConnection {
  readonly #options: HubConnectionOptions;
  #socket: HubSocket | undefined;
  #isReady = false;
  #isClosed = false;
  #failures = 0;
  #retry: NodeJS.Timeout | undefined;
  /** The current attempt to connect. */
  #attempt: Promise<void> = Promise.resolve();

  constructor(options: HubConnectionOptions) {
    this.#options = options;
    this.#connect();
  }

  /** True after the hub's `welcome`. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** The number of bytes that are buffered and not sent yet. */
  get bufferedBytes(): number {
    return this.#socket?.bufferedBytes ?? 0;
  }

  /** Sends a text message; its parts may be strings or UTF-8 bytes. */
  send(...parts: MessageParts): void {
    if (this.#isReady) this.#socket?.send(parts);
  }

  /** Resolves when the current attempt to connect has ended. */
  async attempted(): Promise<void> {
    await this.#attempt;
  }

  /** Resolves when the hub has read everything that was sent. */
  async drained(): Promise<void> {
    if (this.#isReady) await this.#socket?.drained();
  }

  /** Closes the connection and makes no further attempts. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    this.#socket?.terminate();
  }

  #connect(): void {
    this.#attempt = this.#openSocket().catch(() => this.#retryLater());
  }

  async #openSocket(): Promise<void> {
    const { find, open, hello, onClose } = this.#options;
    const address = await find();
    if (this.#isClosed) return;
    if (!address) return this.#retryLater();
    const { promise, resolve } = Promise.withResolvers<void>();
    const socket = await open(address, {
      opened: () => {
        const first = guarded(() => hello(address.token));
        if (first === undefined) socket.terminate();
        else socket.send([first]);
      },
      message: (text) => {
        this.#receive(text);
        if (this.#isReady) resolve();
      },
      closed: (code) => {
        this.#socket = undefined;
        this.#isReady = false;
        onClose?.(code);
        this.#retryLater();
        resolve();
      },
    });
    this.#socket = socket;
    if (this.#isClosed) socket.terminate();
    await promise;
  }

  #receive(text: string): void {
    // what is not a message of a hub has no effect
    guarded(() => {
      const message = JSON.parse(text) as HubToWorker;
      if (message.type === "welcome") {
        this.#isReady = true;
        this.#failures = 0;
      }
      this.#options.onMessage(message);
    });
  }

  #retryLater(): void {
    if (this.#isClosed) return;
    const [min, max] = this.#options.retryMs;
    const delay = Math.min(max, min * 2 ** this.#failures++);
    clearTimeout(this.#retry);
    this.#retry = unref(setTimeout(() => this.#connect(), delay * (0.5 + Math.random() / 2)));
  }
}

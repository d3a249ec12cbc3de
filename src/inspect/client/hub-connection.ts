import { connect } from "node:net";
import type { ClientOptions, WebSocket } from "ws";
import { guarded } from "../../core/base/guarded.ts";
import type { HubAddress } from "../protocol/hub-address.ts";
import type { HubToWorker } from "../protocol/protocol.ts";

/** Options of {@link HubConnection}. */
export type HubConnectionOptions = {
  /** Resolves to the address of the hub, or to undefined if none is running. */
  readonly find: () => Promise<HubAddress | undefined>;
  /** Creates the first message from the hub's token. */
  readonly hello: (token: string) => string;
  /** Is called with each message of the hub. */
  readonly onMessage: (message: HubToWorker) => void;
  /** Bounds of the delay before the next attempt, ms. */
  readonly retryMs: readonly [min: number, max: number];
};

const CONNECT_TIMEOUT_MS = 5_000;
/** A hub that sends nothing for this time is considered lost; it pings every 15 s. */
const SILENCE_TIMEOUT_MS = 40_000;

/**
 * A connection to a hub that may start later, stop, and start again.
 *
 * C1 It never keeps the process alive and never throws.
 * C2 Without a hub it tries again with exponential back-off, silently.
 */
export class HubConnection {
  readonly #options: HubConnectionOptions;
  #socket: WebSocket | undefined;
  #isReady = false;
  #isClosed = false;
  #failures = 0;
  #retry: NodeJS.Timeout | undefined;
  #silence: NodeJS.Timeout | undefined;
  /** The current attempt to connect. */
  #attempt: Promise<void> = Promise.resolve();
  readonly #pongs: (() => void)[] = [];

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
    return this.#socket?.bufferedAmount ?? 0;
  }

  /** Sends a text message; its parts may be strings or UTF-8 bytes. */
  send(...parts: readonly (string | Buffer)[]): void {
    if (!this.#isReady) return;
    for (const [index, part] of parts.entries())
      this.#socket?.send(part, { binary: false, fin: index === parts.length - 1 });
  }

  /** Resolves when the current attempt to connect has ended. */
  async attempted(): Promise<void> {
    await this.#attempt;
  }

  /** Resolves when the hub has read everything that was sent. */
  async drained(): Promise<void> {
    if (!this.#isReady) return;
    await new Promise<void>((resolve) => {
      this.#pongs.push(resolve);
      this.#socket?.ping();
    });
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
    const address = await this.#options.find();
    if (this.#isClosed) return;
    if (!address) return this.#retryLater();
    // Node's own WebSocket keeps the process alive, shows no pings and sends no message in parts
    const { WebSocket } = await import("ws");
    const url = new URL("/worker", address.url);
    const isInsecure = url.protocol === "http:";
    url.protocol = isInsecure ? "ws:" : "wss:";
    const options: ClientOptions = {
      handshakeTimeout: CONNECT_TIMEOUT_MS,
      perMessageDeflate: false,
      followRedirects: false,
      generateMask: () => {}, // masking protects proxies from browsers; ws skips a mask of zeros
      ...(isInsecure && {
        createConnection: connectUnreferenced as NonNullable<ClientOptions["createConnection"]>,
      }),
    };
    const socket = new WebSocket(url, options);
    this.#socket = socket;
    const { promise, resolve } = Promise.withResolvers<void>();
    socket.on("open", () => {
      const hello = guarded(() => this.#options.hello(address.token));
      if (hello === undefined) return socket.terminate();
      socket.send(hello);
      this.#resetSilenceTimer();
    });
    socket.on("ping", () => this.#resetSilenceTimer());
    socket.on("pong", () => this.#pongs.shift()?.());
    socket.on("message", (data) => {
      this.#resetSilenceTimer();
      this.#receive(String(data as Buffer));
      if (this.#isReady) resolve();
    });
    socket.on("error", () => {}); // a close event follows
    socket.on("close", () => {
      this.#onClose();
      resolve();
    });
    await promise;
  }

  #receive(text: string): void {
    // what is no message of a hub has no effect
    guarded(() => {
      const message = JSON.parse(text) as HubToWorker;
      if (message.type === "welcome") {
        this.#isReady = true;
        this.#failures = 0;
      }
      this.#options.onMessage(message);
    });
  }

  #onClose(): void {
    clearTimeout(this.#silence);
    this.#socket = undefined;
    this.#isReady = false;
    for (const resolve of this.#pongs.splice(0)) resolve();
    this.#retryLater();
  }

  #retryLater(): void {
    if (this.#isClosed) return;
    const [min, max] = this.#options.retryMs;
    const delay = Math.min(max, min * 2 ** this.#failures++);
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.#connect(), delay * (0.5 + Math.random() / 2)).unref();
  }

  #resetSilenceTimer(): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.#socket?.terminate(), SILENCE_TIMEOUT_MS).unref();
  }
}

/** Opens a socket that does not keep the process alive. */
function connectUnreferenced(options: {
  readonly host?: string;
  readonly port?: number | string;
}): ReturnType<typeof connect> {
  return connect({ host: options.host ?? "127.0.0.1", port: Number(options.port) }).unref();
}

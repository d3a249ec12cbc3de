import { connect } from "node:net";
import type { ClientOptions, WebSocket } from "ws";
import type { HubAddress } from "../protocol/address.ts";
import type { HubToWorker } from "../protocol/protocol.ts";

export type ConnectionOptions = {
  readonly find: () => Promise<HubAddress | undefined>;
  /** The first message, given the hub's token. */
  readonly hello: (token: string) => string;
  readonly heard: (message: HubToWorker) => void;
  /** Bounds of the pause before another try, ms. */
  readonly retryMs: readonly [least: number, most: number];
};

const CONNECT_MS = 5_000;
/** A hub that is silent for so long is gone; it pings every 15 s. */
const SILENT_MS = 40_000;

/**
 * The way to a hub that may come, go and come back.
 *
 * C1 It never keeps the process alive and never throws.
 * C2 While there is no hub it tries again, ever more rarely, and says nothing.
 */
export class Connection {
  readonly #options: ConnectionOptions;
  #socket: WebSocket | undefined;
  #isReady = false;
  #isClosed = false;
  #failures = 0;
  #retry: NodeJS.Timeout | undefined;
  #silence: NodeJS.Timeout | undefined;
  /** The try that is under way. */
  #trying: Promise<void> = Promise.resolve();
  readonly #pongs: (() => void)[] = [];

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#try();
  }

  /** True once the hub has welcomed us. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Bytes that are not on their way yet. */
  get waiting(): number {
    return this.#socket?.bufferedAmount ?? 0;
  }

  /** Sends a message of text, whose parts may be bytes already. */
  send(...parts: readonly (string | Buffer)[]): void {
    if (!this.#isReady) return;
    for (const [index, part] of parts.entries())
      this.#socket?.send(part, { binary: false, fin: index === parts.length - 1 });
  }

  /** Ends when a try that is under way has come to something. */
  async settled(): Promise<void> {
    await this.#trying;
  }

  /** Ends when the hub has read all that was sent. */
  async drained(): Promise<void> {
    if (!this.#isReady) return;
    await new Promise<void>((resolve) => {
      this.#pongs.push(resolve);
      this.#socket?.ping();
    });
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    this.#socket?.terminate();
  }

  #try(): void {
    this.#trying = this.#connect().catch(() => this.#later());
  }

  async #connect(): Promise<void> {
    const address = await this.#options.find();
    if (this.#isClosed) return;
    if (!address) return this.#later();
    const { WebSocket } = await import("ws");
    const url = new URL("/worker", address.url);
    const isPlain = url.protocol === "http:";
    url.protocol = isPlain ? "ws:" : "wss:";
    const options: ClientOptions = {
      handshakeTimeout: CONNECT_MS,
      perMessageDeflate: false,
      followRedirects: false,
      generateMask: () => {}, // masks guard against what browsers send through proxies; ws skips one of zeros
      ...(isPlain && { createConnection: unheld as NonNullable<ClientOptions["createConnection"]> }),
    };
    const socket = new WebSocket(url, options);
    this.#socket = socket;
    const { promise, resolve } = Promise.withResolvers<void>();
    socket.on("open", () => {
      socket.send(this.#options.hello(address.token));
      this.#listen();
    });
    socket.on("ping", () => this.#listen());
    socket.on("pong", () => this.#pongs.shift()?.());
    socket.on("message", (data) => {
      this.#listen();
      this.#take(String(data as Buffer));
      if (this.#isReady) resolve();
    });
    socket.on("error", () => {}); // it closes after that
    socket.on("close", () => {
      this.#lost();
      resolve();
    });
    await promise;
  }

  #take(text: string): void {
    try {
      const message = JSON.parse(text) as HubToWorker;
      if (message.type === "welcome") {
        this.#isReady = true;
        this.#failures = 0;
      }
      this.#options.heard(message);
    } catch {
      // not of our hub
    }
  }

  #lost(): void {
    clearTimeout(this.#silence);
    this.#socket = undefined;
    this.#isReady = false;
    for (const resolve of this.#pongs.splice(0)) resolve();
    this.#later();
  }

  #later(): void {
    if (this.#isClosed) return;
    const [least, most] = this.#options.retryMs;
    const pause = Math.min(most, least * 2 ** this.#failures++);
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.#try(), pause * (0.5 + Math.random() / 2)).unref();
  }

  #listen(): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.#socket?.terminate(), SILENT_MS).unref();
  }
}

/** A socket that does not keep its process alive. */
function unheld(options: {
  readonly host?: string;
  readonly port?: number | string;
}): ReturnType<typeof connect> {
  return connect({ host: options.host ?? "127.0.0.1", port: Number(options.port) }).unref();
}

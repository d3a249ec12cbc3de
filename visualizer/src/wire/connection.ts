import { NO_HELLO, PROTOCOL, type HubToPage, type PageToHub } from "./types.ts";

/** The callbacks of a {@link Connection}. */
export type ConnectionEvents = {
  open(welcome: Extract<HubToPage, { type: "welcome" }>): void;
  message(message: HubToPage): void;
  /** The connection was lost; the next attempt is at `retryAt`, epoch ms. */
  lost(retryAt: number): void;
  /** The server refused the connection for good. */
  refused(reason: "token" | "version", serverVersion?: number): void;
};

const [CLOSED_TOKEN, CLOSED_TOO_MANY] = [4401, 4429];
const CLOSED_VERSION = 4406;
const MIN_RETRY_MS = 500;
const MAX_RETRY_MS = 10_000;
/** A server that has been silent for so long is asked whether it is there, and has so long to answer, ms. */
const [SILENT_MS, ANSWER_MS] = [20_000, 10_000];

/** A connection to the server that reconnects with exponential back-off. */
export class Connection {
  readonly #address: string;
  readonly #token: string;
  readonly #events: ConnectionEvents;
  #socket: WebSocket | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #attempt = 0;
  #isRefused = false;
  #heardAt = 0;

  constructor(address: string, token: string, events: ConnectionEvents) {
    this.#address = address;
    this.#token = token;
    this.#events = events;
    setInterval(() => void this.#watch(), ANSWER_MS);
  }

  /** True while the page is connected and welcomed. */
  get isOpen(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  /** Connects immediately, without waiting for the next attempt. */
  connect(): void {
    clearTimeout(this.#timer);
    this.#socket?.close(); // it may still be connecting
    const socket = new WebSocket(this.#address);
    this.#socket = socket;
    socket.addEventListener("open", () => this.send({ type: "hello", token: this.#token, proto: PROTOCOL }));
    socket.addEventListener("message", ({ data }) => {
      if (socket !== this.#socket) return;
      this.#heardAt = Date.now();
      this.#receive(JSON.parse(String(data)) as HubToPage);
    });
    socket.addEventListener("close", ({ code, reason }) => {
      if (socket === this.#socket) this.#onClose(code, reason);
    });
  }

  /** Gives up a connection that nobody answers on: a network that is gone, or a server that hangs, closes nothing. */
  async #watch(): Promise<void> {
    const socket = this.#socket;
    const heardAt = this.#heardAt;
    if (!this.isOpen || Math.abs(Date.now() - heardAt) < SILENT_MS) return;
    try {
      await fetch("/", { method: "HEAD", cache: "no-store", signal: AbortSignal.timeout(ANSWER_MS) });
      this.#heardAt = Date.now();
    } catch {
      if (socket !== this.#socket || heardAt !== this.#heardAt || !this.isOpen) return;
      this.#socket = undefined;
      socket!.close();
      this.#onClose(0, "");
    }
  }

  /** Returns false without a connection; the message is lost then. */
  send(message: PageToHub): boolean {
    if (!this.isOpen) return false;
    this.#socket!.send(JSON.stringify(message));
    return true;
  }

  #receive(message: HubToPage): void {
    if (message.type !== "welcome") {
      this.#events.message(message);
      return;
    }
    if (message.proto !== PROTOCOL) {
      this.#refuse("version", message.proto);
      return;
    }
    this.#attempt = 0;
    this.#events.open(message);
  }

  #onClose(code: number, reason: string): void {
    if (this.#isRefused) return;
    const isWrongToken = code === CLOSED_TOO_MANY || (code === CLOSED_TOKEN && reason !== NO_HELLO);
    if (isWrongToken) this.#refuse("token");
    else if (code === CLOSED_VERSION) this.#refuse("version");
    else {
      const wait = Math.min(MAX_RETRY_MS, MIN_RETRY_MS * 2 ** this.#attempt++) * (0.75 + Math.random() / 2);
      this.#timer = setTimeout(() => this.connect(), wait);
      this.#events.lost(Date.now() + wait);
    }
  }

  #refuse(reason: "token" | "version", serverVersion?: number): void {
    this.#isRefused = true;
    this.#socket?.close();
    this.#events.refused(reason, serverVersion);
  }
}

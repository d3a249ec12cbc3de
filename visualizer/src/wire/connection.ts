import { NO_HELLO, PROTOCOL, type HubToPage, type PageToHub } from "./types.ts";

export type ConnectionEvents = {
  open(welcome: Extract<HubToPage, { type: "welcome" }>): void;
  message(message: HubToPage): void;
  /** It will be tried again at `retryAt`, epoch ms. */
  lost(retryAt: number): void;
  /** It will not be tried again. */
  refused(why: "token" | "version", theirs?: number): void;
};

const CODE_TOKEN = 4401;
const CODE_VERSION = 4406;
const FIRST_WAIT = 500;
const LONGEST_WAIT = 10_000;

/** A connection to the hub that comes back by itself, with growing pauses. */
export class Connection {
  readonly #address: string;
  readonly #token: string;
  readonly #events: ConnectionEvents;
  #socket: WebSocket | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #attempt = 0;
  #isOver = false;

  constructor(address: string, token: string, events: ConnectionEvents) {
    this.#address = address;
    this.#token = token;
    this.#events = events;
  }

  get isOpen(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  /** Connects now, also if it was to wait. */
  connect(): void {
    clearTimeout(this.#timer);
    const socket = new WebSocket(this.#address);
    this.#socket = socket;
    socket.addEventListener("open", () => this.send({ type: "hello", token: this.#token, proto: PROTOCOL }));
    socket.addEventListener("message", ({ data }) => this.#receive(JSON.parse(String(data)) as HubToPage));
    socket.addEventListener("close", ({ code, reason }) => {
      if (socket === this.#socket) this.#closed(code, reason);
    });
  }

  /** False if there is no connection: the message is lost. */
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

  #closed(code: number, reason: string): void {
    if (this.#isOver) return;
    if (code === CODE_TOKEN && reason !== NO_HELLO) this.#refuse("token");
    else if (code === CODE_VERSION) this.#refuse("version");
    else {
      const wait = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** this.#attempt++) * (0.75 + Math.random() / 2);
      this.#timer = setTimeout(() => this.connect(), wait);
      this.#events.lost(Date.now() + wait);
    }
  }

  #refuse(why: "token" | "version", theirs?: number): void {
    this.#isOver = true;
    this.#socket?.close();
    this.#events.refused(why, theirs);
  }
}

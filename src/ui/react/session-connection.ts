import type { AgentEvent } from "../../core/event/types.ts";
import type { MediaBlock, TextBlock } from "../../core/message/types.ts";
import type { ClientTool } from "../../core/tool/declared-tools.ts";
import type { Decision, PendingCall } from "../../core/tool/pending.ts";
import { isPassing, pause, SessionApi, type SessionAddress } from "./session-api.ts";
import { SessionError } from "./session-error.ts";
import { SessionFold, type SessionView } from "./session-fold.ts";

/** A session as a page reaches it. */
export type ConnectionOptions = SessionAddress & {
  /** The agent that the first message begins the session with. Without it, the session must exist. */
  readonly agent?: string | undefined;
  /** The tools that the page runs, declared with each message. Those that the agent lists in its `clientTools` are offered to the model,
   *  and a call of one is in `pending` until the page decides it with `{ answer }`. Default: none. */
  readonly clientTools?: readonly ClientTool[] | undefined;
};

/** A {@link SessionView}, and whether it is what the server has now. */
export type ConnectedView = SessionView & {
  /** False before the first answer of the server, and while the connection is lost: it is opened again by itself. */
  readonly isConnected: boolean;
};

/** The error with which a connection ends that had begun. */
const LOST = new SessionError("request/no-answer", 0, "The connection was lost.");
/** The events after which the server is asked what the session waits for. */
const RESTS: ReadonlySet<AgentEvent["type"]> = new Set(["pending", "turn.end", "input.refused"]);
const MIN_WAIT_MS = 500;
const MAX_WAIT_MS = 10_000;
/** The part of `window` in a browser that tells of the network. */
const page = globalThis as Partial<Pick<EventTarget, "addEventListener" | "removeEventListener">>;

/** The view before the server has answered. */
export const EMPTY_VIEW: ConnectedView = { ...new SessionFold().view, isConnected: false };

/** Follows a session while someone listens, and sends it commands. */
export class SessionConnection {
  #options: ConnectionOptions;
  readonly #api = new SessionApi(() => this.options);
  readonly #listeners = new Set<() => void>();
  #fold = new SessionFold();
  #isConnected = false;
  #view: ConnectedView | undefined = EMPTY_VIEW;
  #after: string | undefined;
  /** Ends the connection. */
  #ended = new AbortController();
  /** Ends a wait for the next attempt. */
  #woken = new AbortController();
  #isReading = false;
  #mustRead = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  get options(): ConnectionOptions {
    return this.#options;
  }

  /** May be replaced by options with the same `url` and `sessionId`. A new token is tried at once. */
  set options(options: ConnectionOptions) {
    const { token } = this.#options;
    this.#options = options;
    if (typeof options.token === "string" && options.token !== token) this.#wake();
  }

  /** Connects with the first listener, and disconnects when the last one leaves. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) void this.#follow();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#ended.abort();
    };
  };

  /** The view of now: the same object until something changes. */
  readonly getView = (): ConnectedView =>
    (this.#view ??= { ...this.#fold.view, isConnected: this.#isConnected });

  readonly send = async (input: string | readonly (TextBlock | MediaBlock)[]): Promise<void> => {
    const { agent, clientTools } = this.options;
    const more = { ...(agent !== undefined && { agent }), ...(clientTools && { clientTools }) };
    await this.#submit("/messages", { input, ...more });
    void this.#read(); // the message waits until a worker takes it up
    this.#wake();
  };

  readonly decide = async (call: PendingCall, decision: Decision): Promise<void> => {
    const { callId, argsHash } = call;
    try {
      await this.#submit("/decisions", { callId, decision, argsHash }, call);
    } finally {
      void this.#read(); // also after a refusal: what is shown is not what waits
    }
  };

  readonly steer = (input: string | readonly (TextBlock | MediaBlock)[]): Promise<void> =>
    this.#submit("/steer", { input });

  readonly interrupt = (message?: string): Promise<void> =>
    this.#post("/interrupt", message === undefined ? {} : { message });

  /** Sends what the session takes up: until then, it is submitted. */
  async #submit(path: string, body: object, call?: PendingCall): Promise<void> {
    this.#change(() => this.#fold.submit());
    await this.#post(path, body, call);
  }

  async #post(path: string, body: object, call?: PendingCall): Promise<void> {
    const fold = this.#fold;
    try {
      const inputId = await this.#api.post(path, body);
      this.#change(() => fold.accept(inputId, call));
    } catch (error) {
      this.#change(() => fold.fail(error as SessionError));
      throw error;
    }
  }

  async #follow(): Promise<void> {
    const { signal } = (this.#ended = new AbortController());
    const wake = (): void => this.#wake();
    page.addEventListener?.("online", wake);
    for (let wait = MIN_WAIT_MS; !signal.aborted; wait = Math.min(2 * wait, MAX_WAIT_MS)) {
      this.#woken = new AbortController();
      let isOpened = false;
      try {
        for await (const events of this.#api.events(this.#after, signal)) {
          if (signal.aborted) break;
          if (!isOpened) void this.#read();
          isOpened = true;
          wait = MIN_WAIT_MS;
          this.#take(events);
        }
        if (!signal.aborted) this.#connected(false);
      } catch (error) {
        if (signal.aborted || !this.#isPassing(error)) break;
      }
      if (isOpened) this.#woken = new AbortController(); // what came while it was open has been heard
      await pause(wait * (0.75 + Math.random() / 2), AbortSignal.any([signal, this.#woken.signal]));
    }
    page.removeEventListener?.("online", wake);
    if (this.#ended.signal !== signal) return;
    this.#ended.abort();
    this.#connected(false);
  }

  #take(events: readonly AgentEvent[]): void {
    this.#isConnected = true;
    this.#change(() => {
      for (const event of events) {
        this.#fold.push(event);
        this.#after = event.position ?? this.#after;
      }
    });
    const isNews = ({ type }: AgentEvent): boolean =>
      type === "input.refused" || (this.#fold.isSuspended && RESTS.has(type));
    if (events.some(isNews)) void this.#read();
  }

  /** Takes what ended an attempt to connect. Returns true if a later one may succeed. */
  #isPassing(error: unknown): boolean {
    const { status, code } = error instanceof SessionError ? error : LOST;
    const { agent, token } = this.options;
    const isNew = code === "session/not-found" && agent !== undefined;
    const isOther = this.#after !== undefined && (code === "session/not-found" || status === 400);
    if (isOther) [this.#after, this.#fold] = [undefined, new SessionFold()]; // it was deleted, and perhaps begun again
    this.#connected(isNew);
    if (isNew || isPassing(status) || (isOther && status === 400)) return true;
    if (status === 401 && typeof token === "function") return true; // the next token may be a new one
    this.#change(() => this.#fold.fail(error as SessionError));
    return false;
  }

  /** Asks what the session waits for: what others have decided is in no event. An answer that is on its way may be of before. */
  async #read(): Promise<void> {
    this.#mustRead = true;
    if (this.#isReading) return;
    this.#isReading = true;
    while (this.#mustRead) {
      this.#mustRead = false;
      const state = await this.#api.read().catch(() => undefined); // the events tell of a lost connection
      if (state) this.#change(() => this.#fold.take(state));
    }
    this.#isReading = false;
  }

  /** Connects now, also after a refusal. */
  #wake(): void {
    this.#woken.abort();
    if (this.#listeners.size === 0 || !this.#ended.signal.aborted) return;
    this.#change(() => this.#fold.forgive());
    void this.#follow();
  }

  #connected(isConnected: boolean): void {
    this.#change(() => (this.#isConnected = isConnected));
  }

  #change(change: () => void): void {
    change();
    this.#view = undefined;
    for (const listener of this.#listeners) listener();
  }
}

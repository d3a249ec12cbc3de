import { delayOf } from "../../core/base/time.ts";
import type { AgentEvent } from "../../core/event/types.ts";
import type { Msg } from "../../core/message/types.ts";
import type { PendingCall } from "../../core/tool/pending.ts";
import { badAnswer, errorOf, SessionError } from "./session-error.ts";
import { createParser } from "eventsource-parser";

/** The address of a session, and the credentials of who asks for it. */
export type SessionAddress = {
  /** The address of `agentchart serve`, or of what mounts it, such as "https://agents.example.com"; "" is the origin of the page. */
  readonly url: string;
  /** The id of the session: 1 to 200 characters. */
  readonly sessionId: string;
  /** The bearer token, or a function that returns the one of now, called for each request. Without it, requests carry what the browser
   *  adds, such as the cookies of the page's own origin. */
  readonly token?: string | (() => string | Promise<string>) | undefined;
  /** Time without a byte of the server after which the stream of events is opened again, in ms; default 45,000. The server sends one at
   *  least each `heartbeatMs`, by default 15,000. */
  readonly stallMs?: number | undefined;
};

/** The statement of the server about a session that rests. */
export type SessionState = {
  readonly phase: string;
  readonly seq: number;
  readonly pending: readonly PendingCall[];
  /** The messages of the user that no worker has accepted; absent: unknown. */
  readonly waiting?: readonly Msg[];
};

type SessionRequest = {
  readonly method?: string;
  readonly headers?: { readonly [name: string]: string };
  readonly body?: string;
  readonly signal?: AbortSignal;
};

const STALL_MS = 45_000;
/** The waits before a command is sent once more, ms. It has the same key then, so that the server takes it once. */
const RETRY_MS = [500, 1_000, 2_000];

/** True if a later request may get another answer: there was none, or the server cannot take it now. */
export const isPassing = (status: number): boolean => [0, 429, 500, 502, 503, 504].includes(status);

/** Resolves after this time, or when the signal aborts. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener("abort", end, { once: true });
  });
}

async function tokenOf(token: () => string | Promise<string>): Promise<string> {
  try {
    return await token();
  } catch (cause) {
    throw new SessionError("request/no-token", 0, "The function `token` has failed.", { cause });
  }
}

/** The routes of one session. Their errors are {@link SessionError}s. */
export class SessionApi {
  readonly #address: () => SessionAddress;

  /** `address` is asked at each request. */
  constructor(address: () => SessionAddress) {
    this.#address = address;
  }

  async read(): Promise<SessionState> {
    return (await jsonOf(await this.#fetch("", {}))) as SessionState;
  }

  /** Sends a command once, however often it is tried. Resolves with the id of the input that it is. */
  async post(path: string, body: object): Promise<string> {
    const headers = { "Content-Type": "application/json", "Idempotency-Key": randomId() };
    const request = { method: "POST", headers, body: JSON.stringify(body) };
    for (const wait of [...RETRY_MS, undefined]) {
      try {
        const { inputId } = (await jsonOf(await this.#fetch(path, request))) as { readonly inputId: string };
        return inputId;
      } catch (error) {
        if (wait === undefined || !(error instanceof SessionError) || !isPassing(error.status)) throw error;
        await pause(wait);
      }
    }
    throw new Error("unreachable");
  }

  /** The events after a position, as they arrive; it ends when the server ends the stream. */
  async *events(after: string | undefined, signal: AbortSignal): AsyncGenerator<readonly AgentEvent[]> {
    const stalled = new AbortController();
    const stallMs = delayOf(this.#address().stallMs ?? STALL_MS);
    const stall = (): void =>
      stalled.abort(new SessionError("request/no-answer", 0, "The stream has stalled."));
    let watch = setTimeout(stall, stallMs);
    try {
      const response = await this.#fetch("/events", {
        headers: { Accept: "text/event-stream", ...(after !== undefined && { "Last-Event-ID": after }) },
        signal: AbortSignal.any([signal, stalled.signal]),
      });
      if (!response.headers.get("Content-Type")?.startsWith("text/event-stream")) throw badAnswer(response);
      yield [];
      for await (const events of eventData(response)) {
        clearTimeout(watch);
        watch = setTimeout(stall, stallMs);
        if (events.length > 0) yield events.map((data) => JSON.parse(data) as AgentEvent);
      }
    } finally {
      clearTimeout(watch);
    }
  }

  async #fetch(path: string, init: SessionRequest): Promise<Response> {
    const { url, sessionId, token } = this.#address();
    const bearer = typeof token === "function" ? await tokenOf(token) : token;
    const headers = { ...init.headers, ...(bearer !== undefined && { Authorization: `Bearer ${bearer}` }) };
    const address = `${url.replace(/\/+$/u, "")}/v1/sessions/${encodeURIComponent(sessionId)}${path}`;
    const response = await fetch(address, { ...init, headers }).catch((cause: unknown) => {
      throw new SessionError("request/no-answer", 0, "The server does not answer.", { cause });
    });
    if (!response.ok) throw await errorOf(response);
    return response;
  }
}

/** The JSON of an answer. One that is not JSON comes from another server, such as the page of one that has no such route. */
async function jsonOf(response: Response): Promise<unknown> {
  const text = await response.text().catch((cause: unknown) => {
    throw new SessionError("request/no-answer", 0, "The answer was cut off.", { cause });
  });
  try {
    return JSON.parse(text);
  } catch {
    throw badAnswer(response);
  }
}

/** An id that cannot be guessed, in 32 hexadecimal digits. `crypto.randomUUID` is missing on pages of another machine without TLS. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The data of the server-sent events of a response, piece by piece as it arrives. A comment has none. */
export async function* eventData(response: Response): AsyncGenerator<readonly string[]> {
  let data: string[] = [];
  const parser = createParser({ onEvent: (event) => void data.push(event.data) });
  for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
    parser.feed(text);
    yield data;
    data = [];
  }
}

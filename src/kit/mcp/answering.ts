import { setImmediate } from "node:timers/promises";
import { parsedJson, isObject, type Json } from "../../core/base/json.ts";
import { CUT_OFF, errorAnswer, isAnswer, mendAnswer, mendAnswers } from "./mend-answer.ts";

const EVENT_END = /\r\n\r\n|\n\n|\r\r/g;
/** The maximum that is handed on at a time, in events and in characters. */
const MAX_EVENTS = 20;
const MAX_TEXT = 100_000;
/** From which length on each step with a message has a turn of its own, in characters. */
const LONG = 256 * 1024;
const LINE_END = /\r\n|\n|\r/;

/** Returns the ids of the requests in what is posted. */
export function requestIds(body: unknown): readonly Json[] {
  if (typeof body !== "string") return [];
  const posted = JSON.parse(body) as unknown;
  const messages: readonly unknown[] = Array.isArray(posted) ? posted : [posted];
  return messages.flatMap((message) =>
    isObject(message) && message["method"] !== undefined && message["id"] !== undefined
      ? [message["id"]]
      : [],
  );
}

const dataOf = (line: string): string[] =>
  line.startsWith("data:") ? [line.slice(line.startsWith("data: ") ? 6 : 5)] : [];

/** Reads the events of a stream, and says which requests they have not answered. */
class Events {
  readonly #open: Map<string, Json>;
  readonly #decoder = new TextDecoder();
  /** The text that has come and is not a whole event yet, and the last of it, in which an end may begin. */
  #parts: string[] = [];
  #tail = "";
  /** The text that has whole events. */
  #ready = "";
  /** Whether the stream can be gone on with where it was cut off. */
  #hasId = false;

  constructor(ids: readonly Json[]) {
    this.#open = new Map(ids.map((id) => [String(id), id]));
  }

  /** The length of the text that has whole events, in characters. */
  get size(): number {
    return this.#ready.length;
  }

  /** Takes what has come. Only the new part is searched, as an event may have any length. */
  add(chunk: Uint8Array): void {
    const text = this.#decoder.decode(chunk, { stream: true });
    this.#parts.push(text);
    const seam = this.#tail + text;
    this.#tail = seam.slice(-3);
    if (!/\r\n\r\n|\n\n|\r\r/.test(seam)) return;
    const all = this.#parts.join("");
    const end =
      Math.max(all.lastIndexOf("\n\n"), all.lastIndexOf("\r\r"), all.lastIndexOf("\r\n\r\n") + 2) + 2;
    this.#ready += all.slice(0, end);
    this.#parts = [all.slice(end)];
    this.#tail = this.#parts[0]!.slice(-3);
  }

  /** Returns the next whole events, with their answers mended; undefined if there are none yet. */
  next(): string | undefined {
    let text = "";
    let start = 0;
    EVENT_END.lastIndex = 0;
    for (let count = 0; count < MAX_EVENTS && text.length < MAX_TEXT; count++) {
      const end = EVENT_END.exec(this.#ready);
      if (!end) break;
      text += `${this.#mended(this.#ready.slice(start, end.index))}\n\n`;
      start = end.index + end[0].length;
    }
    this.#ready = this.#ready.slice(start);
    return text === "" ? undefined : text;
  }

  #mended(event: string): string {
    const lines = event.split(LINE_END);
    if (lines.some((line) => line.startsWith("id:"))) this.#hasId = true;
    const data = lines.flatMap(dataOf).join("\n");
    if (!/"(?:result|error|id)"\s*:/.test(data)) return event;
    const message = parsedJson(data);
    if (message === undefined) return event; // it is not a message
    const mended =
      this.#open.size === 1 && !hasId(message)
        ? mendAnswers(message, [...this.#open.values()])
        : mendAnswer(message);
    if (isAnswer(mended)) this.#open.delete(String(mended["id"]));
    if (mended === message) return event;
    const others = lines.filter((line) => !line.startsWith("data:"));
    return [...others, `data: ${JSON.stringify(mended)}`].join("\n");
  }

  /** Returns the errors of the requests that the stream has not answered before its end; none if it can be gone on with. */
  end(): string {
    if (this.#hasId) return "";
    const text = "The connection ended before the answer";
    return [...this.#open.values()]
      .map((id) => `data: ${JSON.stringify(errorAnswer(id, CUT_OFF, text))}\n\n`)
      .join("");
  }
}

/** True for what needs no id, or has one. */
const hasId = (message: unknown): boolean => !isAnswer(message) || (message["id"] ?? null) !== null;

function eventsOf(body: ReadableStream<Uint8Array> | null, ids: readonly Json[]): ReadableStream<Uint8Array> {
  const reader = body?.getReader();
  const events = new Events(ids);
  const encoder = new TextEncoder();
  const end = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    const text = events.end();
    if (text !== "") controller.enqueue(encoder.encode(text));
    controller.close();
  };
  return new ReadableStream({
    async pull(controller) {
      try {
        for (;;) {
          const text = events.next();
          if (text !== undefined) {
            await setImmediate(); // a server may write faster than messages are understood
            const bytes = encoder.encode(text);
            if (bytes.length > LONG) await setImmediate(); // and reading a long message is work enough
            return controller.enqueue(bytes);
          }
          const { done = true, value } = (await reader?.read()) ?? {};
          if (done || !value) return end(controller);
          events.add(value);
          if (events.size > LONG) await setImmediate();
        }
      } catch (error) {
        if (events.end() === "") controller.error(error);
        else end(controller);
      }
    },
    cancel: (reason) => reader?.cancel(reason),
  });
}

/** Returns a response whose answers have the form that the protocol has. Each of the requests has one as soon as the response has ended,
 *  however it did; a body that is not JSON rejects. */
export function answering(response: Response, ids: readonly Json[]): Response {
  const type = response.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (!response.ok || response.status === 202) return response;
  if (type === "text/event-stream") {
    const { status, statusText, headers } = response;
    return new Response(eventsOf(response.body, ids), { status, statusText, headers });
  }
  if (ids.length === 0 || type !== "application/json") return response;
  const read = response.json.bind(response);
  // a server of the same process may have replaced the class, whose methods are read-only then
  return Object.defineProperty(response, "json", { value: async () => mendAnswers(await read(), ids) });
}

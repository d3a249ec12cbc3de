import { createParser, type EventSourceMessage } from "eventsource-parser";
import type { Endpoint } from "../endpoint.ts";
import { badResponse } from "../model-error.ts";
import { WireError } from "../wire-error.ts";
import type { WireChunk } from "./wire.ts";

/** The data with which a server marks the end of a stream. */
export const DONE = "[DONE]";

/** What stands for a comment, with which a server keeps the connection open while the model has not answered. */
export const PING = "[PING]";

/** How long to wait after {@link DONE} for the server to end the response, so that the connection can be reused, ms. */
const LINGER_MS = 1_000;

/** A server-sent event: its data lines joined by "\n", and its name if it has one; or a comment. */
type SseEvent = Pick<EventSourceMessage, "event" | "data"> | typeof PING;

/** Finds the events in a body that arrives in pieces, cut at any place. */
interface BodyParser {
  /** Returns the events that `text` completes. */
  push(text: string): readonly SseEvent[];
  /** Returns the event that the end of the body completes. */
  end(): readonly SseEvent[];
}

/** Chunks that were received together, and the error that came after them. */
export type ChunkBatch = {
  readonly chunks: readonly (WireChunk | typeof DONE | typeof PING)[];
  readonly error?: unknown;
};

/** The chunks of one answer. */
export interface ChunkSource {
  /** Resolves with what was received next; undefined at the end, and at once when the signal aborts. Rejects with what the connection
   *  throws. */
  next(): Promise<ChunkBatch | undefined>;
  /** Frees the connection: for other calls if {@link DONE} was received, else by ending it. */
  close(): void;
}

/**
 * Returns the chunks of a response; {@link DONE} where the server marks the end. A response that is one JSON document is one chunk. The
 * error of a batch is a {@link WireError} for an error payload, and `model/bad-response` for what cannot be parsed. Throws
 * `model/bad-response` for a response without a body and for a web page.
 */
export function chunksOf(response: Response, endpoint: Endpoint, signal: AbortSignal): ChunkSource {
  const type = response.headers.get("content-type") ?? "";
  const reader = response.body?.getReader();
  if (!reader) throw badResponse("is empty.", endpoint);
  const cancel = () => void reader.cancel().catch(() => undefined);
  if (type.includes("html")) {
    cancel();
    throw badResponse("is a web page: check baseURL.", endpoint, false);
  }
  signal.addEventListener("abort", cancel, { once: true });
  const parser = type.includes("json") ? createWholeParser() : createEventParser();
  const decode = createDecoder();
  let isDone = false;
  let isOver = false;
  return {
    async next() {
      while (!isOver && !signal.aborted) {
        const { value, done } = await reader.read();
        const batch = batchOf(done ? parser.end() : parser.push(decode(value)), endpoint);
        isDone = batch.chunks.includes(DONE);
        isOver = isDone || done;
        if (batch.chunks.length > 0 || batch.error !== undefined) return batch;
      }
      return undefined;
    },
    close() {
      signal.removeEventListener("abort", cancel);
      if (isDone) linger(reader, cancel);
      else cancel();
    },
  };
}

/** For pieces that end with a whole character: it keeps nothing between them, so that all answers share it. */
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** Returns what decodes a body that arrives in pieces, cut at any byte. Once a character is cut in two, a decoder of the body's own
 *  keeps its first bytes. */
function createDecoder(): (piece: Uint8Array) => string {
  let own: InstanceType<typeof TextDecoder> | undefined;
  let isFirst = true;
  return (piece) => {
    const isAscii = (byte: number | undefined): boolean => byte === undefined || byte < 0x80;
    const mayBeMark = isFirst && !isAscii(piece[0]); // a byte order mark is no text
    if (!own && !mayBeMark && isAscii(piece.at(-1))) {
      isFirst &&= piece.length === 0;
      return utf8.decode(piece);
    }
    own ??= new TextDecoder("utf-8", { ignoreBOM: !isFirst });
    return own.decode(piece, { stream: true });
  };
}

/** Returns the chunks that a wrapped client gives. */
export function chunksFrom(chunks: AsyncIterable<unknown>): ChunkSource {
  const iterator = chunks[Symbol.asyncIterator]();
  let isOver = false;
  return {
    async next() {
      const { value, done } = await iterator.next();
      isOver = done === true;
      return isOver ? undefined : { chunks: [value as WireChunk] };
    },
    close() {
      if (!isOver) iterator.return?.().then(undefined, () => undefined);
    },
  };
}

function batchOf(events: readonly SseEvent[], endpoint: Endpoint): ChunkBatch {
  const chunks: (WireChunk | typeof DONE | typeof PING)[] = [];
  try {
    for (const event of events) {
      if (event === PING) chunks.push(PING);
      else if (event.data !== "") chunks.push(chunkOf(event.event, event.data, endpoint));
    }
  } catch (error) {
    return { chunks, error };
  }
  return { chunks };
}

function chunkOf(event: string | undefined, data: string, endpoint: Endpoint): WireChunk | typeof DONE {
  if (data === DONE) return DONE;
  let chunk: unknown;
  try {
    chunk = JSON.parse(data);
  } catch {
    throw badResponse(
      `contains something that is not JSON: ${JSON.stringify(data.slice(0, 300))}.`,
      endpoint,
    );
  }
  if (typeof chunk !== "object" || chunk === null) {
    throw badResponse(`contains something that is not a chunk: ${data.slice(0, 80)}.`, endpoint);
  }
  const { error } = chunk as WireChunk;
  if (error || event === "error") throw new WireError(error || chunk);
  return chunk;
}

/** Creates a parser for a stream of events. A body without any event is taken for one JSON document. */
function createEventParser(): BodyParser {
  let events: SseEvent[] = [];
  let body: string | undefined = "";
  const parser = createParser({
    onEvent: (event) => {
      body = undefined;
      events.push(event);
    },
    onComment: () => {
      body = undefined;
      events.push(PING);
    },
  });
  const push = (text: string): readonly SseEvent[] => {
    events = [];
    if (body !== undefined) body += text;
    parser.feed(text);
    return events;
  };
  const end = (): readonly SseEvent[] => {
    const whole = body;
    const last = push("\n\n"); // the last event may lack its blank line
    return last.length > 0 || !whole?.trim() ? last : wholeOf(whole);
  };
  return { push, end };
}

const wholeOf = (body: string): readonly SseEvent[] => [{ data: body }, { data: DONE }];

/** Creates a parser for a body that is one JSON document instead of a stream of events. */
function createWholeParser(): BodyParser {
  let whole = "";
  return {
    push(text) {
      whole += text;
      return [];
    },
    end: () => wholeOf(whole),
  };
}

/** Lets the server end the response, so that its connection can be reused for the next call. */
function linger(reader: ReadableStreamDefaultReader, cancel: () => void): void {
  const timer = setTimeout(cancel, LINGER_MS);
  reader.read().then(
    ({ done }) => {
      clearTimeout(timer);
      if (!done) cancel();
    },
    () => clearTimeout(timer),
  );
}

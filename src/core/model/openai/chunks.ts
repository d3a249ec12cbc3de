import { parsedJson } from "../../base/json.ts";
import { hideSecrets } from "../../base/secrets.ts";
import type { Endpoint } from "../endpoint.ts";
import { badResponse } from "../model-error.ts";
import { WireError } from "../wire-error.ts";
import { createBodyParser, DONE, PING, type SseEvent } from "./body-parser.ts";
import { errorOf, isErrorEvent } from "./stream-error.ts";
import type { WireChunk } from "./wire.ts";

export { DONE, PING };

/** The time to wait after {@link DONE} for the server to end the response, so that the connection can be reused, ms. */
const LINGER_MS = 1_000;

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
 * Returns the chunks of a response; {@link DONE} where the server marks the end. A response that is one JSON document is one chunk,
 * whatever its type is said to be. The error of a batch is a {@link WireError} for an error payload, and `model/bad-response` for what
 * cannot be parsed, such as a web page. Throws `model/bad-response` for a response without a body.
 */
export function chunksOf(response: Response, endpoint: Endpoint, signal: AbortSignal): ChunkSource {
  const reader = response.body?.getReader();
  if (!reader) throw badResponse("is empty.", endpoint);
  const cancel = () => void reader.cancel().catch(() => undefined);
  const refusePage = (): never => {
    throw badResponse("is a web page: check baseURL.", endpoint, false);
  };
  signal.addEventListener("abort", cancel, { once: true });
  const parser = createBodyParser(refusePage);
  const decode = createDecoder();
  let isDone = false;
  let isOver = false;
  return {
    async next() {
      while (!isOver && !signal.aborted) {
        const { value, done } = await reader.read();
        const batch = batchOf(() => (done ? parser.end() : parser.push(decode(value))), endpoint);
        isDone = batch.chunks.at(-1) === DONE;
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
    const mayBeMark = isFirst && !isAscii(piece[0]); // a byte order mark is not text
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

/** Reads no further than to the mark of the end. */
function batchOf(read: () => readonly SseEvent[], endpoint: Endpoint): ChunkBatch {
  const chunks: (WireChunk | typeof DONE | typeof PING)[] = [];
  try {
    for (const event of read()) {
      const chunk = event === PING ? PING : chunkOf(event.event, event.data.trim(), endpoint);
      chunks.push(chunk);
      if (chunk === DONE) break;
    }
  } catch (error) {
    return { chunks, error };
  }
  return { chunks };
}

/** The data with which servers and proxies keep a connection open: nothing, a comment, or a word for it. */
const KEEP_ALIVE = /^$|^:|^"?[[(]?(ping|pong|heart-?beat|keep-?alive)[\])]?"?$/i;
/** The mark of the end, as servers spell it. */
const END = /^"?\[done\]"?$/i;
/** The names of events that hold chunks, unless they are an error. Others are of proxies, and are read only if they hold a chunk. */
const CHUNK_EVENT = /^(message|data|chunk|delta|completion|chat\.completion(\.chunk)?|response(\..*)?)$/i;

function chunkOf(
  event: string | undefined,
  data: string,
  endpoint: Endpoint,
): WireChunk | typeof DONE | typeof PING {
  const isError = isErrorEvent(event);
  const isForeign = !isError && event !== undefined && event !== "" && !CHUNK_EVENT.test(event);
  if (!data.startsWith("{")) {
    if (END.test(data)) return DONE;
    if (!isError && KEEP_ALIVE.test(data)) return PING;
  }
  const chunk: unknown = parsedJson(data);
  if (chunk === undefined) {
    if (isError) throw new WireError(data);
    if (isForeign) return PING;
    throw badResponse(
      `contains something that is not JSON: ${JSON.stringify(hideSecrets(data, endpoint.secrets).slice(0, 300))}.`,
      endpoint,
    );
  }
  if (typeof chunk !== "object" || chunk === null) {
    if (isError) throw new WireError(chunk);
    if (isForeign) return PING;
    throw badResponse(
      `contains something that is not a chunk: ${hideSecrets(data, endpoint.secrets).slice(0, 80)}.`,
      endpoint,
    );
  }
  const { error } = chunk as WireChunk;
  if (error || isError) throw new WireError(error || chunk);
  return isForeign && !mayBeChunk(chunk) ? PING : chunk;
}

/** True for what may be a part of an answer, or an error, of either API. */
function mayBeChunk(chunk: object): boolean {
  const { choices, usage, type } = chunk as { readonly [name: string]: unknown };
  return (
    choices !== undefined || usage !== undefined || String(type).startsWith("response.") || !!errorOf(chunk)
  );
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

import { setImmediate } from "node:timers/promises";
import { AgentError } from "../../core/base/error.ts";

/** The size of what surrounds the content of a result in a message. */
export const MARGIN_BYTES = 64 * 1024;
/** The maximum number of names and values of JSON of a message: more take the main thread too long to read. */
const MAX_VALUES = 250_000;
/** The number of bytes that are counted before other things have their turn. */
const PART_BYTES = 256 * 1024;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const QUOTE = 34;
const BACKSLASH = 92;
/** The characters before a value or a name: , : [ { */
const BEFORE_VALUE: ReadonlySet<number> = new Set([44, 58, 91, 123]);

const refused = (what: string): AgentError =>
  new AgentError(
    "tool/failed",
    `A message of the server has more than ${what}. Ask for less. A call that it answers may have taken effect.`,
  );

/** Measures messages while they come, in the bytes of JSON text. */
export class MessageMeter {
  readonly #maxBytes: number;
  #bytes = 0;
  #values = 0;
  #isInString = false;
  #isEscaped = false;

  /** `maxBytes` is the size of the content of the largest message. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Counts one byte. */
  add(byte: number): void {
    this.#bytes++;
    if (this.#isInString) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BACKSLASH) this.#isEscaped = true;
      else if (byte === QUOTE || byte === LINE_FEED) this.#isInString = false;
    } else if (byte === QUOTE) this.#isInString = true;
    else if (BEFORE_VALUE.has(byte)) this.#values++;
  }

  /** The error of a message that is larger than it may be. */
  get problem(): AgentError | undefined {
    if (this.#bytes > this.#maxBytes + MARGIN_BYTES) return refused(`${this.#maxBytes} bytes`);
    return this.#values > MAX_VALUES ? refused(`${MAX_VALUES} values`) : undefined;
  }

  /** Begins the next message. */
  reset(): void {
    this.#bytes = 0;
    this.#values = 0;
    this.#isInString = false;
    this.#isEscaped = false;
  }
}

/** Returns a response whose body fails once a message in it is larger than it may be: the whole body, or one event of a stream of events. */
export function bounded(response: Response, max: number, onTooLarge: (error: AgentError) => void): Response {
  if (!response.body) return response;
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  const meter = new MessageMeter(max);
  let isLineEmpty = true;
  let counted = 0;
  const problemIn = (chunk: Uint8Array): AgentError | undefined => {
    for (const byte of chunk) {
      meter.add(byte);
      if (!isStream || byte === CARRIAGE_RETURN) continue;
      if (byte === LINE_FEED && isLineEmpty) {
        if (meter.problem) return meter.problem;
        meter.reset();
      }
      isLineEmpty = byte === LINE_FEED;
    }
    return meter.problem;
  };
  const body = response.body.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      async transform(chunk, controller) {
        for (let from = 0; from < chunk.length; from += PART_BYTES) {
          const part = chunk.subarray(from, from + PART_BYTES);
          const error = problemIn(part);
          if (error) {
            controller.error(error);
            return onTooLarge(error);
          }
          counted += part.length;
          if (counted < PART_BYTES) continue;
          counted = 0;
          await setImmediate(); // else all that has come is counted at once
        }
        controller.enqueue(chunk);
      },
    }),
  );
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}

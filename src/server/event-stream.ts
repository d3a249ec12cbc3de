import { delayOf } from "../core/base/time.ts";

/** The headers of a stream. The second one turns off the buffering of nginx. */
export const EVENT_STREAM = { "Content-Type": "text/event-stream", "X-Accel-Buffering": "no" };

/** Formats data as server-sent events. */
export async function* dataFrames(data: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const each of data) yield `data: ${JSON.stringify(each)}\n\n`;
}

export type EventStreamOptions = {
  /** Interval of the comments that keep the connection open, in ms. */
  readonly heartbeatMs: number;
  /** Heartbeats that a client may leave unread before it is disconnected; default 4. */
  readonly maxMissed?: number;
  /** Called once when the stream has ended, with the error that ended it, if any. */
  readonly onEnd?: (error?: unknown) => void;
};

/** A response body of server-sent events. It reads `events` as fast as the client reads the body, and aborts their signal when the
 *  client disconnects. If they fail, the body ends, so that the client reconnects. */
export function eventStream(
  events: (signal: AbortSignal) => AsyncIterable<string>,
  { heartbeatMs, maxMissed = 4, onEnd = () => {} }: EventStreamOptions,
): ReadableStream<Uint8Array> {
  const controller = new AbortController();
  const iterator = events(controller.signal)[Symbol.asyncIterator]();
  const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
  let heartbeat: NodeJS.Timeout | undefined;
  let missed = 0;
  const end = (error?: unknown): void => {
    if (controller.signal.aborted) return;
    controller.abort();
    clearInterval(heartbeat);
    onEnd(error);
  };
  return new ReadableStream<Uint8Array>({
    start(stream) {
      stream.enqueue(encode("retry: 1000\n\n"));
      heartbeat = setInterval(() => {
        missed = (stream.desiredSize ?? 0) > 0 ? 0 : missed + 1;
        if (missed > maxMissed) {
          end();
          stream.error(new Error("The client does not read the event stream."));
        } else if (missed === 0) stream.enqueue(encode(": alive\n\n"));
      }, delayOf(heartbeatMs));
    },
    async pull(stream) {
      try {
        const { value, done } = await iterator.next();
        if (controller.signal.aborted) return;
        if (!done) return stream.enqueue(encode(value));
        end();
        stream.close();
      } catch (error) {
        if (controller.signal.aborted) return;
        end(error);
        stream.close();
      }
    },
    async cancel() {
      end();
      await iterator.return?.();
    },
  });
}

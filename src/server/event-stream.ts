export type EventStreamOptions = {
  /** How often a comment shows that the connection lives, ms. */
  readonly heartbeatMs: number;
  /** Heartbeats that a reader may leave unread before it is given up. */
  readonly patience?: number;
  /** The stream is over, with what broke it if something did. */
  readonly onEnd?: (error?: unknown) => void;
};

/** A body of server-sent events. It reads as fast as its reader does, and stops reading when the reader goes. */
export function eventStream(
  frames: (signal: AbortSignal) => AsyncIterable<string>,
  { heartbeatMs, patience = 4, onEnd = () => {} }: EventStreamOptions,
): ReadableStream<Uint8Array> {
  const controller = new AbortController();
  const iterator = frames(controller.signal)[Symbol.asyncIterator]();
  const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
  let beating: NodeJS.Timeout | undefined;
  let missed = 0;
  const end = (error?: unknown): void => {
    if (controller.signal.aborted) return;
    controller.abort();
    clearInterval(beating);
    onEnd(error);
  };
  return new ReadableStream<Uint8Array>({
    start(stream) {
      stream.enqueue(encode("retry: 1000\n\n"));
      beating = setInterval(() => {
        missed = (stream.desiredSize ?? 0) > 0 ? 0 : missed + 1;
        if (missed > patience) {
          end();
          stream.error(new Error("The reader does not read."));
        } else if (missed === 0) stream.enqueue(encode(": alive\n\n"));
      }, heartbeatMs);
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
        stream.close(); // the reader comes back to where it was
      }
    },
    async cancel() {
      end();
      await iterator.return?.();
    },
  });
}

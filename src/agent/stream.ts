import { EventBuffer } from "../event/buffer.ts";
import type { AgentEvent } from "../event/types.ts";
import type { AgentStream, Reply } from "./types.ts";

/** The events between a run, which must not wait, and readers, which may be slow: unread deltas of one block or call are merged. */
class EventQueue {
  readonly #events = new EventBuffer();
  /** The readers that wait for the next event: a stream may have several. */
  #waiting: (() => void)[] = [];
  #isOver = false;

  push(event: AgentEvent): void {
    if (this.#isOver) return;
    this.#events.push(event);
    this.#wake();
  }

  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  /** Returns the first unread event, or a promise of the next one; undefined after the last. */
  next(): AgentEvent | undefined | Promise<AgentEvent | undefined> {
    return this.#events.shift() ?? (this.#isOver ? undefined : this.#later());
  }

  async #later(): Promise<AgentEvent | undefined> {
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.next();
  }

  #wake(): void {
    if (this.#waiting.length === 0) return;
    for (const wake of this.#waiting.splice(0)) wake();
  }
}

/** The agent of a stream. */
export type StreamSource<O> = {
  subscribe(listener: (event: AgentEvent) => void): () => void;
  /** Starts the turn; settles when the turn is over. */
  run(): Promise<Reply<O>>;
  /** The reader has left before the end. */
  onLeave(): void;
};

/** Returns a turn as a stream of events. The turn starts when the first event or the reply is requested; leaving the loop before the
 *  end interrupts it, unless the source lets it go on. */
export function createStream<O>(source: StreamSource<O>): AgentStream<O> {
  const queue = new EventQueue();
  let reply: Promise<Reply<O>> | undefined;
  let isOver = false;

  const start = (): Promise<Reply<O>> => {
    if (reply) return reply;
    const stop = source.subscribe((event) => {
      if (isOver) return; // an event of the next turn
      isOver = event.type === "turn.end"; // the turn may still have to be stored
      queue.push(event);
    });
    reply = source.run().finally(() => {
      isOver = true;
      stop();
      queue.end();
    });
    reply.catch(() => {});
    return reply;
  };

  async function* events(): AsyncGenerator<AgentEvent, void> {
    const running = start();
    try {
      for (;;) {
        const next = queue.next();
        const event = next instanceof Promise ? await next : next;
        if (!event) break;
        yield event;
      }
      await running;
    } finally {
      if (!isOver) source.onLeave();
    }
  }

  return {
    [Symbol.asyncIterator]: events,
    get reply() {
      return start();
    },
  };
}

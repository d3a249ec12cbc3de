import { EventBuffer } from "../event/buffer.ts";
import type { AgentEvent } from "../event/types.ts";
import type { AgentStream, Reply } from "./types.ts";

/** Events between a run that must not wait and a reader that may be slow: unread deltas of one block or call become one. */
class EventQueue {
  readonly #events = new EventBuffer();
  /** Those who wait for the next one: a stream may have several readers. */
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

  /** The first unread one; waits for one only where there is none, and gives nothing after the last. */
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

/** What a stream needs of its agent. */
export type StreamSource<O> = {
  subscribe(listener: (event: AgentEvent) => void): () => void;
  /** Starts the turn; settles when it is over. */
  run(): Promise<Reply<O>>;
  interrupt(): void;
};

/** A turn as a stream of events. It starts when the first event or the reply is asked for; leaving the loop early
 *  interrupts it. */
export function createStream<O>(source: StreamSource<O>): AgentStream<O> {
  const queue = new EventQueue();
  let reply: Promise<Reply<O>> | undefined;
  let isOver = false;

  const start = (): Promise<Reply<O>> => {
    if (reply) return reply;
    const stop = source.subscribe((event) => {
      if (isOver) return; // the turn after it is not this stream's
      isOver = event.type === "turn.end"; // what is left is to store it
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
      if (!isOver) source.interrupt();
    }
  }

  return {
    [Symbol.asyncIterator]: events,
    get reply() {
      return start();
    },
  };
}

import { EventBuffer } from "../event/buffer.ts";
import type { AgentEvent } from "../event/types.ts";
import { callerOf, errorOfWaiter } from "./caller.ts";
import type { AgentStream, Reply } from "./types.ts";

/** The events between a run, which must not wait, and readers, which may be slow: unread deltas of one block or call are merged. */
class EventQueue {
  readonly #events = new EventBuffer();
  /** Resolved when something has come, or nothing more will. */
  #moved: PromiseWithResolvers<void> | undefined;
  #isOver = false;

  /** True once nothing more will come; what has come may be unread. */
  get isOver(): boolean {
    return this.#isOver;
  }

  push(event: AgentEvent): void {
    if (this.#isOver) return;
    this.#events.push(event);
    this.#wake();
  }

  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  /** Removes and returns the first unread event; undefined if there is none. */
  shift(): AgentEvent | undefined {
    return this.#events.shift();
  }

  /** Resolves when something comes; at once if nothing more will. */
  moved(): Promise<void> | undefined {
    return this.#isOver ? undefined : (this.#moved ??= Promise.withResolvers<void>()).promise;
  }

  #wake(): void {
    this.#moved?.resolve();
    this.#moved = undefined;
  }
}

/** The agent of a stream. */
export type StreamSource<O> = {
  subscribe(listener: (event: AgentEvent) => void): () => void;
  /** Starts the turn; settles when the turn is over. It rejects with what the turn has failed with, which gets the frames of who reads
   *  the stream. */
  run(): Promise<Reply<O>>;
  /** The reader has left before the end. */
  onLeave(): void;
};

type Read = IteratorResult<AgentEvent, undefined>;

const DONE: Read = { done: true, value: undefined };

/** Returns a turn as a stream of events. The turn starts when the first event or the reply is requested; leaving the loop before the
 *  end interrupts it, unless the source lets it go on. */
export function createStream<O>(source: StreamSource<O>): AgentStream<O> {
  const queue = new EventQueue();
  let running: Promise<Reply<O>> | undefined;
  let reply: Promise<Reply<O>> | undefined;
  let isOver = false;

  const start = (): Promise<Reply<O>> => {
    if (running) return running;
    const stop = source.subscribe((event) => {
      if (isOver) return; // an event of the next turn
      isOver = event.type === "turn.end"; // the turn may still have to be stored
      queue.push(event);
    });
    running = source.run().finally(() => {
      isOver = true;
      stop();
      queue.end();
    });
    running.catch(() => {});
    return running;
  };

  const replyOf = (): Promise<Reply<O>> => {
    const forCaller = callerOf(replyOf);
    const promise = start().catch((thrown: unknown) => {
      throw forCaller(thrown);
    });
    promise.catch(() => {});
    return promise;
  };

  // An iterator by hand: a generator takes three ticks for an event, and there are many events.
  const events = (): AsyncIterator<AgentEvent, undefined> => {
    let hasBegun = false;
    let isRead = false;
    const later = async (): Promise<Read> => {
      while (!isRead) {
        await queue.moved();
        const value = queue.shift();
        if (value) return { done: false, value };
        if (!queue.isOver) continue; // another reader has it
        isRead = true;
        try {
          await running;
        } catch (thrown) {
          throw errorOfWaiter(thrown);
        }
      }
      return DONE;
    };
    return {
      next() {
        hasBegun = true;
        void start();
        const value = isRead ? undefined : queue.shift();
        return value ? Promise.resolve({ done: false, value }) : later();
      },
      async return(): Promise<Read> {
        if (hasBegun && !isRead && !isOver) source.onLeave();
        isRead = true;
        return DONE;
      },
    };
  };

  return {
    [Symbol.asyncIterator]: events,
    get reply() {
      return (reply ??= replyOf());
    },
  };
}

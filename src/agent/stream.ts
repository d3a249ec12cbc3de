import { EventBuffer } from "../core/event/buffer.ts";
import type { AgentEvent } from "../core/event/types.ts";
import { callerOf, errorOfWaiter } from "./call-limits.ts";
import type { Reply } from "./types.ts";

/** The agent of a stream. */
export type StreamSource<O> = {
  subscribe(listener: (event: AgentEvent) => void): () => void;
  /** Starts the turn; settles when the turn is over. It rejects with what the turn has failed with, which gets the frames of who reads
   *  the stream. */
  run(): Promise<Reply<O>>;
  /** The reader has left before the end. */
  onLeave(): void;
};

/** A turn that starts when somebody first wants something of it. Its events stand between a run, which must not wait, and readers, which
 *  may be slow: unread deltas of one block or call are merged. */
class StreamedTurn<O> {
  /** True once nothing more will come; what has come may be unread. */
  hasEnded = false;
  readonly #source: StreamSource<O>;
  readonly #events = new EventBuffer();
  /** Resolved when something has come, or nothing more will. */
  #moved: PromiseWithResolvers<void> | undefined;
  #running: Promise<Reply<O>> | undefined;
  #isOver = false;

  constructor(source: StreamSource<O>) {
    this.#source = source;
  }

  /** Starts the turn, once; settles when it is over. A listener that hears of its start may ask for it again. */
  start(): Promise<Reply<O>> {
    if (this.#running) return this.#running;
    const { promise, resolve } = Promise.withResolvers<Reply<O>>();
    promise.catch(() => {});
    this.#running = promise;
    resolve(this.#run());
    return promise;
  }

  async #run(): Promise<Reply<O>> {
    const stop = this.#source.subscribe((event) => {
      if (this.#isOver) return; // an event of the next turn
      this.#isOver = event.type === "turn.end"; // the turn may still have to be stored
      this.#events.push(event);
      this.#wake();
    });
    try {
      return await this.#source.run();
    } finally {
      this.#isOver = true;
      stop();
      this.hasEnded = true;
      this.#wake();
    }
  }

  /** Removes and returns the first unread event; undefined if there is none. */
  shift(): AgentEvent | undefined {
    return this.#events.shift();
  }

  /** Resolves when something comes; at once if nothing more will. */
  moved(): Promise<void> | undefined {
    return this.hasEnded ? undefined : (this.#moved ??= Promise.withResolvers<void>()).promise;
  }

  #wake(): void {
    this.#moved?.resolve();
    this.#moved = undefined;
  }

  /** A reader has left before it has read the end. */
  leave(): void {
    if (!this.#isOver) this.#source.onLeave();
    this.#wake(); // it may still wait for an event
  }
}

type Read = IteratorResult<AgentEvent, undefined>;

const DONE: Read = { done: true, value: undefined };

/** An iterator by hand: a generator takes three ticks for an event, and there are many events. */
class EventReader implements AsyncIterator<AgentEvent, undefined> {
  readonly #turn: StreamedTurn<unknown>;
  #hasBegun = false;
  #isRead = false;

  constructor(turn: StreamedTurn<unknown>) {
    this.#turn = turn;
  }

  next(): Promise<Read> {
    if (this.#isRead) return Promise.resolve(DONE);
    this.#hasBegun = true;
    void this.#turn.start();
    const value = this.#turn.shift();
    return value ? Promise.resolve({ done: false, value }) : this.#later();
  }

  async #later(): Promise<Read> {
    while (!this.#isRead) {
      await this.#turn.moved();
      if (this.#isRead) break; // it has left, or another one has read the end
      const value = this.#turn.shift();
      if (value) return { done: false, value };
      if (!this.#turn.hasEnded) continue; // another reader has it
      this.#isRead = true;
      try {
        await this.#turn.start();
      } catch (thrown) {
        throw errorOfWaiter(thrown);
      }
    }
    return DONE;
  }

  async return(): Promise<Read> {
    if (this.#hasBegun && !this.#isRead) this.#turn.leave();
    this.#isRead = true;
    return DONE;
  }
}

/** A turn as a stream of events. The turn starts when the first event or the reply is requested; leaving the loop before the end
 *  interrupts it, unless the source lets it go on. A class: V8 keeps the getter of a single object, and all that it reaches, until a
 *  full collection. */
export class TurnStream<O> implements AsyncIterable<AgentEvent> {
  readonly #turn: StreamedTurn<O>;
  #reply: Promise<Reply<O>> | undefined;

  constructor(source: StreamSource<O>) {
    this.#turn = new StreamedTurn(source);
  }

  [Symbol.asyncIterator](): AsyncIterator<AgentEvent, undefined> {
    return new EventReader(this.#turn);
  }

  get reply(): Promise<Reply<O>> {
    return (this.#reply ??= this.#replyOf());
  }

  #replyOf(): Promise<Reply<O>> {
    const forCaller = callerOf(this.#replyOf);
    const reply = this.#turn.start().catch((thrown: unknown) => {
      throw forCaller(thrown);
    });
    reply.catch(() => {});
    return reply;
  }
}

import type { MessagePort } from "node:worker_threads";
import { AgentError } from "../../core/base/error.ts";
import type { JsonObject } from "../../core/base/json.ts";
import type {
  ConsumeOptions,
  Consumer,
  QueueStats,
  WakeOptions,
  WakeQueue,
  WakeUp,
} from "../../worker/queue/port.ts";
import { queueClosed } from "../../worker/queue/queue-error.ts";
import { SignalListeners } from "../../worker/queue/signal-listeners.ts";
import type { FromQueue, QueueRequest, ToQueue } from "./queue-messages.ts";

type Handler = (wakeUp: WakeUp) => Promise<void>;
type ThreadConsumer = {
  readonly handler: Handler;
  readonly onError: (error: unknown) => void;
  readonly running: Set<Promise<void>>;
};
type Waiting = {
  readonly resolve: (stats: QueueStats | undefined) => void;
  readonly reject: (error: AgentError) => void;
};

/** The queue of the process as a thread of it has it: `serveQueue` is at the other end of the port. */
export class ThreadQueue implements WakeQueue {
  readonly signalMs = 0;
  readonly #port: MessagePort;
  readonly #consumers = new Map<number, ThreadConsumer>();
  readonly #listeners = new SignalListeners();
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #isClosed = false;

  constructor(port: MessagePort) {
    this.#port = port;
    port.on("message", (message: FromQueue) => this.#receive(message));
  }

  async wake(sessionId: string, options: WakeOptions = {}): Promise<void> {
    await this.#ask({ op: "wake", sessionId, options });
  }

  consume(handler: Handler, options: ConsumeOptions = {}): Consumer {
    if (this.#isClosed) throw queueClosed();
    const { concurrency = 1, onError = () => {} } = options;
    const id = ++this.#lastId;
    const consumer = { handler, onError, running: new Set<Promise<void>>() };
    this.#consumers.set(id, consumer);
    this.#send({ op: "consume", consumer: id, concurrency });
    return {
      ready: async () => {},
      close: async () => {
        if (this.#consumers.delete(id)) this.#send({ op: "leave", consumer: id });
        await Promise.all(consumer.running);
      },
    };
  }

  publish(sessionId: string, signal: JsonObject): void {
    if (!this.#isClosed) this.#send({ op: "publish", sessionId, signal });
  }

  async subscribe(sessionId: string, listener: (signal: JsonObject) => void): Promise<() => void> {
    if (this.#isClosed) throw queueClosed();
    const own = (signal: JsonObject): void => listener(signal);
    this.#listeners.add(sessionId, own);
    await this.#ask({ op: "listen", sessionId });
    return () => {
      if (this.#listeners.remove(sessionId, own)) this.#send({ op: "unlisten", sessionId });
    };
  }

  async stats(): Promise<QueueStats> {
    return (await this.#ask({ op: "stats" }))!;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const running = [...this.#consumers.values()].flatMap((consumer) => [...consumer.running]);
    for (const id of this.#consumers.keys()) this.#send({ op: "leave", consumer: id });
    this.#consumers.clear();
    await Promise.all(running);
    this.#port.close();
    for (const { reject } of this.#waiting.values()) reject(queueClosed());
    this.#waiting.clear();
  }

  #send(message: ToQueue): void {
    this.#port.postMessage(message, []);
  }

  #ask(request: QueueRequest): Promise<QueueStats | undefined> {
    if (this.#isClosed) return Promise.reject(queueClosed());
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#send({ ...request, id });
    });
  }

  #receive(message: FromQueue): void {
    if (message.op === "signal") return this.#listeners.emit(message.sessionId, message.signal);
    if (message.op === "deliver") return this.#deliver(message);
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    const { error, stats } = message;
    if (error) waiting?.reject(new AgentError(error.code, error.message));
    else waiting?.resolve(stats);
  }

  #deliver({ id, consumer: to, wakeUp }: Extract<FromQueue, { readonly op: "deliver" }>): void {
    const consumer = this.#consumers.get(to);
    const { sessionId, priority } = wakeUp;
    // It was sent before the consumer had left: another consumer gets it, once this delivery has ended.
    if (!consumer) this.#send({ op: "wake", id: ++this.#lastId, sessionId, options: { priority } });
    if (!consumer) return this.#send({ op: "handled", id });
    const done = consumer
      .handler(wakeUp)
      .catch(consumer.onError)
      .finally(() => {
        consumer.running.delete(done);
        this.#send({ op: "handled", id });
      });
    consumer.running.add(done);
  }
}

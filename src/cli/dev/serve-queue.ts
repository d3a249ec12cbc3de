import type { MessagePort } from "node:worker_threads";
import { errorInfo } from "../../core/base/error.ts";
import type { Consumer, QueueStats, WakeQueue, WakeUp } from "../../worker/queue/port.ts";
import type { FromQueue, QueueRequest, ToQueue } from "./queue-messages.ts";

type Delivery = { readonly wakeUp: WakeUp; readonly end: () => void };

/** The end of a thread's queue that lies in the process of the queue. */
class QueueServer {
  readonly #port: MessagePort;
  readonly #queue: WakeQueue;
  readonly #consumers = new Map<number, Consumer>();
  readonly #subscriptions = new Map<string, Promise<() => void>>();
  readonly #deliveries = new Map<number, Delivery>();
  #lastDelivery = 0;

  constructor(port: MessagePort, queue: WakeQueue) {
    this.#port = port;
    this.#queue = queue;
    port.on("message", (message: ToQueue) => this.#receive(message));
  }

  /** The thread has ended: what it was handling is delivered again. */
  close(): void {
    this.#port.close();
    for (const consumer of this.#consumers.values()) void consumer.close();
    for (const subscription of this.#subscriptions.values()) leave(subscription);
    for (const { wakeUp, end } of this.#deliveries.values()) {
      const { sessionId, priority } = wakeUp;
      void this.#queue.wake(sessionId, { priority }).catch(() => {}); // the queue is closed, too
      end();
    }
  }

  #send(message: FromQueue): void {
    this.#port.postMessage(message, []);
  }

  #receive(message: ToQueue): void {
    switch (message.op) {
      case "publish":
        return this.#queue.publish(message.sessionId, message.signal);
      case "unlisten":
        leave(this.#subscriptions.get(message.sessionId));
        return void this.#subscriptions.delete(message.sessionId);
      case "consume":
        return this.#consume(message.consumer, message.concurrency);
      case "leave":
        void this.#consumers.get(message.consumer)?.close();
        return void this.#consumers.delete(message.consumer);
      case "handled":
        return this.#deliveries.get(message.id)?.end();
      default:
        void this.#answer(message);
    }
  }

  #consume(consumer: number, concurrency: number): void {
    const handle = (wakeUp: WakeUp): Promise<void> => {
      const id = ++this.#lastDelivery;
      const { promise, resolve } = Promise.withResolvers<void>();
      const end = (): void => {
        this.#deliveries.delete(id);
        resolve();
      };
      this.#deliveries.set(id, { wakeUp, end });
      this.#send({ op: "deliver", id, consumer, wakeUp });
      return promise;
    };
    this.#consumers.set(consumer, this.#queue.consume(handle, { concurrency }));
  }

  async #answer({ id, ...request }: QueueRequest & { readonly id: number }): Promise<void> {
    try {
      const stats = await this.#do(request);
      this.#send({ op: "answer", id, ...(stats && { stats }) });
    } catch (error) {
      this.#send({ op: "answer", id, error: errorInfo(error, "queue/failed") });
    }
  }

  async #do(request: QueueRequest): Promise<QueueStats | undefined> {
    if (request.op === "stats") return this.#queue.stats();
    const { sessionId } = request;
    if (request.op === "wake") await this.#queue.wake(sessionId, request.options);
    else await this.#listen(sessionId);
    return undefined;
  }

  async #listen(sessionId: string): Promise<void> {
    const subscription =
      this.#subscriptions.get(sessionId) ??
      this.#queue.subscribe(sessionId, (signal) => this.#send({ op: "signal", sessionId, signal }));
    this.#subscriptions.set(sessionId, subscription);
    await subscription;
  }
}

function leave(subscription: Promise<() => void> | undefined): void {
  void subscription?.then((stop) => stop()).catch(() => {});
}

/** Lets the thread at the other end of a port use the queue. Returns a function to call when the thread has ended: then what it was
 *  handling is delivered again. */
export function serveQueue(port: MessagePort, queue: WakeQueue): () => void {
  const server = new QueueServer(port, queue);
  return () => server.close();
}

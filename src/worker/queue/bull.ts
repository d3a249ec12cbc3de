import crypto from "node:crypto";
import type { Job, JobsOptions, Worker } from "bullmq";
import { fromKey, toKey } from "../../store/session-id.ts";
import type { BullTransport, Ticket } from "./bull-transport.ts";
import { postgresTransport } from "./bull-postgres.ts";
import { redisTransport } from "./bull-redis.ts";
import type { ConsumeOptions, Consumer, WakeOptions, WakeQueue, WakeUp } from "./port.ts";
import { checkWake, queueClosed, queueFailed } from "./queue-error.ts";
import { AgentError } from "../../base/error.ts";

export type BullQueueOptions = {
  /** `redis://…`; needs the packages bullmq and ioredis. */
  readonly redis?: string;
  /** Instead, `postgres://…`; needs the packages bullmq and pg. The tables are in the schema `bullmq`, made when first used. */
  readonly postgres?: string;
  /** Queues of different names know nothing of each other; default `agentchart`. */
  readonly name?: string;
  /** How long a wake-up stays with a consumer that died, in ms, about twice that at most; default 5,000. */
  readonly lockMs?: number;
};

/** What a delayed wake-up becomes when it is due: one that is delivered at once. A delayed job would keep back others. */
const [WAKE_NOW, WAKE_LATER] = ["wake", "later"];
/** How long who asks waits for an answer: the first time, and for a wake-up later, which a sweep makes up for. */
const [ANSWER_WITHIN_MS, WAKE_WITHIN_MS] = [10_000, 2_000];
const KEEP_NOTHING = { removeOnComplete: true, removeOnFail: true } as const;
const NAME = /^[A-Za-z0-9_-]{1,50}$/u;

function transportOf({ redis, postgres, name = "agentchart", lockMs = 5_000 }: BullQueueOptions) {
  if ((redis === undefined) === (postgres === undefined)) {
    throw new AgentError(
      "config/invalid",
      "bullQueue needs either `redis` or `postgres`, a connection string.",
    );
  }
  if (!NAME.test(name)) {
    throw new AgentError("config/invalid", "bullQueue: `name` must be 1 to 50 letters, digits, - and _.");
  }
  if (!Number.isInteger(lockMs) || lockMs < 100) {
    throw new AgentError("config/invalid", "bullQueue: `lockMs` must be a whole number of at least 100.");
  }
  const make =
    redis === undefined ? () => postgresTransport(postgres!, name) : () => redisTransport(redis, name);
  return { make, lockMs };
}

async function withTimeout<T>(doing: string, work: Promise<T>, ms = ANSWER_WITHIN_MS): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(queueFailed(`${doing} in time`)), ms);
  try {
    return await Promise.race([work, late]);
  } catch (error) {
    throw queueFailed(doing, error);
  } finally {
    clearTimeout(timer);
  }
}

class BullQueue implements WakeQueue {
  readonly #make: () => Promise<BullTransport>;
  readonly #lockMs: number;
  readonly #consumers = new Set<Consumer>();
  #transport: Promise<BullTransport> | undefined;
  #hasConnected = false;
  #isClosed = false;

  constructor(options: BullQueueOptions) {
    const { make, lockMs } = transportOf(options);
    this.#make = make;
    this.#lockMs = lockMs;
  }

  async wake(sessionId: string, { priority = 0, delayMs = 0 }: WakeOptions = {}): Promise<void> {
    checkWake({ priority, delayMs });
    const ticket: Ticket = { sessionId: toKey(sessionId) };
    // One job that is active and at most one that waits, for each session.
    const deduplication = { id: crypto.hash("sha256", sessionId), keepLastIfActive: true };
    const options: JobsOptions = {
      priority,
      ...KEEP_NOTHING,
      ...(delayMs > 0 ? { delay: delayMs } : { deduplication }),
    };
    await withTimeout(
      "take a wake-up",
      this.#use(({ queue }) => queue.add(delayMs > 0 ? WAKE_LATER : WAKE_NOW, ticket, options)),
      this.#hasConnected ? WAKE_WITHIN_MS : ANSWER_WITHIN_MS,
    );
    this.#hasConnected = true;
  }

  consume(handler: (wakeUp: WakeUp) => Promise<void>, options: ConsumeOptions = {}): Consumer {
    const { concurrency = 1, onError = () => {} } = options;
    const process = async (job: Job<Ticket>): Promise<void> => {
      const sessionId = fromKey(job.data.sessionId);
      const { priority, timestamp, delay } = job;
      if (job.name === WAKE_LATER) return this.wake(sessionId, { priority });
      try {
        await handler({ sessionId, dueAt: timestamp + delay, priority });
      } catch (error) {
        onError(error);
      }
    };
    const started = this.#use(async (transport) => {
      const worker = transport.consume(process, {
        concurrency,
        autorun: false, // one that does not become ready would try again and again without a pause
        lockDuration: this.#lockMs,
        stalledInterval: this.#lockMs,
        maxStalledCount: 2 ** 31 - 1, // what Postgres takes; whether a session kills its workers is for the store to know
        runRetryDelay: 1_000,
        drainDelay: 5,
        ...KEEP_NOTHING_MORE,
      });
      worker.on("error", (error) => onError(queueFailed("be reached", error)));
      try {
        await worker.waitUntilReady();
      } catch (error) {
        worker.close(true).catch(() => {});
        throw error;
      }
      worker.run().catch(onError);
      return worker;
    });
    started.catch(() => {}); // ready() tells
    const consumer = {
      ready: () => withTimeout("be reached", started).then(() => {}),
      close: () => this.#end(consumer, started),
    };
    this.#consumers.add(consumer);
    return consumer;
  }

  publish(sessionId: string, signal: Parameters<WakeQueue["publish"]>[1]): void {
    if (this.#isClosed) return;
    void this.#use(({ signals }) => signals.publish(sessionId, signal)).catch(() => {});
  }

  async subscribe(sessionId: string, listener: Parameters<WakeQueue["subscribe"]>[1]): Promise<() => void> {
    const subscribed = this.#use(({ signals }) => signals.subscribe(sessionId, listener));
    try {
      return await withTimeout("subscribe", subscribed);
    } catch (error) {
      subscribed.then(
        (stop) => stop(), // it came too late
        () => {},
      );
      throw error;
    }
  }

  async stats(): ReturnType<WakeQueue["stats"]> {
    const counts = await withTimeout(
      "be counted",
      this.#use(({ queue }) => queue.getJobCounts("waiting", "prioritized", "active", "delayed")),
    );
    const { waiting = 0, prioritized = 0, active = 0, delayed = 0 } = counts;
    return { waiting: waiting + prioritized, active, delayed };
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    await Promise.all([...this.#consumers].map((consumer) => consumer.close()));
    this.#isClosed = true;
    const transport = await this.#transport?.catch(() => undefined);
    await transport?.close();
  }

  /** The transport is made when first used; a failure is tried again by the next use. */
  async #use<T>(work: (transport: BullTransport) => Promise<T> | T): Promise<T> {
    if (this.#isClosed) throw queueClosed();
    this.#transport ??= this.#make().catch((error: unknown) => {
      this.#transport = undefined;
      throw queueFailed("be reached", error);
    });
    return work(await this.#transport);
  }

  async #end(consumer: Consumer, started: Promise<Worker<Ticket>>): Promise<void> {
    const worker = await started.catch(() => undefined);
    await worker?.close();
    this.#consumers.delete(consumer);
  }
}

/** Workers' keep options have another shape than those of jobs. */
const KEEP_NOTHING_MORE = { removeOnComplete: { count: 0 }, removeOnFail: { count: 0 } } as const;

/** Wake-ups through BullMQ, on the Redis or the Postgres that is there anyway, for any number of machines. Connects when first
 *  used. Throws `config/invalid`, also for a package that is not installed. */
export function bullQueue(options: BullQueueOptions): WakeQueue {
  return new BullQueue(options);
}

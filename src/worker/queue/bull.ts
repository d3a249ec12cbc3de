import crypto from "node:crypto";
import type { Job, JobsOptions, Worker } from "bullmq";
import { fromKey, toKey } from "../../store/shared.ts";
import type { BullTransport, Ticket } from "./bull-transport.ts";
import { postgresTransport } from "./bull-postgres.ts";
import { redisTransport } from "./bull-redis.ts";
import type { ConsumeOptions, Consumer, WakeOptions, WakeQueue, WakeStatement, WakeUp } from "./port.ts";
import { queueClosed, queueFailed } from "./queue-error.ts";
import { wakeSchema } from "./wake-schema.ts";
import * as s from "../../core/base/option-schema.ts";
import { check } from "../../core/base/options.ts";

/** Options of {@link bullQueue}: either `redis` or `postgres`. */
export type BullQueueOptions = {
  /** `redis://…`; needs the packages bullmq and ioredis. */
  readonly redis?: string | undefined;
  /** `postgres://…`; needs the packages bullmq and pg. The tables are in the schema `agentchart_queue`, made when first used. */
  readonly postgres?: string | undefined;
  /** Queues of different names are independent; 1 to 50 letters, digits, `-` and `_`; default `agentchart`. */
  readonly name?: string | undefined;
  /** The time for which a wake-up stays with a consumer that died, ms, at least 100; default 2,500. It takes half as long again at most. A consumer whose process is
   *  blocked for longer loses it, too; the lease of the session keeps the other one from doing anything. */
  readonly lockMs?: number | undefined;
};

/** The names of jobs. A delayed job has a name of its own and adds an undelayed one when it is due: BullMQ would deduplicate
 *  other wake-ups of the session with it. */
const [WAKE_NOW, WAKE_LATER] = ["wake", "later"];
/** Time-outs of operations, ms. A wake-up on a known connection has a shorter one, because a sweep replaces a lost wake-up. */
const [TIMEOUT_MS, WAKE_TIMEOUT_MS, CLOSE_TIMEOUT_MS] = [10_000, 2_000, 2_000];
/** Completed and failed jobs are removed: the options of a job, and those of a worker. */
const KEEP_NOTHING = { removeOnComplete: true, removeOnFail: true } as const;
const WORKER_KEEP_NOTHING = { removeOnComplete: { count: 0 }, removeOnFail: { count: 0 } } as const;

/** The schema of {@link BullQueueOptions}. */
export const bullSchema = s.lazily(() =>
  s.restricted(
    s.options<BullQueueOptions>(
      {
        redis: s.optional(s.secret("a connection string")),
        postgres: s.optional(s.secret("a connection string")),
        name: s.optional(s.matching(/^[A-Za-z0-9_-]{1,50}$/u, "1 to 50 letters, digits, - and _")),
        lockMs: s.optional(s.integer(100)),
      },
      { what: "options, such as { redis } or { postgres }" },
    ),
    ({ redis, postgres }) => (redis === undefined) !== (postgres === undefined),
    "either `redis` or `postgres`, a connection string",
  ),
);

function transportOf(options: BullQueueOptions) {
  check(bullSchema(), options, "bullQueue");
  const { redis, postgres, name = "agentchart", lockMs = 2_500 } = options;
  const make =
    redis === undefined ? () => postgresTransport(postgres!, name) : () => redisTransport(redis, name);
  return { make, lockMs, database: postgres };
}

async function withTimeout<T>(operation: string, work: Promise<T>, ms = TIMEOUT_MS): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(queueFailed(`${operation} in time`)), ms);
  try {
    return await Promise.race([work, late]);
  } catch (error) {
    throw queueFailed(operation, error);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the name, the data and the options of the job for a wake-up: for each session one active job and at most one waiting job. */
function jobOf(
  sessionId: string,
  wakeOptions: WakeOptions,
): readonly [name: string, ticket: Ticket, options: JobsOptions] {
  check(wakeSchema(), wakeOptions, "wake");
  const { priority = 0, delayMs = 0 } = wakeOptions;
  const deduplication = { id: crypto.hash("sha256", sessionId), keepLastIfActive: true };
  const options: JobsOptions = {
    priority,
    ...KEEP_NOTHING,
    ...(delayMs > 0 ? { delay: delayMs } : { deduplication }),
  };
  return [delayMs > 0 ? WAKE_LATER : WAKE_NOW, { sessionId: toKey(sessionId) }, options];
}

class BullQueue implements WakeQueue {
  readonly #make: () => Promise<BullTransport>;
  readonly #lockMs: number;
  readonly #database: string | undefined;
  readonly #consumers = new Set<Consumer>();
  #transport: Promise<BullTransport> | undefined;
  /** The transport once it is connected. */
  #connected: BullTransport | undefined;
  #hasConnected = false;
  #isClosed = false;

  constructor(options: BullQueueOptions) {
    const { make, lockMs, database } = transportOf(options);
    this.#make = make;
    this.#lockMs = lockMs;
    this.#database = database;
  }

  async wake(sessionId: string, options: WakeOptions = {}): Promise<void> {
    const job = jobOf(sessionId, options);
    await withTimeout(
      "accept a wake-up",
      this.#use(({ queue }) => queue.add(...job)),
      this.#hasConnected ? WAKE_TIMEOUT_MS : TIMEOUT_MS,
    );
    this.#hasConnected = true;
  }

  async wakeStatement(sessionId: string, options: WakeOptions = {}): Promise<WakeStatement | undefined> {
    const job = jobOf(sessionId, options);
    const [database, transport] = [this.#database, this.#connected];
    if (database === undefined || !transport || this.#isClosed) return undefined; // nothing waits for a connection
    const found = await transport.capture?.(() => transport.queue.add(...job));
    return found && { database, ...found };
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
    const { promise: ended, reject: end } = Promise.withResolvers<never>();
    ended.catch(() => {});
    let isEnded = false;
    const start = async (transport: BullTransport): Promise<Worker<Ticket>> => {
      if (isEnded) throw queueClosed();
      const worker = transport.consume(process, {
        concurrency,
        autorun: false, // a worker that did not become ready would retry without a pause
        lockDuration: this.#lockMs,
        stalledInterval: Math.ceil(this.#lockMs / 2), // the first look after a lock has expired returns its wake-up
        maxStalledCount: 2 ** 31 - 1, // the maximum of Postgres; the store counts the workers that die with a session
        runRetryDelay: 1_000,
        drainDelay: 5,
        ...WORKER_KEEP_NOTHING,
      });
      worker.on("error", (error) => onError(queueFailed("be reached", error)));
      try {
        await Promise.race([worker.waitUntilReady(), ended]);
      } catch (error) {
        worker.close(true).catch(() => {});
        throw error;
      }
      worker.run().catch(onError);
      return worker;
    };
    const started = Promise.race([this.#use(start), ended]);
    started.catch(() => {}); // ready() reports it
    const consumer: Consumer = {
      ready: () => withTimeout("be reached", started).then(() => {}),
      close: async () => {
        isEnded = true;
        end(queueClosed()); // a server that is away is waited for no longer
        const worker = await started.catch(() => undefined);
        await worker?.close();
        this.#consumers.delete(consumer);
      },
    };
    this.#consumers.add(consumer);
    return consumer;
  }

  publish(sessionId: string, signal: Parameters<WakeQueue["publish"]>[1]): void {
    if (this.#isClosed) return;
    void this.#use(({ signals }) => signals.publish(sessionId, signal)).catch(() => {});
  }

  async subscribe(sessionId: string, listener: Parameters<WakeQueue["subscribe"]>[1]): Promise<() => void> {
    const late = new AbortController();
    const subscribed = this.#use(({ signals }) => {
      late.signal.throwIfAborted();
      return signals.subscribe(sessionId, listener, late.signal);
    });
    try {
      return await withTimeout("subscribe", subscribed);
    } catch (error) {
      late.abort();
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
    const consumers = [...this.#consumers].map((consumer) => consumer.close());
    const areClosed = await withTimeout("be closed", Promise.all(consumers)).then(
      () => true,
      () => false,
    );
    this.#isClosed = true;
    const transport = await this.#transport?.catch(() => undefined);
    if (!transport) return;
    if (!areClosed) transport.cut();
    await withTimeout("be closed", transport.close(), CLOSE_TIMEOUT_MS).catch(() => transport.cut());
  }

  /** Connects when first used. A failed attempt is repeated by the next use. */
  async #use<T>(work: (transport: BullTransport) => Promise<T> | T): Promise<T> {
    if (this.#isClosed) throw queueClosed();
    this.#transport ??= this.#make().catch((error: unknown) => {
      this.#transport = undefined;
      throw queueFailed("be reached", error);
    });
    this.#connected = await this.#transport;
    return work(this.#connected);
  }
}

/**
 * A queue on BullMQ, with Redis or Postgres, for any number of machines. It connects when first used. Throws `config/invalid`
 * for invalid options; the first call rejects `config/invalid` if a package is missing.
 *
 * @example
 * ```ts
 * import { bullQueue } from "agentchart/worker";
 *
 * const queue = bullQueue({ redis: "redis://localhost:6379", name: "desk" });
 * console.log(await queue.stats());
 * await queue.close();
 * ```
 */
export function bullQueue(options: BullQueueOptions): WakeQueue {
  return new BullQueue(options);
}

import { LRUCache } from "lru-cache";
import type { InboxAgent } from "../agent/inbox-agent.ts";
import { AgentError, errorInfo } from "../core/base/error.ts";
import { check } from "../core/base/options.ts";
import type { WakeUp } from "./queue/port.ts";
import { endsWithin } from "../store/deadlines.ts";
import { withDeadlines } from "../store/deadlines.ts";
import { retryingStore } from "../store/retrying.ts";
import type { Lease, SessionStore } from "../store/port.ts";
import { closeSchema, workerSchema } from "./option-schemas.ts";
import type { CachedSession, SessionCache } from "../session/cached-sessions.ts";
import type { Msg } from "../core/message/types.ts";
import { Permits, Places } from "./places.ts";
import { Report } from "./report.ts";
import { SessionJob } from "./session-job.ts";
import type { WorkerContext } from "./worker-context.ts";
import { Sweep } from "./sweep.ts";
import { createDispatcher } from "./dispatcher.ts";
import { isSchedule } from "../store/shared.ts";
import { runSchedule } from "./run-schedule.ts";
import { declareSchedules } from "./schedules.ts";
import type { Dispatcher, Worker, WorkerEvent, WorkerOptions, WorkerStats } from "./types.ts";
import { WakeUps } from "./wake-ups.ts";

/** The maximum time that sessions may take to be abandoned after the deadline of a drain, ms. */
const CLOSE_GRACE_MS = 2_000;
const DEFAULTS = {
  concurrency: 10,
  leaseMs: 10_000,
  pollMs: 1_000,
  sweepMs: 5_000,
  retryMs: 1_000,
  maxCrashes: 3,
  maxTries: 3,
  unknownAgentMs: 600_000,
  storeTimeoutMs: 30_000,
};

function settingsOf(options: WorkerOptions): typeof DEFAULTS {
  const names = Object.keys(DEFAULTS) as (keyof typeof DEFAULTS)[];
  const present = names.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]]));
  return { ...DEFAULTS, ...(Object.fromEntries(present) as Partial<typeof DEFAULTS>) };
}

class QueueWorker implements Worker {
  readonly #options: WorkerOptions;
  readonly #settings: typeof DEFAULTS;
  readonly #store: SessionStore;
  readonly #report: Report;
  readonly #context: WorkerContext;
  readonly #dispatcher: Dispatcher;
  readonly #sweep: Sweep;
  readonly #storeRetries = new AbortController();
  readonly #running = new Map<string, InboxAgent>();
  readonly #places: Places;
  /** The sessions that the sweep has given to this worker, with what they run in. */
  readonly #swept = new Map<string, Promise<void>>();
  #state: WorkerStats["state"] = "idle";
  readonly #wakeUps: WakeUps;
  #closing: Promise<void> | undefined;

  constructor(options: WorkerOptions) {
    check(workerSchema(), options, "createWorker");
    const { queue, agents, now = Date.now, limits = {} } = options;
    this.#options = options;
    this.#settings = settingsOf(options);
    const { storeTimeoutMs, sweepMs, leaseMs, concurrency } = this.#settings;
    this.#places = new Places(concurrency);
    this.#report = new Report(now);
    const report = this.#report;
    const limit = storeTimeoutMs > 0 ? { maxMs: storeTimeoutMs } : undefined;
    this.#store = retryingStore(withDeadlines(options.store, limit), {
      timeoutMs: storeTimeoutMs,
      signal: this.#storeRetries.signal,
      onRetry: (error) => report.emit({ type: "error", from: "store", error: error.toJSON() }),
    });
    this.#context = {
      ...this.#settings,
      queue,
      store: this.#store,
      agents,
      report,
      permits: new Permits(this.#store, limits, leaseMs),
      cache: new LastSessions(),
      now,
      backoffs: new LRUCache({ max: 10_000 }),
      failedTries: new LRUCache({ max: 10_000 }),
      requeuedUntil: new LRUCache({ max: 10_000 }),
      running: this.#running,
      isDraining: () => this.#state !== "running",
    };
    this.#wakeUps = new WakeUps({
      queue,
      concurrency,
      retryMs: this.#settings.retryMs,
      handle: (wakeUp) => this.#handle(wakeUp),
      onError: (error) =>
        report.emit({ type: "error", from: "queue", error: errorInfo(error, "queue/failed") }),
      onConnected: () => report.emit({ type: "queue.connected" }),
    });
    this.#dispatcher = createDispatcher({ queue, store: this.#store, now });
    const run = (sessionId: string): boolean => this.#runSwept(sessionId);
    this.#sweep = new Sweep({ queue, store: this.#store, report, now, everyMs: sweepMs, run });
  }

  async start(): Promise<void> {
    if (this.#state !== "idle") throw new AgentError("run/invalid-event", `The worker is ${this.#state}.`);
    await this.#store.listDue({ before: 0, limit: 1 });
    const { schedules, queue, now } = this.#options;
    if (schedules) await declareSchedules({ queue, store: this.#store, now }, schedules);
    if (this.#closing) throw new AgentError("run/closed", "The worker was closed before it was started.");
    this.#state = "running"; // what wakes up from now on is accepted
    try {
      await this.#wakeUps.start();
    } catch (error) {
      this.#state = "idle";
      throw error;
    }
    if (this.#closing) return;
    this.#setState("running");
    this.#sweep.start();
  }

  async close(options: { readonly deadlineMs?: number } = {}): Promise<void> {
    check(closeSchema(), options, "close");
    this.#closing ??= this.#close(options.deadlineMs ?? 10_000);
    return this.#closing;
  }

  stats(): WorkerStats {
    return { ...this.#report.counters, state: this.#state, running: this.#running.size };
  }

  subscribe(listener: (event: WorkerEvent) => void): () => void {
    return this.#report.subscribe(listener);
  }

  /** Waits for a place: what the sweep has given to this worker has places, too. */
  async #handle(wakeUp: WakeUp): Promise<void> {
    await this.#places.take();
    await this.#runJob(wakeUp, true);
  }

  /** Runs a session without the queue. Returns false if all places are taken. */
  #runSwept(sessionId: string): boolean {
    if (this.#state !== "running") return false;
    if (this.#swept.has(sessionId) || this.#running.has(sessionId)) return true;
    if (!this.#places.tryTake()) return false;
    const wakeUp = { sessionId, dueAt: Date.now(), priority: 0 };
    const job = this.#runJob(wakeUp, false).finally(() => this.#swept.delete(sessionId));
    this.#swept.set(sessionId, job);
    return true;
  }

  /** Runs a session in a place that was taken for it. Never rejects. */
  async #runJob(wakeUp: WakeUp, isQueued: boolean): Promise<void> {
    try {
      if (this.#state === "running") await this.#run(wakeUp, isQueued);
      else await this.#options.queue.wake(wakeUp.sessionId, { priority: wakeUp.priority });
    } catch (error) {
      this.#report.failed(error); // the sweep finds the session again
    } finally {
      this.#places.give();
      this.#sweep.placeFreed();
    }
  }

  async #run(wakeUp: WakeUp, isQueued: boolean): Promise<void> {
    if (!isSchedule(wakeUp.sessionId)) return new SessionJob(this.#context, wakeUp, isQueued).run();
    return runSchedule({ ...this.#context, dispatcher: this.#dispatcher }, wakeUp.sessionId);
  }

  async #close(deadlineMs: number): Promise<void> {
    this.#setState("draining");
    this.#sweep.stop();
    const shutdowns = [...this.#running.values()].map((agent) =>
      agent.shutdown({ deadlineMs }).catch(() => {}),
    );
    const drained = Promise.all([this.#wakeUps.close(), ...shutdowns, ...this.#swept.values()]);
    await endsWithin(drained, deadlineMs);
    this.#storeRetries.abort();
    await endsWithin(drained, CLOSE_GRACE_MS);
    this.#setState("closed");
  }

  #setState(state: WorkerStats["state"]): void {
    this.#state = state;
    this.#report.emit({ type: "worker.state", state });
  }
}

/**
 * Creates a worker, which processes wake-ups after {@link Worker.start}. It does not close queue and store. Throws
 * `config/invalid` for invalid options.
 *
 * @example
 * ```ts
 * import { postgresStore } from "agentchart/store/postgres";
 * import { scriptedModel } from "agentchart/testing";
 * import { bullQueue, createWorker } from "agentchart/worker";
 *
 * const database = "postgres://localhost/app";
 * const worker = createWorker({
 *   queue: bullQueue({ postgres: database }),
 *   store: postgresStore({ connectionString: database }),
 *   agents: { desk: () => ({ name: "desk", model: scriptedModel(["Hello."]) }) },
 * });
 * await worker.start();
 * process.once("SIGTERM", () => void worker.close({ deadlineMs: 20_000 }));
 * ```
 */
export function createWorker(options: WorkerOptions): Worker {
  return new QueueWorker(options);
}

/** The maximum number of characters of JSON that are retained of all sessions, and the maximum number of sessions. */
const [MAX_CHARACTERS, MAX_SESSIONS] = [32_000_000, 1_000];
/** The approximate size of a session beside its messages. */
const CHARACTERS_BESIDE = 1_000;
/** A session that nobody needs again is not cached for longer, ms. */
const MAX_AGE_MS = 600_000;

const charactersOf = (messages: readonly Msg[]): number =>
  messages.reduce((sum, message) => sum + JSON.stringify(message).length, 0);

/** The sessions that a worker has released last. */
export class LastSessions implements SessionCache {
  readonly #sessions: LRUCache<string, { readonly fence: number; readonly session: CachedSession }>;

  constructor(maxCharacters = MAX_CHARACTERS) {
    this.#sessions = new LRUCache({
      max: MAX_SESSIONS,
      maxSize: maxCharacters,
      sizeCalculation: ({ session }) => session.size + CHARACTERS_BESIDE,
      ttl: MAX_AGE_MS,
    });
  }

  put(...[{ sessionId, fence }, session, before]: Parameters<SessionCache["put"]>): void {
    const { from, length } = session.transcript;
    const isLonger = before !== undefined && before.from === from && before.length <= length;
    const [known, size] = isLonger ? [before.length, before.size] : [from, 0];
    const cached = { ...session, size: size + charactersOf(session.transcript.slice(known)) };
    this.#sessions.set(sessionId, { fence, session: cached });
  }

  take({ sessionId, fence }: Lease): CachedSession | undefined {
    const found = this.#sessions.get(sessionId);
    this.#sessions.delete(sessionId);
    return found?.fence === fence - 1 ? found.session : undefined;
  }
}

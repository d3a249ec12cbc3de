import { createInboxAgent } from "../agent/create-agent.ts";
import type { InboxAgent } from "../agent/inbox-agent.ts";
import type { AgentConfig } from "../agent/options/agent-config.ts";
import { recordedFor, type RecordedResults } from "../agent/recorded-results.ts";
import { delayOf, elapsed } from "../core/base/time.ts";
import { AgentError, errorFrom, errorInfo, type ErrorInfo } from "../core/base/error.ts";
import type { WakeUp } from "./queue/port.ts";
import { endsWithin } from "../store/deadlines.ts";
import { dueTime, isInnerSession, readPosition } from "../store/shared.ts";
import { isLoss, LEASED_INPUTS } from "../store/lease.ts";
import { newOwner, processOf } from "../store/leases.ts";
import { peekAll, quarantine, sessionMeta, hasWork, isDeferred, textWaits } from "./inbox.ts";
import type { JsonObject } from "../core/base/json.ts";
import type { Lease, SessionInput } from "../store/port.ts";
import type { AcquiredLease } from "../session/restore.ts";
import { makeConfig } from "./make-config.ts";
import { countsAsTry, noAgentError, publicError, refuseInputs, waitsSince } from "./refuse-inputs.ts";
import { stepReporter } from "./report.ts";
import { SessionRun } from "./session-run.ts";
import { NUDGE, SessionSignals } from "./signals.ts";
import type { Put } from "./turn-report.ts";
import type {
  AnyWorkerAgentConfig,
  WorkerAgentConfig,
  WorkerAgents,
  WorkerEvent,
  WorkerSessionRef,
} from "./types.ts";
import type { WorkerContext } from "./worker-context.ts";

/** The delay before a session that cannot be opened is woken again doubles up to this number of `retryMs`. */
const MAX_BACKOFF = 32;
/** The number of times that a job looks whether its lease is lost, in the time of a lease. */
const LOOKS_PER_LEASE = 10;

type RequeueReason = Extract<WorkerEvent, { readonly type: "session.putBack" }>["why"];

/** True if another process may have the session by now. */
const isLost = ({ closedBy }: InboxAgent): boolean => isLoss(closedBy);

/** One wake-up of one session: opens it, drives it until it is at rest, and releases it. */
export class SessionJob {
  readonly #worker: WorkerContext;
  readonly #wakeUp: WakeUp;
  readonly #isQueued: boolean;
  #session: WorkerSessionRef;
  /** The lease that came with the first look, until an agent has it, and when it was asked for. */
  #acquired: { readonly lease: Lease; readonly askedAt: number } | undefined;
  /** The inputs that came with the lease. */
  #found: readonly SessionInput[] | undefined;
  /** Somebody may watch the session. */
  #isWatched = true;
  #run: SessionRun | undefined;

  /** `isQueued`: the queue delivers the next wake-up of the session once this job has ended. */
  constructor(worker: WorkerContext, wakeUp: WakeUp, isQueued: boolean) {
    this.#worker = worker;
    this.#wakeUp = wakeUp;
    this.#isQueued = isQueued;
    this.#session = { sessionId: wakeUp.sessionId };
  }

  /** Rejects with failures of store and queue; the sweep finds the session again. */
  async run(): Promise<void> {
    try {
      await this.#look();
    } finally {
      await this.#giveUp();
    }
  }

  /** Looks at the session, and takes it at once unless its tenant may have to wait, or its agent was not to be had before. */
  async #look(): Promise<void> {
    const { agents, store, permits, now, failedTries, leaseMs } = this.#worker;
    const { sessionId } = this.#wakeUp;
    if (permits.areFree && !failedTries.has(sessionId)) await this.#take();
    const { position, inputs } = await peekAll(store, sessionId, this.#acquired?.lease.found);
    if (!hasWork(position, inputs, now())) return;
    if (isInnerSession(readPosition(position ?? {}).meta ?? {})) return; // the session of its parent drives it
    const meta = sessionMeta(position, inputs);
    const { agent, tenant } = meta as { readonly agent?: string; readonly tenant?: string };
    this.#session = {
      sessionId,
      ...(agent !== undefined && { agent }),
      ...(tenant !== undefined && { tenant }),
    };
    if (agent === undefined || !Object.hasOwn(agents, agent)) return this.#unknown(inputs, meta);
    const config = await this.#config(agents[agent]!, meta);
    if (!config) return;
    const waits = textWaits(config);
    if (!hasWork(position, inputs, now(), (input, state) => isDeferred(input, state, waits))) return;
    if (this.#acquired && elapsed(this.#acquired.askedAt, now()) > leaseMs / 3) await this.#giveUp();
    const permit = await permits.acquire(tenant);
    if (!permit) return this.#requeue("limited");
    try {
      const opened = await this.#open(config, meta);
      if (opened) await this.#drive(opened, position, config);
      else await permit.refund();
    } finally {
      await permit.release();
    }
  }

  readonly #put: Put = async (to, input) => {
    const { store, queue } = this.#worker;
    await store.putInput(to, input);
    queue.publish(to, NUDGE);
    await queue.wake(to).catch(() => {}); // the sweep finds it
  };

  /** Returns the acquired lease: whoever calls this has to release it. */
  #handOver(): AcquiredLease | undefined {
    const acquired = this.#acquired;
    this.#acquired = undefined;
    return acquired && { lease: acquired.lease, ageMs: elapsed(acquired.askedAt, this.#worker.now()) };
  }

  /** Releases the acquired lease, unless an agent has it. */
  async #giveUp(): Promise<void> {
    const acquired = this.#handOver();
    if (acquired) await this.#worker.store.release(acquired.lease).catch(() => {});
  }

  /** Takes the session if it is ready, where a store can say so. */
  async #take(): Promise<void> {
    const { store, leaseMs: ttlMs, now } = this.#worker;
    if (!store.acquiresIfReady) return;
    const askedAt = now();
    const how = { owner: newOwner(), ttlMs, inputs: LEASED_INPUTS, ifReady: true };
    const lease = await store.acquire(this.#wakeUp.sessionId, how);
    this.#acquired = lease && { lease, askedAt };
  }

  async #config(make: WorkerAgents[string], meta: JsonObject): Promise<AnyWorkerAgentConfig | undefined> {
    try {
      return await makeConfig(make, { sessionId: this.#wakeUp.sessionId, meta });
    } catch (error) {
      await this.#failed(error, meta);
      return undefined;
    }
  }

  /** Leaves the session to a worker that has its agent. The inputs that have waited too long for one are refused, not at the first look: such a
   *  worker may have been started together with this one. */
  async #unknown(inputs: readonly SessionInput[], meta: JsonObject): Promise<void> {
    const { report, now, maxTries, unknownAgentMs } = this.#worker;
    await this.#giveUp();
    report.emit({ type: "session.unknown", ...this.#session });
    const isLate = (input: SessionInput): boolean => waitsSince(input, now() - unknownAgentMs);
    if (this.#countTry() < maxTries || !inputs.some(isLate)) return this.#wakeLater(this.#nextBackoffMs());
    return this.#refuseInputs(noAgentError(this.#session.agent, unknownAgentMs), meta, isLate);
  }

  /** Returns how often in a row this worker had no agent for the session. */
  #countTry(): number {
    const { sessionId } = this.#session;
    const tries = (this.#worker.failedTries.get(sessionId) ?? 0) + 1;
    this.#worker.failedTries.set(sessionId, tries);
    return tries;
  }

  /** Tries again later to make the agent. After some tries it refuses the inputs, so that whoever sent them learns why. */
  async #failed(error: unknown, meta: JsonObject): Promise<void> {
    await this.#giveUp();
    const info = errorInfo(error, "config/invalid");
    if (!countsAsTry(info) || this.#countTry() < this.#worker.maxTries) return this.#requeue("failed", error);
    const { agent = "" } = this.#session;
    return this.#refuseInputs(publicError(info, agent), meta);
  }

  async #refuseInputs(
    error: ErrorInfo,
    meta: JsonObject,
    includes: (input: SessionInput) => boolean = () => true,
  ): Promise<void> {
    const { store, queue, report, leaseMs, now, failedTries, backoffs } = this.#worker;
    const { sessionId } = this.#session;
    const lease = await store.acquire(sessionId, { owner: newOwner("refusal"), ttlMs: leaseMs });
    if (!lease) return this.#requeue("taken");
    try {
      const refusal = { error, meta, at: now(), put: this.#put, includes };
      for (const { id, data } of await refuseInputs(store, lease, refusal)) {
        const { kind = "call" } = data as { readonly kind?: string };
        report.emit({ type: "input.refused", ...this.#session, inputId: id, kind, error });
      }
      failedTries.delete(sessionId);
    } finally {
      await store.release(lease);
    }
    const { position, inputs } = await peekAll(store, sessionId);
    queue.publish(sessionId, NUDGE);
    if (hasWork(position, inputs, now())) return this.#requeue("failed", errorFrom(error));
    backoffs.delete(sessionId);
  }

  /** Opens the agent. Returns undefined if the session cannot be opened here; it is then requeued or quarantined. */
  async #open(
    { output: _, ...config }: AnyWorkerAgentConfig,
    meta: JsonObject,
    repeated?: RecordedResults,
  ): Promise<InboxAgent | undefined> {
    const { store, leaseMs, cache } = this.#worker;
    const { sessionId } = this.#session;
    let isQuarantined = false;
    try {
      const labels = { ...config.meta, ...meta };
      const agent = createInboxAgent(
        {
          ...(config as WorkerAgentConfig),
          store,
          sessionId,
          meta: labels,
          sessionOptions: { ...config.sessionOptions, leaseMs },
        },
        {
          acquired: () => this.#handOver(),
          cache,
          isLeft: () => this.#run?.isLast ?? false,
          admit: async (lease) => {
            this.#found = lease.found?.inputs;
            this.#isWatched = lease.found?.isWatched ?? true;
            if (lease.takeovers < this.#worker.maxCrashes) return;
            isQuarantined = true;
            await this.#quarantine(lease, `${lease.takeovers} workers in a row died with it.`, labels);
            throw new AgentError("session/conflict", "The session is quarantined.");
          },
        },
      );
      await repeated?.begin(agent, store);
      await agent.open();
      return agent;
    } catch (error) {
      const recorded = repeated ? undefined : await recordedFor(error, store);
      if (recorded)
        return this.#open(recorded.configured(config as AgentConfig) as typeof config, meta, recorded);
      if (!isQuarantined) await this.#handleOpenError(error, meta);
      return undefined;
    }
  }

  async #handleOpenError(error: unknown, meta: JsonObject): Promise<void> {
    const { store, leaseMs } = this.#worker;
    const { sessionId } = this.#session;
    await this.#giveUp();
    const { code, message, data } = errorInfo(error, "config/invalid");
    const isHeld = code === "session/agent-changed" && data?.["policy"] === "hold";
    if (code === "session/conflict") return this.#requeue("taken");
    if (code === "session/version") return this.#requeue("unreadable", error);
    if (code === "session/agent-changed" && !isHeld) return this.#requeue("pinned", error);
    if (code !== "session/damaged" && !isHeld) return this.#failed(error, meta);
    const lease = await store.acquire(sessionId, { owner: newOwner("quarantine"), ttlMs: leaseMs });
    if (!lease) return this.#requeue("taken");
    try {
      await this.#quarantine(lease, message, meta, isHeld);
    } finally {
      await store.release(lease);
    }
  }

  async #quarantine(lease: Lease, reason: string, meta: JsonObject, isHeld = false): Promise<void> {
    const { store, now, report } = this.#worker;
    if (await quarantine(store, lease, { reason, at: now(), isHeld }, meta))
      report.emit({ type: "session.quarantined", ...this.#session, reason });
  }

  async #drive(
    agent: InboxAgent,
    position: JsonObject | undefined,
    config: AnyWorkerAgentConfig,
  ): Promise<void> {
    const { queue, store, report, running, backoffs, failedTries, now, pollMs } = this.#worker;
    const session = this.#session;
    const { sessionId } = session;
    const startedAt = now();
    const { fence = 0, takeovers = 0, takenFrom } = agent.lease ?? {};
    const queueDelayMs = elapsed(this.#wakeUp.dueAt, startedAt);
    const from = takenFrom && { takenFrom: processOf(takenFrom.owner) };
    report.emit({
      type: "session.start",
      ...session,
      queueDelayMs,
      fence,
      isTakeover: takeovers > 0,
      ...from,
    });
    const run = (this.#run = new SessionRun({
      agent,
      store,
      now,
      pollMs,
      found: this.#found,
      isQueued: this.#isQueued,
      output: config.output,
      textWaits: textWaits(config),
      put: this.#put,
      onAccepted: (input, { kind, at }) => {
        const waitedMs = Math.max(0, now() - Math.max(at, dueTime(input)));
        report.emit({ type: "input.taken", ...session, inputId: input.id, kind, waitedMs });
      },
      onRefused: ({ id }, kind, error) =>
        report.emit({ type: "input.refused", ...session, inputId: id, kind, error }),
    }));
    const signals = new SessionSignals(queue, sessionId, {
      journal: agent.journal,
      isWatched: this.#isWatched,
      onNudge: () => run.nudge(),
    });
    const steps = stepReporter(report, session);
    agent.subscribe((event) => {
      steps(event);
      signals.forward(event);
    });
    const { seq } = agent.status();
    running.set(sessionId, agent);
    backoffs.delete(sessionId);
    failedTries.delete(sessionId);
    try {
      if (this.#worker.isDraining()) await agent.shutdown();
      await this.#untilLost(agent, run.drive());
      const isUnchanged = agent.status().seq === seq;
      if (!agent.closedBy && isUnchanged && hasWork(position, [], now())) await agent.touch();
      await this.#release(agent, startedAt);
    } catch (error) {
      const { closedBy } = agent;
      const reason = closedBy && closedBy.code !== "run/shutdown" ? closedBy : error;
      agent.abandon(new AgentError("run/closed", "The worker released the session."));
      report.failed(reason);
    } finally {
      running.delete(sessionId);
      signals.stop();
    }
  }

  /** Waits for the work on a session, or until its lease is lost: what the work then still waits for is a store that does not answer. */
  async #untilLost(agent: InboxAgent, work: Promise<void>): Promise<void> {
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const look = (): void => {
      if (isLost(agent)) resolve();
    };
    const timer = setInterval(look, delayOf(this.#worker.leaseMs / LOOKS_PER_LEASE));
    try {
      work.catch(() => {}); // nobody may wait for it any more
      await Promise.race([work, ended]);
    } finally {
      clearInterval(timer);
    }
  }

  /** Releases the session, or reports that its lease was lost. A store that does not answer is waited for as long as the lease lasts. */
  async #release(agent: InboxAgent, startedAt: number): Promise<void> {
    const { report, now, leaseMs } = this.#worker;
    const { closedBy } = agent;
    if (closedBy && closedBy.code !== "run/shutdown") {
      if (!isLost(agent)) throw closedBy; // the agent failed: its lease expires as if this process had died
      report.emit({ type: "session.lost", ...this.#session, error: closedBy.toJSON() });
      return;
    }
    const { phase, reason } = agent.status();
    if (!closedBy) await endsWithin(agent.close(), delayOf(leaseMs));
    const durationMs = elapsed(startedAt, now());
    report.emit({ type: "session.end", ...this.#session, phase, ...(reason && { reason }), durationMs });
    if (closedBy) await this.#wakeLater(0);
  }

  async #requeue(why: RequeueReason, error?: unknown): Promise<void> {
    const { report, retryMs, now } = this.#worker;
    const delayMs = why === "limited" ? retryMs : this.#nextBackoffMs();
    const info = error === undefined ? {} : { error: errorInfo(error, "config/invalid") };
    report.emit({ type: "session.putBack", ...this.#session, why, retryAt: now() + delayMs, ...info });
    await this.#wakeLater(delayMs);
  }

  /** Returns the delay before the session is woken again, which doubles each time. */
  #nextBackoffMs(): number {
    const { backoffs, retryMs } = this.#worker;
    const { sessionId } = this.#wakeUp;
    const backoff = Math.min((backoffs.get(sessionId) ?? 0.5) * 2, MAX_BACKOFF);
    backoffs.set(sessionId, backoff);
    return retryMs * backoff;
  }

  /** Wakes the session again after a delay, unless an earlier wake-up of this kind is still due. Otherwise every other wake-up in between
   *  would add one. */
  async #wakeLater(delayMs: number): Promise<void> {
    const { queue, requeuedUntil } = this.#worker;
    const { sessionId, priority } = this.#wakeUp;
    const now = Date.now();
    const known = requeuedUntil.get(sessionId) ?? 0;
    if (known > now && known <= now + delayMs) return;
    await queue.wake(sessionId, { priority, delayMs });
    if (delayMs > 0) requeuedUntil.set(sessionId, now + delayMs);
  }
}

import { createInboxAgent } from "../agent/create-agent.ts";
import type { InboxAgent } from "../agent/inbox-agent.ts";
import { AgentError, errorInfo } from "../base/error.ts";
import type { WakeQueue, WakeUp } from "./queue/port.ts";
import { dueTime } from "../store/due.ts";
import type { JsonObject } from "../base/json.ts";
import type { Lease, LoadedSession, SessionInput, SessionStore } from "../store/port.ts";
import type { RecentMap } from "../store/recent-map.ts";
import type { Permits } from "./permits.ts";
import { quarantine } from "./quarantine.ts";
import { reportSteps, type Report } from "./report.ts";
import { hasWork, holdsText, mustWait } from "./inbox.ts";
import { SessionRun } from "./session-run.ts";
import { SessionSignals } from "./signals.ts";
import { labelsOfSession } from "./status.ts";
import type { AnyAgentConfig, WorkerAgentConfig, WorkerAgents, WorkerEvent } from "./types.ts";

const FIRST_INPUTS = 20;
/** A session that cannot be opened is put back for so many `retryMs` at most. */
const MAX_PAUSE = 32;

/** What all jobs of a worker share. */
export type Workshop = {
  readonly queue: WakeQueue;
  readonly store: SessionStore;
  readonly agents: WorkerAgents;
  readonly report: Report;
  readonly permits: Permits;
  readonly now: () => number;
  readonly leaseMs: number;
  readonly pollMs: number;
  readonly retryMs: number;
  readonly maxCrashes: number;
  /** For how many `retryMs` sessions were put back that could not be opened. */
  readonly pauses: RecentMap<number>;
  /** When sessions that were put back are woken again, epoch ms. */
  readonly wakeTimes: RecentMap<number>;
  /** The sessions that are open. */
  readonly running: Map<string, InboxAgent>;
  readonly isDraining: () => boolean;
};

type OfSession = { readonly sessionId: string; readonly agent?: string; readonly tenant?: string };
type PutBack = Extract<WorkerEvent, { readonly type: "session.putBack" }>["why"];

/** One wake-up of one session: opened, driven until it is at rest, and given up again. */
export class SessionJob {
  readonly #shop: Workshop;
  readonly #wakeUp: WakeUp;
  #session: OfSession;

  constructor(shop: Workshop, wakeUp: WakeUp) {
    this.#shop = shop;
    this.#wakeUp = wakeUp;
    this.#session = { sessionId: wakeUp.sessionId };
  }

  async run(): Promise<void> {
    const { store, agents, permits, now, report } = this.#shop;
    const { sessionId } = this.#wakeUp;
    const found = await store.load(sessionId);
    const inputs = await this.#inputs();
    if (!hasWork(found?.position, inputs, now())) return;
    const meta = labelsOfSession(found?.position, inputs);
    const { agent, tenant } = meta as { readonly agent?: string; readonly tenant?: string };
    this.#session = {
      sessionId,
      ...(agent !== undefined && { agent }),
      ...(tenant !== undefined && { tenant }),
    };
    if (agent === undefined || !Object.hasOwn(agents, agent)) {
      report.tell({ type: "session.unknown", ...this.#session });
      return this.#again(this.#laterMs());
    }
    const config = await this.#config(agents[agent]!, meta);
    if (!config) return;
    if (holdsText(config) && !hasWork(found?.position, inputs, now(), mustWait)) return;
    const permit = await permits.take(tenant);
    if (!permit) return this.#putBack("limited");
    try {
      const opened = await this.#open(config, meta);
      if (opened) await this.#drive(opened, found, holdsText(config));
      else await permit.giveBack();
    } finally {
      await permit.release();
    }
  }

  /** All inputs that wait; what counts may stand behind many that do not. */
  async #inputs(): Promise<readonly SessionInput[]> {
    const { store } = this.#shop;
    const { sessionId } = this.#wakeUp;
    const first = await store.takeInputs(sessionId, FIRST_INPUTS);
    return first.length < FIRST_INPUTS ? first : store.takeInputs(sessionId, Number.MAX_SAFE_INTEGER);
  }

  async #config(make: WorkerAgents[string], meta: JsonObject): Promise<AnyAgentConfig | undefined> {
    try {
      const config: unknown = await make({ sessionId: this.#wakeUp.sessionId, meta });
      if (typeof config === "object" && config !== null) return config as AnyAgentConfig;
      throw new AgentError("config/invalid", "The agent's function gives no configuration.");
    } catch (error) {
      await this.#putBack("failed", error);
      return undefined;
    }
  }

  /** The open agent; undefined if the session is not for us now, which is seen to. */
  async #open(config: AnyAgentConfig, meta: JsonObject): Promise<InboxAgent | undefined> {
    const { store, leaseMs } = this.#shop;
    const { sessionId } = this.#session;
    let isPoison = false;
    try {
      const labels = { ...config.meta, ...meta };
      const agent = createInboxAgent(
        { ...(config as WorkerAgentConfig), store, sessionId, leaseMs, meta: labels },
        async (lease) => {
          if (lease.takeovers < this.#shop.maxCrashes) return;
          isPoison = true;
          await this.#quarantine(lease, `${lease.takeovers} workers in a row died with it.`, labels);
          throw new AgentError("session/conflict", "The session is quarantined.");
        },
      );
      await agent.open();
      return agent;
    } catch (error) {
      if (!isPoison) await this.#notOpened(error, meta);
      return undefined;
    }
  }

  async #notOpened(error: unknown, meta: JsonObject): Promise<void> {
    const { store, leaseMs } = this.#shop;
    const { sessionId } = this.#session;
    const { code, message } = errorInfo(error, "config/invalid");
    if (code === "session/conflict") return this.#putBack("taken");
    if (code === "session/version") return this.#putBack("unreadable", error);
    if (code !== "session/damaged") return this.#putBack("failed", error);
    const lease = await store.acquire(sessionId, { owner: "quarantine", ttlMs: leaseMs });
    if (!lease) return this.#putBack("taken");
    try {
      await this.#quarantine(lease, message, meta);
    } finally {
      await store.release(lease);
    }
  }

  async #quarantine(lease: Lease, reason: string, meta: JsonObject): Promise<void> {
    const { store, now, report } = this.#shop;
    if (await quarantine(store, lease, { reason, at: now() }, meta))
      report.tell({ type: "session.quarantined", ...this.#session, reason });
  }

  async #drive(agent: InboxAgent, found: LoadedSession | undefined, holds: boolean): Promise<void> {
    const { queue, store, report, running, pauses, now, pollMs } = this.#shop;
    const session = this.#session;
    const { sessionId } = session;
    const startedAt = now();
    const { fence = 0, takeovers = 0 } = agent.lease ?? {};
    const queueDelayMs = Math.max(0, startedAt - this.#wakeUp.dueAt);
    report.tell({ type: "session.start", ...session, queueDelayMs, fence, isTakeover: takeovers > 0 });
    const run = new SessionRun({
      agent,
      store,
      now,
      pollMs,
      holdsText: holds,
      taken: (input, { kind, at }) => {
        const waitedMs = Math.max(0, now() - Math.max(at, dueTime(input)));
        report.tell({ type: "input.taken", ...session, inputId: input.id, kind, waitedMs });
      },
      refused: ({ id }, kind, error) =>
        report.tell({ type: "input.refused", ...session, inputId: id, kind, error }),
    });
    const signals = new SessionSignals(queue, sessionId, () => run.nudge());
    const steps = reportSteps(report, session);
    agent.subscribe((event) => {
      steps(event);
      signals.tell(event);
    });
    const { seq } = agent.status();
    running.set(sessionId, agent);
    pauses.delete(sessionId);
    try {
      if (this.#shop.isDraining()) await agent.shutdown();
      await run.drive();
      const isUnchanged = agent.status().seq === seq;
      if (!agent.closedBy && isUnchanged && hasWork(found?.position, [], now())) await agent.touch();
      await this.#leave(agent, startedAt);
    } catch (error) {
      const reason = errorInfo(agent.closedBy ?? error, "store/failed");
      agent.abandon(new AgentError("run/closed", "The worker gave the session up."));
      report.tell({
        type: "error",
        from: reason.code === "store/failed" ? "store" : "worker",
        error: reason,
      });
    } finally {
      running.delete(sessionId);
      signals.stop();
    }
  }

  /** Gives the session up, or says why it is gone already. */
  async #leave(agent: InboxAgent, startedAt: number): Promise<void> {
    const { report, now } = this.#shop;
    const session = this.#session;
    const { closedBy } = agent;
    if (closedBy && closedBy.code !== "run/shutdown") {
      const isLost = closedBy.code === "session/lease-lost" || closedBy.code === "session/conflict";
      if (!isLost) throw closedBy; // the agent broke: its lease expires as if this process had died
      report.tell({ type: "session.lost", ...session, error: closedBy.toJSON() });
      return;
    }
    const { phase, reason } = agent.status();
    if (!closedBy) await agent.close();
    const durationMs = now() - startedAt;
    report.tell({ type: "session.end", ...session, phase, ...(reason && { reason }), durationMs });
    if (closedBy) await this.#again(0);
  }

  async #putBack(why: PutBack, error?: unknown): Promise<void> {
    const { report, retryMs, now } = this.#shop;
    const delayMs = why === "limited" ? retryMs : this.#laterMs();
    const info = error === undefined ? {} : { error: errorInfo(error, "config/invalid") };
    report.tell({ type: "session.putBack", ...this.#session, why, retryAt: now() + delayMs, ...info });
    await this.#again(delayMs);
  }

  /** Ever longer, as long as nobody here can open the session. */
  #laterMs(): number {
    const { pauses, retryMs } = this.#shop;
    const { sessionId } = this.#session;
    const pause = Math.min((pauses.get(sessionId) ?? 0.5) * 2, MAX_PAUSE);
    pauses.set(sessionId, pause);
    return retryMs * pause;
  }

  /** Has the session woken later. Once: whatever else wakes it meanwhile and finds it as it was adds no second wake-up, or
   *  they would become ever more. */
  async #again(delayMs: number): Promise<void> {
    const { queue, wakeTimes } = this.#shop;
    const { sessionId, priority } = this.#wakeUp;
    const now = Date.now();
    const known = wakeTimes.get(sessionId) ?? 0;
    if (known > now && known <= now + delayMs) return;
    await queue.wake(sessionId, { priority, delayMs });
    if (delayMs > 0) wakeTimes.set(sessionId, now + delayMs);
  }
}

import { setTimeout as sleep } from "node:timers/promises";
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import type { WakeQueue } from "../../worker/queue/port.ts";
import type { SessionStore } from "../../store/port.ts";
import type { Worker, WorkerEvent } from "../../worker/types.ts";
import { sessionsOf } from "../paginate.ts";

const SECONDS = [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 300, 1800];
const STATS_WITHIN_MS = 2_000;

/** The metrics of a worker in the text format of Prometheus: `agentchart_…` and those of Node. */
export type Metrics = { readonly contentType: string; text(): Promise<string> };

/** Starts to collect the metrics of a worker. */
export function metricsOf(worker: Worker, queue: WakeQueue, store: SessionStore): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const counter = <L extends string = never>(name: string, help: string, ...labelNames: L[]): Counter<L> =>
    new Counter({ name: `agentchart_${name}_total`, help, labelNames, registers: [registry] });
  const histogram = (name: string, help: string): Histogram =>
    new Histogram({ name: `agentchart_${name}_seconds`, help, buckets: SECONDS, registers: [registry] });

  const ended = counter("sessions_ended", "Sessions that this worker closed, by phase", "phase");
  const turns = counter("turns", "Turns that ended, by reason", "reason");
  const steps = counter("steps", "Model calls and tool calls that ended", "step", "outcome");
  const retries = counter("retries", "Model calls and tool calls that are tried again", "step");
  const takeovers = counter("takeovers", "Sessions taken over from a worker that died");
  const leasesLost = counter("lease_losses", "Sessions whose lease another worker took");
  const putBack = counter("sessions_put_back", "Sessions returned to the queue, by reason", "why");
  const unknown = counter("sessions_unknown", "Sessions of agents that this worker does not have");
  const quarantined = counter("sessions_quarantined", "Sessions quarantined");
  const taken = counter("inputs_taken", "Inputs accepted", "kind");
  const refused = counter("inputs_refused", "Inputs refused", "kind");
  const swept = counter("sessions_swept", "Sessions found whose wake-up was lost");
  const errors = counter("errors", "Errors of the queue and the store, by source", "from");
  const queueDelay = histogram("queue_delay", "Time from when a wake-up was due until its session started");
  const inputWait = histogram("input_wait", "Time from when an input was due until it was accepted");
  const sessionTime = histogram("session_time", "Time for which a session was open");

  const running = new Gauge({
    name: "agentchart_sessions_running",
    help: "Sessions that are open in this worker",
    registers: [],
    collect() {
      this.set(worker.stats().running);
    },
  });
  const queued = new Gauge({
    name: "agentchart_queue_sessions",
    help: "Wake-ups in the queue of all workers, by state",
    labelNames: ["state"],
    registers: [],
    async collect() {
      const stats = await Promise.race([queue.stats().catch(() => undefined), afterMs(STATS_WITHIN_MS)]);
      this.reset();
      for (const [state, count] of Object.entries(stats ?? {})) this.set({ state }, count);
    },
  });
  const countSuspended = suspendedCounter(store);
  const suspended = new Gauge({
    name: "agentchart_sessions_suspended",
    help: "Suspended sessions of all workers, counted up to 20,000",
    registers: [],
    async collect() {
      this.set((await Promise.race([countSuspended(), afterMs(STATS_WITHIN_MS)])) ?? Number.NaN);
    },
  });
  registry.registerMetric(running);
  registry.registerMetric(suspended);
  registry.registerMetric(queued);

  const count = (event: WorkerEvent): void => {
    switch (event.type) {
      case "session.start":
        queueDelay.observe(event.queueDelayMs / 1000);
        if (event.isTakeover) takeovers.inc();
        return;
      case "session.end":
        sessionTime.observe(event.durationMs / 1000);
        return ended.inc({ phase: event.phase });
      case "session.lost":
        return leasesLost.inc();
      case "session.putBack":
        return putBack.inc({ why: event.why });
      case "session.unknown":
        return unknown.inc();
      case "session.quarantined":
        return quarantined.inc();
      case "input.taken":
        inputWait.observe(event.waitedMs / 1000);
        return taken.inc({ kind: event.kind });
      case "input.refused":
        return refused.inc({ kind: event.kind });
      case "step":
        return steps.inc({ step: event.step, outcome: event.isError ? "error" : "success" });
      case "retry":
        return retries.inc({ step: event.step });
      case "turn.end":
        return turns.inc({ reason: event.reason });
      case "sweep":
        return swept.inc(event.woken);
      case "error":
        return errors.inc({ from: event.from });
      default:
    }
  };
  worker.subscribe(count);
  return { contentType: registry.contentType, text: () => registry.metrics() };
}

function afterMs(ms: number): Promise<undefined> {
  return sleep(ms, undefined, { ref: false });
}

const PAGE = 1_000;
const MAX_COUNT = 20_000;
const CACHE_MS = 30_000;

/** A function that counts the suspended sessions of a store, at most 20,000, and caches the count for 30 s. It resolves with
 *  NaN while the store fails. */
export function suspendedCounter(store: SessionStore, now: () => number = Date.now): () => Promise<number> {
  let cached: { readonly at: number; readonly count: Promise<number> } | undefined;
  return () => {
    if (!cached || now() - cached.at >= CACHE_MS)
      cached = { at: now(), count: countSuspended(store).catch(() => Number.NaN) };
    return cached.count;
  };
}

async function countSuspended(store: SessionStore): Promise<number> {
  let count = 0;
  for await (const _ of sessionsOf(store, { phase: "suspended" }, MAX_COUNT, PAGE)) count++;
  return count;
}

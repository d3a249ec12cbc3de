import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import type { WakeQueue } from "../../worker/queue/port.ts";
import { endsWithin } from "../../store/deadlines.ts";
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
  const gauge = <L extends string = never>(
    name: string,
    help: string,
    labelNames: L[],
    collect: (gauge: Gauge<L>) => unknown,
  ): Gauge<L> =>
    new Gauge({
      ...{ name: `agentchart_${name}`, help, labelNames, registers: [registry] },
      async collect() {
        await collect(this);
      },
    });
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

  const countSuspended = suspendedCounter(store);
  gauge("sessions_running", "Sessions that are open in this worker", [], (it) =>
    it.set(worker.stats().running),
  );
  gauge("sessions_suspended", "Suspended sessions of all workers, counted up to 20,000", [], async (it) =>
    it.set((await soon(countSuspended())) ?? Number.NaN),
  );
  gauge("queue_sessions", "Wake-ups in the queue of all workers, by state", ["state"], async (it) => {
    const stats = await soon(queue.stats().catch(() => undefined));
    it.reset();
    for (const [state, count] of Object.entries(stats ?? {})) it.set({ state }, count);
  });

  const heard: Heard = {
    "session.start": ({ queueDelayMs, isTakeover }) => {
      queueDelay.observe(queueDelayMs / 1000);
      if (isTakeover) takeovers.inc();
    },
    "session.end": ({ durationMs, phase }) => {
      sessionTime.observe(durationMs / 1000);
      ended.inc({ phase });
    },
    "session.lost": () => leasesLost.inc(),
    "session.putBack": ({ why }) => putBack.inc({ why }),
    "session.unknown": () => unknown.inc(),
    "session.quarantined": () => quarantined.inc(),
    "input.taken": ({ waitedMs, kind }) => {
      inputWait.observe(waitedMs / 1000);
      taken.inc({ kind });
    },
    "input.refused": ({ kind }) => refused.inc({ kind }),
    step: ({ step, isError }) => steps.inc({ step, outcome: isError ? "error" : "success" }),
    retry: ({ step }) => retries.inc({ step }),
    "turn.end": ({ reason }) => turns.inc({ reason }),
    sweep: ({ woken }) => swept.inc(woken),
    error: ({ from }) => errors.inc({ from }),
  };
  worker.subscribe((event) => (heard[event.type] as ((event: WorkerEvent) => void) | undefined)?.(event));
  return { contentType: registry.contentType, text: () => registry.metrics() };
}

/** The functions that note events in the metrics, by the types of the events; others are not noted. */
type Heard = {
  readonly [T in WorkerEvent["type"]]?: (event: Extract<WorkerEvent, { readonly type: T }>) => void;
};

/** Resolves to undefined if the work takes longer than a scrape may wait. */
const soon = async <T>(work: Promise<T>): Promise<T | undefined> =>
  (await endsWithin(work, STATS_WITHIN_MS)) ? work : undefined;

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

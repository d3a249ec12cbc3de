import { delayOf } from "../../core/base/time.ts";
import type { Worker } from "../../worker/types.ts";
import { createWorker } from "../../worker/worker.ts";
import type { Handler, Input } from "../define-command.ts";
import type { worker as definition } from "./definitions.ts";
import { checkAgents, loadAgents } from "./load-agents.ts";
import { logWorker } from "./log-worker.ts";
import { withBackend, type Backend } from "./open-backend.ts";
import { openLog, type Log } from "./open-log.ts";
import { openTelemetry } from "./open-telemetry.ts";
import { shutdownSignal } from "../on-signal.ts";
import { withCleanup } from "../with-cleanup.ts";
import { metricsOf, type Metrics } from "./worker-metrics.ts";
import { Hono } from "hono";
import { serve, type RunningServer } from "../../server/serve.ts";
import type { SessionStore } from "../../store/port.ts";
import type { WakeQueue } from "../../worker/queue/port.ts";

type Flags = Input<typeof definition>["flags"];

/** The maximum time that the queue, the store and the exporters of OpenTelemetry may take to close after the drain, in ms. */
const CLOSE_MS = 8_000;

/** `agentchart worker`: runs sessions until SIGTERM or SIGINT. */
export const workerCommand: Handler<typeof definition> = async ({ flags }, { env, exit }) => {
  const { drainMs } = flags;
  const log = openLog(flags, env);
  const ended = shutdownSignal(exit);
  const telemetry = await openTelemetry(env, log);
  const work = () =>
    withBackend(flags, env, async (backend) => {
      const { concurrency, leaseMs, sweepMs, maxCrashes, maxTries, unknownAgentMs, storeTimeoutMs } = flags;
      const agents = await loadAgents(flags.agents);
      const worker = createWorker({
        ...backend,
        agents: telemetry.observed(agents),
        limits: tenantLimits(flags),
        ...{ concurrency, leaseMs, sweepMs, maxCrashes, maxTries, unknownAgentMs, storeTimeoutMs },
      });
      logWorker(worker, log);
      await checkAgents(agents, log);
      const health = await openHealth(flags, worker, backend);
      if (health) log.write("info", "health", { url: health.url });
      await Promise.race([worker.start(), ended]);
      const signal = await ended;
      log.write("info", "drain", { signal, drainMs });
      exitAfter(drainMs + CLOSE_MS, log, exit);
      await worker.close({ deadlineMs: drainMs });
      await health?.close();
      return 0;
    });
  return withCleanup(work, () => telemetry.close());
};

/** The limits of every tenant. */
function tenantLimits({ maxPerTenant, rate }: Flags) {
  return { "*": { ...(maxPerTenant !== undefined && { concurrency: maxPerTenant }), ...(rate && { rate }) } };
}

async function openHealth(flags: Flags, worker: Worker, { queue, store }: Backend) {
  const { healthHost: host, healthPort: port } = flags;
  if (port === undefined) return undefined;
  return serveHealth({ worker, queue, store, metrics: metricsOf(worker, queue, store), host, port });
}

function exitAfter(ms: number, log: Log, exit: (code: number) => void): void {
  setTimeout(() => {
    log.write("error", "drain.late", { afterMs: ms });
    exit(1);
  }, delayOf(ms)).unref();
}

type HealthOptions = {
  readonly worker: Worker;
  readonly queue: WakeQueue;
  readonly store: SessionStore;
  readonly metrics: Metrics;
  readonly host: string;
  readonly port: number;
};

/** The id of a session that does not exist: loading it costs the same for any number of sessions. */
const ABSENT_SESSION = "agentchart/ready";

/** Serves `/healthz` (the process is alive), `/readyz` (it takes sessions, and its queue and store respond) and `/metrics`. */
export function serveHealth({ host, port, ...options }: HealthOptions): Promise<RunningServer> {
  const { metrics } = options;
  const app = new Hono();
  app.use(async (c, next) => {
    await next();
    c.header("Cache-Control", "no-store");
  });
  app.get("/healthz", (c) => c.text("ok\n"));
  app.get("/readyz", async (c) => {
    const problem = await problemOf(options);
    return problem === undefined ? c.text("ok\n") : c.text(`${problem}\n`, 503);
  });
  app.get("/metrics", async (c) =>
    c.body(await metrics.text(), 200, { "Content-Type": metrics.contentType }),
  );
  app.onError((_, c) => c.text("The metrics cannot be collected.\n", 503));
  return serve(app, { host, port });
}

/** The reason why the worker takes no sessions now, or undefined if it does. */
async function problemOf({
  worker,
  queue,
  store,
}: Pick<HealthOptions, "worker" | "queue" | "store">): Promise<string | undefined> {
  const { state } = worker.stats();
  if (state !== "running") return state;
  const [queued, stored] = await Promise.allSettled([queue.stats(), store.load(ABSENT_SESSION)]);
  if (queued.status === "rejected") return "The queue does not respond.";
  return stored.status === "rejected" ? "The store does not respond." : undefined;
}

import type { Worker } from "../../worker/types.ts";
import { createWorker } from "../../worker/worker.ts";
import type { Handler, Input } from "../define-command.ts";
import type { worker as definition } from "./definitions.ts";
import { checkAgents, loadAgents } from "./load-agents.ts";
import { logWorker } from "./log-worker.ts";
import { withBackend, type Backend } from "./open-backend.ts";
import { openLog, type Log } from "./open-log.ts";
import { openTelemetry } from "./open-telemetry.ts";
import { serveHealth } from "./serve-health.ts";
import { shutdownSignal } from "./shutdown-signal.ts";
import { withCleanup } from "../with-cleanup.ts";
import { metricsOf } from "./worker-metrics.ts";

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
  }, ms).unref();
}

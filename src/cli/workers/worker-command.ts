// src/cli/workers holds the commands for workers and the HTTP server.
import { createWorker } from "../../worker/worker.ts";
import type { Worker } from "../../worker/types.ts";
import type { GivenFlags } from "../read-flags.ts";
import type { Surroundings } from "../surroundings.ts";
import { UsageError } from "../usage-error.ts";
import { countOf, noWords } from "../words.ts";
import { loadAgents } from "./load-agents.ts";
import { logWorker } from "./log-worker.ts";
import { withBackend, type Backend } from "./open-backend.ts";
import { openLog, type Log } from "./open-log.ts";
import { limitsOf, portOf } from "./read-options.ts";
import { serveHealth } from "./serve-health.ts";
import { signalled } from "./signalled.ts";
import { metricsOf } from "./worker-metrics.ts";

/** Less than the 10 s after which Docker, systemd and others kill. */
const DRAIN_MS = 8_000;
/** How long queue and store may take to close behind that. */
const CLOSE_MS = 5_000;

type Given<T> = { readonly [K in keyof T]?: NonNullable<T[K]> };

/** `agentchart worker`: drives sessions until it is told to end. Gives the exit code. */
export async function workerCommand(flags: GivenFlags, { env, exit }: Surroundings): Promise<number> {
  noWords(flags);
  const file = flags.text("agents");
  if (file === undefined) throw new UsageError("Which agents? Say --agents FILE.");
  const options = optionsOf(flags);
  const drainMs = countOf(flags, "drain-ms") ?? DRAIN_MS;
  const healthPort = portOf(flags, "health-port");
  const log = openLog(flags, env);
  const told = signalled(exit);
  return withBackend(flags, env, async (backend) => {
    const worker = createWorker({ ...backend, agents: await loadAgents(file), ...options });
    logWorker(worker, log);
    const health =
      healthPort === undefined ? undefined : await openHealth(flags, worker, backend, healthPort);
    if (health) log.write("info", "health", { url: health.url });
    await Promise.race([worker.start(), told]);
    const signal = await told;
    log.write("info", "drain", { signal, drainMs });
    giveUpLater(drainMs + CLOSE_MS, log, exit);
    await worker.close({ deadlineMs: drainMs });
    await health?.close();
    return 0;
  });
}

function optionsOf(flags: GivenFlags) {
  const counts = {
    concurrency: countOf(flags, "concurrency"),
    leaseMs: countOf(flags, "lease-ms"),
    sweepMs: countOf(flags, "sweep-ms"),
    maxCrashes: countOf(flags, "max-crashes"),
    storeTimeoutMs: countOf(flags, "patience-ms"),
  };
  const given = Object.entries(counts).filter(([, count]) => count !== undefined);
  const limits = limitsOf(flags);
  return { ...(Object.fromEntries(given) as Given<typeof counts>), ...(limits && { limits }) };
}

function openHealth(flags: GivenFlags, worker: Worker, { queue, store }: Backend, port: number) {
  const metrics = metricsOf(worker, queue, store);
  return serveHealth({ worker, queue, store, metrics, host: flags.text("health-host") ?? "127.0.0.1", port });
}

function giveUpLater(afterMs: number, log: Log, exit: (code: number) => void): void {
  setTimeout(() => {
    log.write("error", "drain.late", { afterMs });
    exit(1);
  }, afterMs).unref();
}

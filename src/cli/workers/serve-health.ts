import { Hono } from "hono";
import { serve, type RunningServer } from "../../server/serve.ts";
import type { SessionStore } from "../../store/port.ts";
import type { WakeQueue } from "../../worker/queue/port.ts";
import type { Worker } from "../../worker/types.ts";
import type { Metrics } from "./worker-metrics.ts";

export type HealthOptions = {
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

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { WakeQueue } from "../../worker/queue/port.ts";
import type { SessionStore } from "../../store/port.ts";
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

type HealthResponse = { readonly status: number; readonly type: string; readonly body: string };

/** Serves `/healthz` (the process is alive), `/readyz` (it takes sessions, and its queue and store respond) and `/metrics`. */
export async function serveHealth(
  options: HealthOptions,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    void respondTo(request.url ?? "", options).then(({ status, type, body }) => {
      response.writeHead(status, { "Content-Type": type, "Cache-Control": "no-store" });
      response.end(request.method === "HEAD" ? undefined : body);
    });
  });
  server.listen(options.port, options.host);
  await once(server, "listening");
  const { address, port, family } = server.address() as AddressInfo;
  return {
    url: `http://${family === "IPv6" ? `[${address}]` : address}:${port}`,
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function plain(status: number, text: string): HealthResponse {
  return { status, type: "text/plain", body: `${text}\n` };
}

async function respondTo(path: string, options: HealthOptions): Promise<HealthResponse> {
  const { metrics } = options;
  switch (path.split("?")[0]) {
    case "/healthz":
      return plain(200, "ok");
    case "/readyz": {
      const problem = await problemOf(options);
      return problem === undefined ? plain(200, "ok") : plain(503, problem);
    }
    case "/metrics":
      return metrics.text().then(
        (body) => ({ status: 200, type: metrics.contentType, body }),
        () => plain(503, "The metrics cannot be collected."),
      );
    default:
      return plain(404, "Not found; the routes are /healthz, /readyz and /metrics.");
  }
}

/** The reason why the worker takes no sessions now, or undefined if it does. */
async function problemOf({ worker, queue, store }: HealthOptions): Promise<string | undefined> {
  const { state } = worker.stats();
  if (state !== "running") return state;
  const [queued, stored] = await Promise.allSettled([queue.stats(), store.load(ABSENT_SESSION)]);
  if (queued.status === "rejected") return "The queue does not respond.";
  return stored.status === "rejected" ? "The store does not respond." : undefined;
}

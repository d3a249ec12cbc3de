import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { WakeQueue } from "../../queue/port.ts";
import type { Worker } from "../../worker/types.ts";
import type { Metrics } from "./worker-metrics.ts";

export type HealthOptions = {
  readonly worker: Worker;
  readonly queue: WakeQueue;
  readonly metrics: Metrics;
  readonly host: string;
  readonly port: number;
};

type Answer = { readonly status: number; readonly type: string; readonly body: string };

/** Serves `/healthz` (the process is alive), `/readyz` (it takes sessions, and its queue answers) and `/metrics`. */
export async function serveHealth(
  options: HealthOptions,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    void answerTo(request.url ?? "", options).then(({ status, type, body }) => {
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

async function answerTo(path: string, { worker, queue, metrics }: HealthOptions): Promise<Answer> {
  const plain = (status: number, text: string): Answer => ({ status, type: "text/plain", body: `${text}\n` });
  try {
    switch (path.split("?")[0]) {
      case "/healthz":
        return plain(200, "ok");
      case "/readyz": {
        const { state } = worker.stats();
        if (state === "draining" || state === "closed") return plain(503, state);
        await queue.stats();
        return plain(200, "ok");
      }
      case "/metrics":
        return { status: 200, type: metrics.contentType, body: await metrics.text() };
      default:
        return plain(404, "There are /healthz, /readyz and /metrics.");
    }
  } catch {
    return plain(503, "The queue does not answer.");
  }
}

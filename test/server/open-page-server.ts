import { onTestFinished } from "vitest";
import { serve } from "agentchart/server";
import { createWorker } from "agentchart/worker";
import { openServer, type TestServer } from "./open-server.ts";
import { AGENTS, resetAgents } from "./page-agents.ts";

/** A server on a port, and a worker that drives the agents of `page-agents.ts`. */
export async function openPageServer(
  options: Parameters<typeof openServer>[0] = {},
): Promise<{ readonly server: TestServer; readonly url: string }> {
  resetAgents();
  const server = openServer(options);
  const worker = createWorker({ queue: server.queue, store: server.store, agents: AGENTS, sweepMs: 200 });
  onTestFinished(() => worker.close({ deadlineMs: 100 }));
  await worker.start();
  const { url, close } = await serve(server.app);
  onTestFinished(close);
  return { server, url };
}

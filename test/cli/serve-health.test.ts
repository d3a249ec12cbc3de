// The health, readiness and log of workers.
import { expect, onTestFinished, test } from "vitest";
import { memoryStore } from "agentchart/store/memory";
import { createWorker, inProcessQueue, type WorkerEvent } from "agentchart/worker";
import { logWorker } from "../../src/cli/workers/log-worker.ts";
import { serveHealth } from "../../src/cli/workers/worker-command.ts";
import { metricsOf } from "../../src/cli/workers/worker-metrics.ts";

async function openHealth() {
  const [store, queue] = [memoryStore(), inProcessQueue()];
  const worker = createWorker({ store, queue, agents: {} });
  const metrics = metricsOf(worker, queue, store);
  const { url, close } = await serveHealth({ worker, queue, store, metrics, host: "127.0.0.1", port: 0 });
  onTestFinished(async () => {
    await worker.close({ deadlineMs: 100 });
    await close();
  });
  const ready = async () => {
    const response = await fetch(`${url}/readyz`);
    return [response.status, (await response.text()).trimEnd()] as const;
  };
  return { worker, store, queue, url, ready };
}

test("A worker is ready from its start until it drains", async () => {
  const { worker, ready } = await openHealth();
  expect(await ready()).toEqual([503, "idle"]);
  await worker.start();
  expect(await ready()).toEqual([200, "ok"]);
  await worker.close({ deadlineMs: 100 });
  expect(await ready()).toEqual([503, "closed"]);
});

test("A worker whose store or queue fails is alive but not ready, and still serves metrics", async () => {
  const { worker, store, queue, url, ready } = await openHealth();
  await worker.start();
  await store.close();
  expect(await ready()).toEqual([503, "The store does not respond."]);
  await queue.close();
  expect(await ready()).toEqual([503, "The queue does not respond."]);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  const metrics = await (await fetch(`${url}/metrics`)).text();
  expect(metrics).toContain("agentchart_sessions_suspended Nan");
  expect(metrics).toContain("agentchart_sessions_running 0");
});

test("The log of a worker warns of a session that failed to open, at the default level", () => {
  const listeners: ((event: WorkerEvent) => void)[] = [];
  const written: (readonly [level: string, event: string])[] = [];
  logWorker(
    { subscribe: (listener: (event: WorkerEvent) => void) => (listeners.push(listener), () => {}) } as never,
    {
      write: (level, event) => void written.push([level, event]),
      error: (error) => error,
    },
  );
  const session = { at: 0, sessionId: "s" };
  const error = { code: "config/invalid", message: "boom" } as const;
  listeners[0]!({ ...session, type: "session.putBack", why: "failed", retryAt: 1, error });
  listeners[0]!({ ...session, type: "session.putBack", why: "taken", retryAt: 1 });
  expect(written).toEqual([
    ["warn", "session.putBack"],
    ["debug", "session.putBack"],
  ]);
});

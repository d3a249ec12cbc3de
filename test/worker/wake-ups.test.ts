// Wake-ups while a queue is away.
import { expect, onTestFinished, test } from "vitest";
import { AgentError } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { createDispatcher, createWorker, inProcessQueue, type WorkerEvent } from "agentchart/worker";
import type { Consumer, WakeQueue } from "../../src/worker/queue/port.ts";
import { echoModel } from "./kit.ts";

const away = (isRetryable = true) => new AgentError("queue/failed", "It is away.", { isRetryable });

/** A queue whose consumers become ready as `ready` says: they get wake-ups once it has resolved. */
function lateQueue(ready: (attempt: number) => Promise<void>) {
  const queue = inProcessQueue();
  onTestFinished(() => queue.close());
  let [attempts, closed, taken] = [0, 0, 0];
  const late: WakeQueue = {
    wake: (...args) => queue.wake(...args),
    publish: () => {},
    subscribe: () => Promise.reject(away()),
    stats: () => queue.stats(),
    close: () => queue.close(),
    consume(handler, options): Consumer {
      let consumer: Consumer | undefined;
      const isReady = ready(++attempts).then(() => {
        consumer = queue.consume((wakeUp) => (taken++, handler(wakeUp)), options);
      });
      isReady.catch(() => {});
      return {
        ready: () => isReady,
        close: async () => {
          closed++;
          await consumer?.close();
        },
      };
    },
  };
  return { queue: late, counts: () => ({ attempts, closed, taken }) };
}

function workerOn(queue: WakeQueue, sweepMs: number) {
  const store = memoryStore();
  const worker = createWorker({
    store,
    queue,
    agents: { echo: () => ({ name: "echo", model: echoModel }) },
    sweepMs,
    retryMs: 1,
  });
  const events: WorkerEvent[] = [];
  worker.subscribe((event) => void events.push(event));
  onTestFinished(() => worker.close({ deadlineMs: 1 }));
  const dispatcher = createDispatcher({ store, queue });
  const isDone = async (id: string): Promise<boolean> =>
    (await store.load(id))?.position["phase"] === "stopped";
  return { worker, events, dispatcher, isDone };
}

test("a worker that is started while its queue is away says so, and takes wake-ups once the queue is there", async () => {
  const { promise: isBack, resolve: comeBack } = Promise.withResolvers<void>();
  const { queue, counts } = lateQueue((attempt) => (attempt < 5 ? Promise.reject(away()) : isBack));
  const { worker, events, dispatcher, isDone } = workerOn(queue, 0);
  await worker.start();
  expect(worker.stats().state).toBe("running");
  await expect.poll(() => counts()).toEqual({ attempts: 5, closed: 4, taken: 0 });
  expect(events.filter(({ type }) => type === "error")).toMatchObject(
    Array.from({ length: 4 }, () => ({ from: "queue", error: { code: "queue/failed" } })),
  );
  await dispatcher.dispatch("s", "hi", { agent: "echo" });
  expect(await isDone("s")).toBe(false);
  expect(events.some(({ type }) => type === "queue.connected")).toBe(false);
  comeBack();
  await expect.poll(() => isDone("s")).toBe(true);
  expect(counts()).toMatchObject({ attempts: 5, taken: 1 });
  expect(events.filter(({ type }) => type === "queue.connected")).toHaveLength(1);
});

test("a worker that is started while its queue is away takes sessions from the store", async () => {
  const { queue } = lateQueue(() => Promise.reject(away()));
  const { worker, dispatcher, isDone } = workerOn({ ...queue, wake: () => Promise.reject(away()) }, 5);
  expect(await dispatcher.dispatch("early", "hi", { agent: "echo" })).toMatchObject({ woken: false });
  await worker.start();
  await dispatcher.dispatch("late", "hi", { agent: "echo" });
  await expect.poll(async () => (await isDone("early")) && (await isDone("late"))).toBe(true);
});

test("a queue that does not answer delays the start of a worker by two seconds at most", async () => {
  const { queue } = lateQueue(() => new Promise(() => {}));
  const { worker, events, dispatcher, isDone } = workerOn(
    { ...queue, wake: () => Promise.reject(away()) },
    5,
  );
  await worker.start();
  await dispatcher.dispatch("s", "hi", { agent: "echo" });
  await expect.poll(() => isDone("s")).toBe(true);
  await worker.close();
  expect(worker.stats().state).toBe("closed");
  expect(events.some(({ type }) => type === "queue.connected")).toBe(false);
});

test("a worker whose queue no time mends is not started, and may be started again", async () => {
  let isMended = false;
  const { queue, counts } = lateQueue(() => (isMended ? Promise.resolve() : Promise.reject(away(false))));
  const { worker, events, dispatcher, isDone } = workerOn(queue, 0);
  await expect(worker.start()).rejects.toMatchObject({ code: "queue/failed" });
  expect(events.filter(({ type }) => type === "worker.state")).toEqual([]);
  expect(worker.stats().state).toBe("idle");
  expect(counts()).toMatchObject({ attempts: 1, closed: 1 });
  isMended = true;
  await worker.start();
  await dispatcher.dispatch("s", "hi", { agent: "echo" });
  await expect.poll(() => isDone("s")).toBe(true);
});

test("a worker that is closed while its queue is away tries no more", async () => {
  const { queue, counts } = lateQueue(() => Promise.reject(away()));
  const { worker } = workerOn(queue, 0);
  await worker.start();
  await worker.close();
  const { attempts, closed } = counts();
  expect(closed).toBe(attempts);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(counts().attempts).toBe(attempts);
});

test("a worker whose queue cannot be closed is closed, and says so", async () => {
  const queue = inProcessQueue();
  onTestFinished(() => queue.close());
  const consume: WakeQueue["consume"] = (handler, options) => ({
    ...queue.consume(handler, options),
    close: () => Promise.reject(away()),
  });
  const { worker, events } = workerOn({ ...lateQueue(async () => {}).queue, consume }, 0);
  await worker.start();
  await worker.close({ deadlineMs: 10 });
  expect(worker.stats().state).toBe("closed");
  expect(events).toContainEqual(expect.objectContaining({ type: "error", from: "queue" }));
});

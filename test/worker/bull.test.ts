// Workers on BullMQ.
import { randomUUID } from "node:crypto";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { defineTool, type AgentEvent } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { bullQueue, createDispatcher, createWorker } from "agentchart/worker";
import { NO_POSTGRES, startPostgres } from "../support/postgres.ts";
import { NO_REDIS, startRedis } from "../support/redis.ts";
import { echoModel } from "./kit.ts";

const redis = await startRedis();
const postgres = await startPostgres();
afterAll(async () => {
  await redis?.stop();
  await postgres?.stop();
});

const BACKENDS = [
  { name: "Redis", options: redis && { redis: redis.url }, why: NO_REDIS },
  { name: "Postgres", options: postgres && { postgres: postgres.connectionString }, why: NO_POSTGRES },
];

describe.each(BACKENDS)("workers on BullMQ on $name", ({ options, why }) => {
  test.skipIf(!options)(
    `run, interrupt, stream and go on over handles of their own${options ? "" : ` (${why})`}`,
    async () => {
      const store = memoryStore();
      const name = randomUUID();
      const queues = [
        bullQueue({ ...options!, name }),
        bullQueue({ ...options!, name }),
        bullQueue({ ...options!, name }),
      ];
      let started = 0;
      const wait = defineTool({
        name: "wait",
        description: "wait",
        input: { type: "object" },
        execute: (_, { emit, signal }) => {
          started++;
          const timer = setInterval(() => emit("waiting …"), 20);
          signal.addEventListener("abort", () => clearInterval(timer));
          return new Promise<string>(() => {});
        },
      });
      const pay = defineTool({
        name: "pay",
        description: "pay",
        input: { type: "object" },
        permission: "ask",
        execute: () => "paid",
      });
      const workers = queues.slice(0, 2).map((queue) =>
        createWorker({
          store,
          queue,
          agents: {
            echo: () => ({
              name: "echo",
              model: echoModel,
              tools: [wait, pay],
              turnOptions: { interruptGraceMs: 20 },
            }),
          },
        }),
      );
      const dispatcher = createDispatcher({ store, queue: queues[2]! });
      const stop = new AbortController();
      onTestFinished(async () => {
        stop.abort();
        await Promise.all(workers.map((worker) => worker.close({ deadlineMs: 1_000 })));
        await Promise.all(queues.map((queue) => queue.close()));
        await store.close();
      });
      await Promise.all(workers.map((worker) => worker.start()));
      const heard: AgentEvent[] = [];
      void (async () => {
        for await (const event of dispatcher.subscribe("s", { signal: stop.signal })) heard.push(event);
      })();

      await dispatcher.dispatch("s", "call pay", { agent: "echo" });
      await expect.poll(async () => (await dispatcher.status("s")).waitsFor).toEqual(["approval"]);
      await dispatcher.decide("s", "pay-1", "approve");
      await expect.poll(async () => (await dispatcher.status("s")).reason).toBe("MODEL_STOP");
      await dispatcher.dispatch("s", "call wait");
      await expect.poll(() => started).toBe(1);
      await expect.poll(() => heard.some(({ type }) => type === "tool.delta")).toBe(true);
      await dispatcher.interrupt("s");
      await expect.poll(async () => (await dispatcher.status("s")).reason).toBe("INTERRUPTED");
      await dispatcher.dispatch("s", "bye", { delayMs: 100 });
      await expect.poll(async () => (await dispatcher.status("s")).reason).toBe("MODEL_STOP");
      await expect.poll(() => heard.filter(({ type }) => type === "turn.end")).toHaveLength(4);
      expect(workers.reduce((sum, worker) => sum + worker.stats().turns, 0)).toBe(4);
    },
  );

  test.skipIf(!options)(
    `say without secrets that no server answers${options ? "" : ` (${why})`}`,
    async () => {
      const secret = "s3cret-of-the-test";
      const place = `${"redis" in (options ?? {}) ? "redis" : "postgres"}://user:${secret}@127.0.0.1:1/0`;
      const queue = bullQueue("redis" in (options ?? {}) ? { redis: place } : { postgres: place });
      const error: unknown = await queue.stats().catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: "queue/failed", isRetryable: true });
      expect(JSON.stringify(error)).not.toContain(secret);
      await queue.close();
    },
  );
});

test("what bullQueue cannot be is config/invalid", async () => {
  for (const wrong of [
    {},
    { redis: "redis://x", postgres: "postgres://x" },
    { redis: "redis://x", name: "a:b" },
    { redis: "redis://x", lockMs: 5 },
  ])
    expect(() => bullQueue(wrong)).toThrow(expect.objectContaining({ code: "config/invalid" }));
});

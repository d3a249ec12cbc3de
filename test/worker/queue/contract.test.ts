// The contract of queues.
import { randomUUID } from "node:crypto";
import { MessageChannel } from "node:worker_threads";
import { afterAll, describe, test } from "vitest";
import { serveQueue } from "../../../src/cli/dev/serve-queue.ts";
import { ThreadQueue } from "../../../src/cli/dev/thread-queue.ts";
import { bullQueue } from "../../../src/worker/queue/bull.ts";
import { inProcessQueue } from "../../../src/worker/queue/in-process.ts";
import type { WakeQueue } from "../../../src/worker/queue/port.ts";
import { queueContract } from "../../../src/testing/queue-contract.ts";
import { NO_POSTGRES, startPostgres } from "../../support/postgres.ts";
import { NO_REDIS, startRedis } from "../../support/redis.ts";

queueContract(
  "in process",
  () => {
    let shared: WakeQueue | undefined;
    return { open: () => (shared ??= inProcessQueue()) };
  },
  { describe, test },
);

queueContract(
  "of a thread, in process",
  () => {
    const shared = inProcessQueue();
    const stops: (() => void)[] = [];
    return {
      open: () => {
        const { port1, port2 } = new MessageChannel();
        stops.push(serveQueue(port1, shared));
        return new ThreadQueue(port2);
      },
      dispose: async () => {
        for (const stop of stops) stop();
        await shared.close();
      },
    };
  },
  { describe, test },
);

const redis = await startRedis();
afterAll(() => redis?.stop());
if (redis) {
  queueContract(
    "BullMQ on Redis",
    () => {
      const name = randomUUID();
      return { open: () => bullQueue({ redis: redis.url, name }) };
    },
    { describe, test },
  );
} else test.skip(`BullMQ on Redis (${NO_REDIS})`, () => {});

const postgres = await startPostgres();
afterAll(() => postgres?.stop());
if (postgres) {
  queueContract(
    "BullMQ on Postgres",
    () => {
      const name = randomUUID();
      return { open: () => bullQueue({ postgres: postgres.connectionString, name }) };
    },
    { describe, test },
  );
} else test.skip(`BullMQ on Postgres (${NO_POSTGRES})`, () => {});

// A Redis that is lost under a queue.
import { expect, test } from "vitest";
import { memoryStore } from "agentchart/store/memory";
import { bullQueue, createDispatcher } from "agentchart/worker";
import { NO_REDIS, startRedis } from "../../support/redis.ts";

// One that is not ours cannot be stopped.
const server = process.env["REDIS_URL"] ? undefined : await startRedis();

test.skipIf(!server)(
  `A Redis that was lost does not delay a dispatch${server ? "" : ` (${NO_REDIS})`}`,
  async () => {
    const [store, queue] = [memoryStore(), bullQueue({ redis: server!.url })];
    const dispatcher = createDispatcher({ store, queue });
    expect(await dispatcher.dispatch("s", "hi", { agent: "echo" })).toMatchObject({ woken: true });
    await server!.stop();
    expect(await dispatcher.dispatch("s", "more")).toMatchObject({ state: "accepted", woken: false });
    expect(await store.takeInputs("s", 9)).toHaveLength(2);
    await queue.close();
  },
);

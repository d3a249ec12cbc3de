// A Redis that swallows packets.
import { expect, test } from "vitest";
import { memoryStore } from "agentchart/store/memory";
import { bullQueue, createDispatcher } from "agentchart/worker";
import { NO_REDIS, startRedis } from "../../support/redis.ts";
import { faultyProxy, type Silence } from "../../support/faulty-proxy.ts";

const server = await startRedis();

// each waits for half a minute
test.skipIf(!server).concurrent.each(["requests", "answers"] satisfies readonly Silence[])(
  `A Redis that swallows %s holds up no dispatch, and its queue is closed in time${server ? "" : ` (${NO_REDIS})`}`,
  async (direction) => {
    const proxy = await faultyProxy(server!.url, 6379);
    const [store, queue] = [memoryStore(), bullQueue({ redis: proxy.urlOf(server!.url) })];
    const dispatcher = createDispatcher({ store, queue });
    const consumer = queue.consume(async () => {});
    await consumer.ready();
    expect(await dispatcher.dispatch("s", "hi", { agent: "echo" })).toMatchObject({ woken: true });
    proxy.fail(direction);
    expect(await dispatcher.dispatch("s", "more")).toMatchObject({ state: "accepted", woken: false });
    await expect(queue.stats()).rejects.toMatchObject({ code: "queue/failed" });
    await expect(queue.subscribe("s", () => {})).rejects.toMatchObject({ code: "queue/failed" });
    await queue.close();
    expect(await store.takeInputs("s", 9)).toHaveLength(2);
    proxy.close();
  },
);

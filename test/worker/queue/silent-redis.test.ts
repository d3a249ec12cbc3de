import { expect, test } from "vitest";
import { memoryStore } from "agentchart/store/memory";
import { bullQueue, createDispatcher } from "agentchart/worker";
import { NO_REDIS, startRedis } from "../../support/redis.ts";
import { silentProxy, type Silence } from "../../support/silent-proxy.ts";

const server = await startRedis();

test.skipIf(!server).each(["requests", "answers"] satisfies readonly Silence[])(
  `A Redis that swallows %s holds up no dispatch, and its queue is closed in time${server ? "" : ` (${NO_REDIS})`}`,
  async (direction) => {
    const url = new URL(server!.url);
    const proxy = await silentProxy(Number(url.port || 6379));
    url.port = String(proxy.port);
    const [store, queue] = [memoryStore(), bullQueue({ redis: url.href })];
    const dispatcher = createDispatcher({ store, queue });
    const consumer = queue.consume(async () => {});
    await consumer.ready();
    expect(await dispatcher.dispatch("s", "hi", { agent: "echo" })).toMatchObject({ woken: true });
    proxy.silence(direction);
    expect(await dispatcher.dispatch("s", "more")).toMatchObject({ state: "accepted", woken: false });
    await expect(queue.stats()).rejects.toMatchObject({ code: "queue/failed" });
    await expect(queue.subscribe("s", () => {})).rejects.toMatchObject({ code: "queue/failed" });
    await queue.close();
    expect(await store.takeInputs("s", 9)).toHaveLength(2);
    proxy.close();
  },
);

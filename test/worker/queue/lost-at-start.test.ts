// Queues that are away when a worker starts.
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { memoryStore } from "agentchart/store/memory";
import { bullQueue, createDispatcher, createWorker, type WorkerEvent } from "agentchart/worker";
import { faultyProxy, type Fault } from "../../support/faulty-proxy.ts";
import { NO_POSTGRES, startPostgres } from "../../support/postgres.ts";
import { NO_REDIS, startRedis } from "../../support/redis.ts";
import { echoModel } from "../kit.ts";

const [postgres, redis] = [await startPostgres(), await startRedis()];
afterAll(async () => {
  await redis?.stop();
  await postgres?.stop();
});

const SERVERS = {
  Redis: { url: redis?.url, port: 6379, option: "redis", missing: NO_REDIS },
  Postgres: { url: postgres?.connectionString, port: 5432, option: "postgres", missing: NO_POSTGRES },
} as const;

let queues = 0;

/** A worker and a dispatcher whose queues are behind a network that can fail. Its sweep is what is left while they are away. */
async function behindNetwork(server: keyof typeof SERVERS, first: Fault) {
  const { url, port, option } = SERVERS[server];
  const proxy = await faultyProxy(url!, port);
  proxy.fail(first);
  const name = `away${++queues}`;
  const queueOf = () => bullQueue({ [option]: proxy.urlOf(url!), name });
  const [store, queue, other] = [memoryStore(), queueOf(), queueOf()];
  const worker = createWorker({
    store,
    queue,
    agents: { echo: () => ({ name: "echo", model: echoModel }) },
    sweepMs: 100,
    pollMs: 50,
    retryMs: 100,
  });
  const events: WorkerEvent[] = [];
  worker.subscribe((event) => void events.push(event));
  onTestFinished(async () => {
    await worker.close({ deadlineMs: 1_000 });
    await Promise.all([queue.close(), other.close()]);
    proxy.close();
  });
  const dispatcher = createDispatcher({ store, queue: other });
  const turnsOf = async (id: string): Promise<number> => {
    let turns = 0;
    for await (const { type } of store.read(id)) if (type === "turn.end") turns++;
    return turns;
  };
  return { proxy, worker, events, dispatcher, turnsOf };
}

const types = (events: readonly WorkerEvent[]): ReadonlySet<string> =>
  new Set(events.map(({ type }) => type));

describe.each(["Redis", "Postgres"] as const)("%s", (server) => {
  const { url, missing } = SERVERS[server];
  test.skipIf(url === undefined).each(["down", "requests"] satisfies readonly Fault[])(
    `that is away (%s) when a worker starts, goes away again, and comes back holds up no session${url ? "" : ` (${missing})`}`,
    async (fault) => {
      const { proxy, worker, events, dispatcher, turnsOf } = await behindNetwork(server, fault);
      await worker.start();
      expect(await dispatcher.dispatch("early", "hi", { agent: "echo" })).toMatchObject({
        state: "accepted",
        woken: false,
      });
      await expect.poll(() => turnsOf("early")).toBe(1);
      expect(types(events)).not.toContain("queue.connected");

      proxy.restore();
      if (fault === "down") await expect.poll(() => types(events)).toContain("queue.connected");
      await expect
        .poll(() =>
          dispatcher.wake("early").then(
            () => true,
            () => false,
          ),
        )
        .toBe(true);
      await dispatcher.dispatch("there", "hi", { agent: "echo" });
      await expect.poll(() => turnsOf("there")).toBe(1);

      proxy.fail(fault);
      expect(await dispatcher.dispatch("between", "hi", { agent: "echo" })).toMatchObject({ woken: false });
      await expect.poll(() => turnsOf("between")).toBe(1);
      proxy.restore();
      await expect
        .poll(async () => (await dispatcher.dispatch("back", "hi", { agent: "echo" })).woken)
        .toBe(true);
      await expect.poll(() => turnsOf("back")).toBeGreaterThan(0);
      expect(await turnsOf("early")).toBe(1);
    },
  );
});

test.skipIf(redis === undefined)(
  "A queue that is not reached, or refused, says which server and why",
  async () => {
    const said = async (options: Parameters<typeof bullQueue>[0]): Promise<string> => {
      const worker = createWorker({ store: memoryStore(), queue: bullQueue(options), agents: {} as never });
      const error = Promise.withResolvers<string>();
      worker.subscribe((event) => event.type === "error" && error.resolve(event.error.message));
      void worker.start().catch((thrown: Error) => error.resolve(thrown.message));
      const message = await error.promise;
      await worker.close({ deadlineMs: 1_000 });
      return message;
    };
    expect(await said({ redis: "redis://:hunter2@127.0.0.1:1" })).toBe(
      "The queue could not be reached (ECONNREFUSED 127.0.0.1:1).",
    );
    const refused = redis!.url.replace("redis://", "redis://nobody:hunter2@");
    expect(await said({ redis: refused })).toBe("The queue could not be reached (WRONGPASS).");
  },
);

// A Postgres that is lost under a queue.
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { postgresStore } from "agentchart/store/postgres";
import { bullQueue, createDispatcher, createWorker, type WakeQueue } from "agentchart/worker";
import { faultyProxy } from "../../support/faulty-proxy.ts";
import { NO_POSTGRES, startPostgres } from "../../support/postgres.ts";
import { echoModel } from "../kit.ts";

const server = await startPostgres();
afterAll(() => server?.stop());

/** What Postgres says while it goes down or comes up. */
const STARTING_UP = (() => {
  const fields = "SFATAL\0VFATAL\0C57P03\0Mthe database system is starting up\0\0";
  const head = Buffer.alloc(5, "E");
  head.writeInt32BE(4 + fields.length, 1);
  return Buffer.concat([head, Buffer.from(fields)]);
})();

/** A way to the database on which it can be made to seem to be starting up. */
async function openDoor(connectionString: string) {
  const proxy = await faultyProxy(connectionString, 5432);
  onTestFinished(() => proxy.close());
  const shut = () => proxy.answerWith(STARTING_UP);
  return { url: proxy.urlOf(connectionString), shut, open: () => proxy.restore() };
}

function listen(queue: WakeQueue) {
  const taken: string[] = [];
  const errors: unknown[] = [];
  const consumer = queue.consume(async ({ sessionId }) => void taken.push(sessionId), {
    onError: (error) => errors.push(error),
  });
  return { taken, errors, consumer };
}

// oxlint-disable-next-line vitest/expect-expect -- no test yet
const onPostgres = test.skipIf(!server);
const why = server ? "" : ` (${NO_POSTGRES})`;

onPostgres(
  `A consumer that starts while Postgres starts up gets an error that says so, and the next one works${why}`,
  async () => {
    const door = await openDoor(server!.connectionString);
    const queue = bullQueue({ postgres: door.url, name: "early" });
    await queue.wake("a");
    door.shut();
    const early = listen(queue);
    await expect(early.consumer.ready()).rejects.toMatchObject({ code: "queue/failed" });
    await early.consumer.close();
    door.open();
    const next = listen(queue);
    await next.consumer.ready();
    await expect.poll(() => next.taken).toEqual(["a"]);
    await queue.close();
  },
);

onPostgres(`A queue that was first used while Postgres started up works once it has${why}`, async () => {
  const door = await openDoor(server!.connectionString);
  const queue = bullQueue({ postgres: door.url, name: "first" });
  door.shut();
  await expect(queue.wake("a")).rejects.toMatchObject({ code: "queue/failed" });
  door.open();
  await queue.wake("a");
  expect(await queue.stats()).toMatchObject({ waiting: 1 });
  await queue.close();
});

onPostgres(`Signals arrive again after the connection to Postgres was lost${why}`, async () => {
  const door = await openDoor(server!.connectionString);
  const queue = bullQueue({ postgres: door.url, name: "signals" });
  const received: unknown[] = [];
  const stop = await queue.subscribe("a", (signal) => received.push(signal));
  queue.publish("a", { n: 1 });
  await expect.poll(() => received).toEqual([{ n: 1 }]);
  door.shut();
  await sleep(100);
  door.open();
  const late = await queue.subscribe("b", () => {}); // resolves on the new connection
  await expect
    .poll(() => (queue.publish("a", { n: 2 }), received), { interval: 50 })
    .toContainEqual({ n: 2 });
  stop();
  late();
  await queue.close();
});

onPostgres(
  `A subscription that could not be made in time is stopped${why}`,
  async () => {
    const door = await openDoor(server!.connectionString);
    const queue = bullQueue({ postgres: door.url, name: "late-signals" });
    await queue.wake("a");
    door.shut();
    const received: unknown[] = [];
    const subscribed = queue.subscribe("a", (signal) => received.push(signal));
    await expect(subscribed).rejects.toMatchObject({ code: "queue/failed" });
    door.open();
    const other: unknown[] = [];
    await queue.subscribe("a", (signal) => other.push(signal));
    await expect.poll(() => (queue.publish("a", {}), other.length), { interval: 50 }).toBeGreaterThan(2);
    expect(received.length).toBeLessThan(other.length);
    await queue.close();
  },
  30_000,
);

onPostgres(`A consumer does not storm a Postgres that starts up, and goes on afterwards${why}`, async () => {
  const door = await openDoor(server!.connectionString);
  const queue = bullQueue({ postgres: door.url, name: "storm" });
  const { taken, errors, consumer } = listen(queue);
  await consumer.ready();
  door.shut();
  await sleep(1_500);
  expect(errors.length).toBeLessThan(40);
  door.open();
  await expect
    .poll(() =>
      queue.wake("a").then(
        () => true,
        () => false,
      ),
    )
    .toBe(true);
  await expect.poll(() => taken).toContain("a"); // an attempt that was said to have failed may have been heard
  await queue.close();
});

test.skipIf(!server?.restart)(
  `Wake-ups that a crash of Postgres has lost are found by the sweep, and later ones arrive${why}`,
  async () => {
    const { connectionString } = server!;
    const store = postgresStore({ connectionString, schema: "agentchart_crash" });
    const queue = bullQueue({ postgres: connectionString, name: "crash" });
    onTestFinished(async () => {
      await queue.close();
      await store.close();
    });
    await queue.stats();
    const { taken, consumer } = listen(queue);
    await queue.wake("before");
    await expect.poll(() => taken).toEqual(["before"]);
    await consumer.close();
    const dispatcher = createDispatcher({ store, queue });
    const ids = Array.from({ length: 20 }, (_, n) => `s${n}`);
    for (const id of ids) await dispatcher.dispatch(id, "Go.", { agent: "desk" });
    expect(await queue.stats()).toMatchObject({ waiting: 20 });
    await server!.restart!("crash");
    await expect.poll(() => queue.stats().catch(() => undefined)).toMatchObject({ waiting: 0 });
    const agents = { desk: () => ({ name: "desk", model: echoModel }) };
    const worker = createWorker({ queue, store, agents, sweepMs: 200 });
    await worker.start();
    await expect.poll(() => worker.stats().turns).toBe(20);
    for (const id of ids) await dispatcher.dispatch(id, "More.");
    await expect.poll(() => worker.stats().turns).toBe(40);
    await worker.close();
  },
  60_000,
);

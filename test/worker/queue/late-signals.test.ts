// An outage of a queue leaves no signals behind: neither subscriptions that nobody waits for, nor what nobody hears.
import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { redisSignals } from "../../../src/worker/queue/bull-redis.ts";
import { PostgresSignals } from "../../../src/worker/queue/postgres-signals.ts";

test("a connection to Postgres that comes too late for its only subscriber is ended", async () => {
  const [there, first] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()];
  const client = Object.assign(new EventEmitter(), {
    connect: () => there.promise,
    query: async (sql: string) => first.resolve(sql),
    end: async () => first.resolve("ended"),
  });
  const signals = new PostgresSignals({} as never, () => client as never, "late");
  const late = new AbortController();
  void signals.subscribe("s", () => {}, late.signal);
  late.abort();
  there.resolve();
  expect(await first.promise).toBe("ended");
  signals.close();
});

test("signals that Redis does not take are dropped once a thousand wait", async () => {
  const taken: (() => void)[] = [];
  const publish = () => new Promise<void>((resolve) => void taken.push(resolve));
  const signals = redisSignals({ publish } as never, "late");
  const send = (count: number) => {
    for (let n = 0; n < count; n++) void signals.publish("s", { n });
  };
  send(5_000);
  expect(taken).toHaveLength(1_000);
  for (const take of taken) take();
  await new Promise(setImmediate);
  send(1);
  expect(taken).toHaveLength(1_001);
});

// A subscription to signals that nobody waits for any more is forgotten, so that an outage leaves none behind.
import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
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

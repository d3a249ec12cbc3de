// Workers that are killed every second, with stores and queues that restart, lose and double nothing.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import { createDispatcher } from "agentchart/worker";
import { openStore } from "../../support/open-store.ts";
import { NO_POSTGRES, startPostgres } from "../../support/postgres.ts";
import { NO_REDIS, startRedis } from "../../support/redis.ts";
import { faultyQueue, type QueueSpec } from "./faults.ts";
import { Fleet } from "./fleet.ts";
import { desk, insist, isFinished, ledgerProblem, sessionProblem, tell } from "./town.ts";

const SESSIONS = process.env["SOAK"] === "1" ? 200 : 30;
const WORKERS = 3;
const KILL_EVERY_MS = 1_000;

const postgres = await startPostgres();
const redis = await startRedis();
const folder = mkdtempSync(join(tmpdir(), "agentchart-chaos-"));
afterAll(async () => {
  await redis?.stop();
  await postgres?.stop();
  rmSync(folder, { recursive: true });
});

async function chaos(queueSpec: Omit<QueueSpec, "loses" | "doubles">): Promise<void> {
  const { connectionString, restart } = postgres!;
  const ledger = join(folder, `${queueSpec.name}.ndjson`);
  const spec = { ...queueSpec, loses: 8, doubles: 8 };
  const store = await openStore({ kind: "postgres", connectionString, schema: `s_${queueSpec.name}` });
  const queue = faultyQueue(spec);
  const dispatcher = createDispatcher({ store, queue });
  const options = { concurrency: 6, leaseMs: 2_000, sweepMs: 500, pollMs: 200, retryMs: 200 };
  const orders = {
    store: { kind: "postgres", connectionString, schema: `s_${queueSpec.name}` } as const,
    queue: spec,
    ledger,
    options,
  };
  await store.list(); // the tables are there before the workers race for them
  const fleet = new Fleet(orders, WORKERS);
  try {
    const ids = Array.from({ length: SESSIONS }, (_, index) => `s${index}`);
    const saying = Promise.all(ids.map((id) => tell(dispatcher, id, 200, Math.random)));
    const killing = setInterval(() => fleet.killOne(), KILL_EVERY_MS);
    const left = new Set(ids);
    let restarts = 0;
    try {
      while (left.size > 0) {
        await insist(() => desk(store, dispatcher, ledger));
        for (const id of left) if (await insist(() => isFinished(store, dispatcher, id))) left.delete(id);
        if (restart && restarts < 2 && left.size < SESSIONS * (restarts === 0 ? 0.9 : 0.6)) {
          restarts++;
          await restart();
        }
        await sleep(200);
      }
    } finally {
      clearInterval(killing);
    }
    await saying;
    await expect.poll(() => fleet.isReady).toBe(true);
    expect(await fleet.drain()).toEqual(Array.from({ length: WORKERS }, () => 0));
    expect(fleet.accidents).toEqual([]);
    expect(fleet.kills).toBeGreaterThan(3);
    if (restart) expect(restarts).toBe(2);

    for (const id of ids) expect(await sessionProblem(store, id)).toBeUndefined();
    expect(ledgerProblem(ledger, SESSIONS)).toBeUndefined();
    expect(await store.listDue({ before: Date.now() })).toEqual({ sessionIds: [] });
  } finally {
    fleet.destroy();
    await queue.close();
    await store.close();
  }
}

const title = `${SESSIONS} sessions end well while workers are killed every second and the database is restarted`;

describe("chaos", () => {
  const onPostgres = postgres && { postgres: postgres.connectionString, name: "chaos_postgres" };
  test.skipIf(!onPostgres)(
    `${title}, with the queue on Postgres${onPostgres ? "" : ` (${NO_POSTGRES})`}`,
    { timeout: 900_000 },
    () => chaos(onPostgres!),
  );

  const onRedis = postgres && redis && { redis: redis.url, name: "chaos_redis" };
  test.skipIf(!onRedis)(
    `${title}, with the queue on Redis${onRedis ? "" : ` (${postgres ? NO_REDIS : NO_POSTGRES})`}`,
    { timeout: 900_000 },
    () => chaos(onRedis!),
  );
});

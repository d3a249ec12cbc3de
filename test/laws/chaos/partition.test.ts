// Workers, stores and queues that are cut off from each other lose and double nothing.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import { createDispatcher } from "agentchart/worker";
import { faultyProxy } from "../../support/faulty-proxy.ts";
import { openStore, type StoreSpec } from "../../support/open-store.ts";
import { NO_POSTGRES, startPostgres } from "../../support/postgres.ts";
import { NO_REDIS, startRedis } from "../../support/redis.ts";
import { faultyQueue, type QueueSpec } from "./faults.ts";
import { Fleet } from "./fleet.ts";
import { readLedger } from "./ledger.ts";
import { happen, partitionsOf, seeded } from "./partitions.ts";
import { countOf, desk, insist, isFinished, ledgerProblem, sessionProblem, tell } from "./town.ts";

const isSoak = process.env["SOAK"] === "1";
/** Each partition lasts up to `longestMs`: in the larger run several leases. */
const SIZE = isSoak
  ? { sessions: 30, rounds: 2, longestMs: 8_000 }
  : { sessions: 10, rounds: 1, longestMs: 2_400 };
const SEED = Number(process.env["SEED"] ?? 15);
const WORKERS = 3;
const KILL_EVERY_MS = 4_000;

const postgres = await startPostgres();
const redis = await startRedis();
const folder = mkdtempSync(join(tmpdir(), "agentchart-partition-"));
afterAll(async () => {
  await redis?.stop();
  await postgres?.stop();
  rmSync(folder, { recursive: true });
});

/** Runs sessions while their store, their queue and both are partitioned, and workers are killed. */
async function partitioned(kind: "postgres" | "redis", seed: number): Promise<void> {
  const random = seeded(seed);
  const direct = postgres!.connectionString;
  const queueUrl = kind === "redis" ? redis!.url : direct;
  const links = {
    store: await faultyProxy(direct, 5432),
    queue: await faultyProxy(queueUrl, kind === "redis" ? 6379 : 5432),
  };
  const name = `partition_${kind}_${seed}`;
  const at = (connectionString: string): StoreSpec => ({
    kind: "postgres",
    connectionString,
    schema: name,
    timeoutMs: 1_000,
  });
  const queueSpec: QueueSpec = { [kind]: links.queue.urlOf(queueUrl), name, loses: 8, doubles: 8 };
  const ledger = join(folder, `${name}.ndjson`);
  const options = {
    concurrency: 6,
    leaseMs: 2_000,
    sweepMs: 500,
    pollMs: 200,
    retryMs: 200,
    storeTimeoutMs: 5_000,
  };
  const truth = await openStore(at(direct));
  await truth.list(); // the tables are there before the workers race for them
  links.queue.fail("down"); // the workers start without it
  const store = await openStore(at(links.store.urlOf(direct)));
  const queue = faultyQueue(queueSpec);
  const dispatcher = createDispatcher({ store, queue });
  const fleet = new Fleet(
    { store: at(links.store.urlOf(direct)), queue: queueSpec, ledger, options },
    WORKERS,
  );
  try {
    await expect.poll(() => fleet.isReady).toBe(true);
    await dispatcher.dispatch("early", "The queue is away.", { agent: "clerk" });
    const early = async () => {
      await insist(() => desk(store, dispatcher, ledger)); // ends the quarantine of a session whose lease a busy machine did not renew
      return insist(() => dispatcher.status("early"));
    };
    await expect.poll(early).toMatchObject({ phase: "stopped", reason: "MODEL_STOP" });
    links.queue.restore();
    const begun = Date.now();
    const ids = Array.from({ length: SIZE.sessions }, (_, index) => `s${index}`);
    const partitions = Array.from({ length: SIZE.rounds }, () =>
      partitionsOf(["store", "queue", "network"], random, SIZE.longestMs),
    ).flat();
    const tellingMs = partitions.reduce((sum, { lastsMs, calmMs }) => sum + lastsMs + calmMs, 0);
    const saying = Promise.all(ids.map((id) => tell(dispatcher, id, tellingMs / 6, random)));
    const happening = happen(partitions, {
      store: [links.store],
      queue: [links.queue],
      network: [links.store, links.queue],
    });
    const killing = setInterval(() => fleet.killOne(), KILL_EVERY_MS);
    const left = new Set(ids);
    while (left.size > 0) {
      await insist(() => desk(store, dispatcher, ledger));
      for (const id of left) if (await insist(() => isFinished(store, dispatcher, id))) left.delete(id);
      await sleep(200);
    }
    const tookMs = Date.now() - begun;
    await Promise.all([saying, happening]);
    clearInterval(killing);
    await expect.poll(() => fleet.isReady).toBe(true);
    expect(await fleet.drain()).toEqual(Array.from({ length: WORKERS }, () => 0));
    expect(fleet.accidents).toEqual([]);

    for (const id of ids) expect(await sessionProblem(truth, id)).toBeUndefined();
    expect(ledgerProblem(ledger, SIZE.sessions)).toBeUndefined();
    expect(await truth.listDue({ before: Date.now() })).toEqual({ sessionIds: [] });
    const lines = readLedger(ledger);
    const again = countOf(lines, "start") - SIZE.sessions * 5;
    console.log(
      `${name}: ${SIZE.sessions} sessions, ${partitions.length} partitions (${tellingMs} ms), ${fleet.kills} kills, ` +
        `${countOf(lines, "append")} appends, ${again} attempts again; the last turn ended ${tookMs - tellingMs} ms after the last partition`,
    );
  } finally {
    fleet.destroy();
    for (const link of Object.values(links)) link.close();
    await queue.close();
    await store.close();
    await truth.close();
  }
}

const title = `${SIZE.sessions} sessions end well while store, queue and network become slow, silent, half-open and back`;
const seeds = isSoak ? [SEED, SEED + 1, SEED + 2] : [SEED];

describe.each(seeds)("partitions of seed %i", (seed) => {
  test.skipIf(!postgres || !redis)(
    `${title}, with the queue on Redis${postgres && redis ? "" : ` (${postgres ? NO_REDIS : NO_POSTGRES})`}`,
    { timeout: 900_000 },
    () => partitioned("redis", seed),
  );

  test.skipIf(!postgres || !isSoak)(
    `${title}, with the queue on Postgres (${postgres ? "SOAK=1" : NO_POSTGRES})`,
    { timeout: 900_000 },
    () => partitioned("postgres", seed),
  );
});

// 10,000 ticks over four workers that are killed at random, on clocks that jump: a small share in CI, all of them with SOAK=1.
import { expect, onTestFinished, test, vi } from "vitest";
import type { SessionStore } from "agentchart";
import { openSession } from "agentchart/session";
import { createSchedules, createWorker, inProcessQueue, type Worker } from "agentchart/worker";
import { echoModel } from "./kit.ts";
import { mortal, type Mortal } from "./mortal.ts";
import { STORES, type Clock } from "./schedule/stores.ts";

const SOAK = process.env["SOAK"] === "1";
const TICKS = SOAK ? 10_000 : 60;
const EVERY_MS = 60_000;
const LEASE_MS = 500;
/** The most writes of a worker before it dies. Each tick takes four or more: so few ticks need more than four such lives, too. */
const LIFE = SOAK ? 155 : 35;
const WRITES = ["acquire", "append", "putInput", "release"] as const;
if (SOAK) vi.setConfig({ testTimeout: 3_600_000 });

/** A generator of numbers from 0 to 1, the same ones for a seed. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

type Life = { readonly worker: Worker; readonly mortal: Mortal };

/** Four workers, each on a store of its own view that dies after a random number of writes, and is then replaced. */
class Fleet {
  readonly #store: SessionStore;
  readonly #clock: Clock;
  readonly #random: () => number;
  #lives: Life[] = [];
  readonly #dead: Life[] = [];
  readonly #queue = inProcessQueue();

  constructor(store: SessionStore, clock: Clock, random: () => number) {
    this.#store = store;
    this.#clock = clock;
    this.#random = random;
  }

  get kills(): number {
    return this.#dead.length;
  }

  async start(count: number, isMortal = true): Promise<void> {
    const lives = await Promise.all(Array.from({ length: count }, () => this.#begin(isMortal)));
    this.#lives.push(...lives);
  }

  /** Replaces the workers that have died since. */
  async replaceDead(): Promise<void> {
    const gone = this.#lives.filter(({ mortal: { isDead } }) => isDead());
    if (gone.length === 0) return;
    this.#dead.push(...gone);
    this.#lives = this.#lives.filter((life) => !gone.includes(life));
    await this.start(gone.length);
  }

  async end(): Promise<void> {
    for (const {
      mortal: { bury },
    } of this.#dead)
      bury();
    await Promise.all([...this.#dead, ...this.#lives].map(({ worker }) => worker.close({ deadlineMs: 0 })));
    this.#lives = [];
    await this.#queue.close();
  }

  async #begin(isMortal: boolean): Promise<Life> {
    const append = 5 + Math.floor(this.#random() * (LIFE - 5));
    const when = this.#random() < 0.5 ? "before" : "after";
    const life = mortal(this.#store, isMortal ? { append, when } : undefined, WRITES);
    const worker = createWorker({
      store: life.store,
      // a queue of its own: what a dead worker was woken for is lost with it
      queue: inProcessQueue(),
      agents: { echo: () => ({ name: "echo", model: echoModel }) },
      ...{
        leaseMs: LEASE_MS,
        sweepMs: 15,
        pollMs: 500,
        retryMs: 10,
        storeTimeoutMs: 5_000,
        maxCrashes: 1_000,
      },
      now: () => this.#clock.now,
    });
    await worker.start();
    return { worker, mortal: life };
  }
}

/** Moves the clock on to the end, now and then far ahead and back, while workers die. */
async function pass(
  fleet: Fleet,
  clock: Clock,
  begin: number,
  random: () => number,
  done: () => Promise<number>,
) {
  let minutes = 0;
  while (minutes < TICKS) {
    minutes = Math.min(TICKS, minutes + 1 + Math.floor(random() * 4));
    const backwards = random() < 0.1 ? Math.floor(random() * 30) * EVERY_MS : 0;
    clock.now = begin + minutes * EVERY_MS - backwards + Math.floor(random() * EVERY_MS * 0.9);
    await fleet.replaceDead();
    await expect.poll(done, { interval: 5 }).toBeGreaterThan(minutes - 60 - backwards / EVERY_MS);
  }
  clock.now = begin + TICKS * EVERY_MS + 1_000;
}

const kinds = STORES.filter(({ kind }) =>
  SOAK ? kind === "memory" || kind === "SQLite" : kind === "memory",
);
test.each(kinds)(`each of ${TICKS} ticks starts exactly once on $kind`, async ({ open }) => {
  const random = seeded(20_260_329);
  const begin = Date.parse("2026-03-29T00:00:00Z");
  const clock = { now: begin };
  const store = open({
    get now() {
      return performance.timeOrigin + performance.now(); // leases end in real time, the clock of schedules jumps
    },
  } as Clock);
  const queue = inProcessQueue();
  const schedules = createSchedules({ store, queue, now: () => clock.now });
  await schedules.add("tick", { agent: "echo", input: "hello", everyMs: EVERY_MS, missed: "all" });
  const fleet = new Fleet(store, clock, random);
  onTestFinished(() => fleet.end());
  await fleet.start(4);
  const started = async (): Promise<number> => (await schedules.get("tick")).starts;
  const replacing = async (): Promise<number> => {
    await fleet.replaceDead();
    return started();
  };
  await pass(fleet, clock, begin, random, replacing);
  const stopped = async (): Promise<number> => {
    await fleet.replaceDead();
    let count = 0;
    let cursor: string | undefined;
    do {
      const page = await store.list({
        phase: "stopped",
        limit: 1_000,
        ...(cursor !== undefined && { cursor }),
      });
      count += page.sessions.filter(({ reason }) => reason === "MODEL_STOP").length;
      cursor = page.cursor;
    } while (cursor !== undefined);
    return count;
  };
  await expect.poll(stopped).toBe(TICKS);
  // the session of the last tick may have ended before a worker that died has counted it
  const after = { starts: TICKS, nextTick: begin + (TICKS + 1) * EVERY_MS };
  await expect.poll(() => schedules.get("tick")).toMatchObject(after);
  expect(fleet.kills).toBeGreaterThan((TICKS * WRITES.length) / LIFE - 5);

  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.list({ limit: 1_000, ...(cursor !== undefined && { cursor }) });
    ids.push(...page.sessions.map(({ sessionId }) => sessionId));
    cursor = page.cursor;
  } while (cursor !== undefined);
  expect(ids).toHaveLength(TICKS);
  for (const sessionId of ids) {
    const { messages } = await (await openSession(store, sessionId)).at();
    expect(
      messages.map(({ role }) => role),
      sessionId,
    ).toEqual(["user", "assistant"]);
  }
  if (SOAK) console.log(`${TICKS} ticks, ${fleet.kills} workers killed`);
});

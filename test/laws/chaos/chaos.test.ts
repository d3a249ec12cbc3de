import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import { AgentError, toolUsesOf, type SessionStore } from "agentchart";
import { openSession } from "agentchart/session";
import { createDispatcher, type Dispatcher } from "agentchart/worker";
import { historyProblem } from "../../support/history.ts";
import { openStore } from "../../support/open-store.ts";
import { NO_POSTGRES, startPostgres } from "../../support/postgres.ts";
import { NO_REDIS, startRedis } from "../../support/redis.ts";
import { faultyQueue, type QueueSpec } from "./faults.ts";
import { Fleet } from "./fleet.ts";
import { hadEffect, readLedger, type LedgerLine } from "./ledger.ts";
import { SAID, storyProblem, valueOf } from "./script.ts";

const SESSIONS = process.env["SOAK"] === "1" ? 200 : 60;
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

/** What fails in passing is done again, as any client would, with the same key. */
async function insist<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!AgentError.is(error) || !error.isRetryable) throw error;
      await sleep(50);
    }
  }
}

/** The people at the desk: they approve, say what became of calls that were in flight, and retry what was given up. */
async function desk(store: SessionStore, dispatcher: Dispatcher, ledger: string): Promise<void> {
  const { sessions } = await store.list({ phase: "suspended", limit: 1_000 });
  for (const { sessionId } of sessions) {
    const { pending } = await dispatcher.status(sessionId);
    for (const { callId, waitsFor, argsHash, decided, since } of pending) {
      if (decided) continue;
      const options = { argsHash, idempotencyKey: `${callId} ${waitsFor} ${since}` };
      const isDone = hadEffect(ledger, sessionId, callId);
      const decision = waitsFor === "approval" ? "approve" : isDone ? { answer: valueOf(callId) } : "retry";
      await dispatcher.decide(sessionId, callId, decision, options);
    }
  }
  for (const { sessionId } of (await dispatcher.deadLetters()).letters) {
    await dispatcher.retry(sessionId).catch((error: unknown) => {
      const isHeld = AgentError.is(error) && error.code === "session/conflict";
      if (!isHeld) throw error; // the process that gave it up still has it
    });
  }
}

async function isFinished(dispatcher: Dispatcher, sessionId: string): Promise<boolean> {
  const { phase, inputs, reason, seq } = await dispatcher.status(sessionId);
  return seq > 0 && phase === "stopped" && inputs === 0 && reason === "MODEL_STOP";
}

/** What of a ledger contradicts the rules, if anything. */
function ledgerProblem(lines: readonly LedgerLine[]): string | undefined {
  const fences = new Map<string, number>();
  const seqs = new Map<string, number>();
  const recorded = new Set<string>();
  const effects = new Map<string, number>();
  for (const { what, sessionId, fence, callId, seq = 0 } of lines) {
    const call = `${sessionId} ${callId}`;
    if (what === "append" && seq < (seqs.get(sessionId) ?? 0)) continue; // an older append whose line came late
    if (fence < (fences.get(sessionId) ?? 0))
      return `${sessionId}: fence ${fence} after ${fences.get(sessionId)}`;
    fences.set(sessionId, fence);
    if (what === "append") seqs.set(sessionId, seq);
    if (what === "recorded") {
      if (recorded.has(call)) return `${call}: its result was recorded twice`;
      recorded.add(call);
    }
    if (what === "start" && recorded.has(call)) return `${call}: it ran again after its result was recorded`;
    if (what === "effect") effects.set(call, (effects.get(call) ?? 0) + 1);
  }
  const twice = [...effects].find(([call, count]) => count > 1 && !call.includes(" safe-"));
  return twice && `${twice[0]}: it had its effect ${twice[1]} times`;
}

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
    const say = async (sessionId: string): Promise<void> => {
      for (const text of SAID) {
        const times = Math.random() < 0.2 ? 2 : 1; // a client that did not hear the answer
        for (let count = 0; count < times; count++)
          await insist(() => dispatcher.dispatch(sessionId, text, { agent: "clerk", idempotencyKey: text }));
        await sleep(Math.random() * 200);
      }
    };
    const saying = Promise.all(ids.map(say));
    const killing = setInterval(() => fleet.killOne(), KILL_EVERY_MS);
    const left = new Set(ids);
    let restarts = 0;
    try {
      while (left.size > 0) {
        await insist(() => desk(store, dispatcher, ledger));
        for (const id of left)
          if (await insist(async () => (await hasBegun(dispatcher, id)) && isFinished(dispatcher, id))) {
            const { messages } = await insist(async () => (await openSession(store, id)).at());
            if (messages.filter(({ role }) => role === "user").length === SAID.length) left.delete(id);
          }
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
    await expect.poll(() => fleet.isReady, { timeout: 120_000 }).toBe(true);
    expect(await fleet.drain()).toEqual(Array.from({ length: WORKERS }, () => 0));
    expect(fleet.accidents).toEqual([]);
    expect(fleet.kills).toBeGreaterThan(3);
    if (restart) expect(restarts).toBe(2);

    for (const id of ids) {
      const { messages } = await (await openSession(store, id)).at();
      expect(historyProblem(messages), id).toBeUndefined();
      expect(storyProblem(messages), id).toBeUndefined();
      expect(messages.flatMap(toolUsesOf).map(({ name }) => name)).toEqual([
        "look",
        "slow",
        "pay",
        "safe",
        "slow",
      ]);
    }
    const lines = readLedger(ledger);
    expect(ledgerProblem(lines)).toBeUndefined();
    expect(lines.filter(({ what }) => what === "effect").length).toBeGreaterThanOrEqual(SESSIONS * 5);
    expect(await store.listDue({ before: Date.now() })).toEqual({ sessionIds: [] });
  } finally {
    fleet.destroy();
    await queue.close();
    await store.close();
  }
}

async function hasBegun(dispatcher: Dispatcher, sessionId: string): Promise<boolean> {
  try {
    await dispatcher.status(sessionId);
    return true;
  } catch (error) {
    if (AgentError.is(error) && error.code === "session/not-found") return false;
    throw error;
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

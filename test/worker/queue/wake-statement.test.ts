// Wake-ups in the transaction of their input, where queue and store are one Postgres.
import pg from "pg";
import { afterAll, describe, expect, test, vi } from "vitest";
import type { SessionStore } from "agentchart";
import { postgresStore } from "agentchart/store/postgres";
import { bullQueue, createDispatcher, createWorker, type WakeQueue } from "agentchart/worker";
import { NO_POSTGRES, startPostgres } from "../../support/postgres.ts";
import { echoModel } from "../kit.ts";

const server = await startPostgres();

/** A queue, a store and a connection for one test. */
async function withBackend(
  name: string,
  work: (parts: {
    readonly queue: WakeQueue;
    readonly store: SessionStore;
    readonly pool: pg.Pool;
  }) => Promise<void>,
): Promise<void> {
  const { connectionString } = server!;
  const pool = new pg.Pool({ connectionString });
  const queue = bullQueue({ postgres: connectionString, name });
  const store = postgresStore({ connectionString });
  try {
    await queue.stats(); // it is connected
    await work({ queue, store, pool });
  } finally {
    await queue.close();
    await store.close();
    await pool.end();
  }
}

/** The ids of the transactions that have made the rows of a query. */
async function madeBy(pool: pg.Pool, sql: string, values: readonly unknown[]): Promise<readonly string[]> {
  const { rows } = await pool.query<{ made: string }>(`SELECT xmin::text AS made FROM ${sql}`, [...values]);
  return rows.map(({ made }) => made);
}

describe.skipIf(!server)(`a wake-up on Postgres${server ? "" : ` (${NO_POSTGRES})`}`, () => {
  afterAll(() => server?.stop());

  test("is made by the transaction of its input, once for a session, with its priority and its delay", async () => {
    await withBackend("one", async ({ queue, store, pool }) => {
      const wake = vi.spyOn(queue, "wake");
      const dispatcher = createDispatcher({ queue, store });
      const input = (id: string) => madeBy(pool, "agentchart.inputs WHERE session_id = $1", [id]);
      const job = (id: string) => madeBy(pool, "agentchart_queue.job WHERE data ->> 'sessionId' = $1", [id]);
      for (const [index, options] of [{}, { priority: 7 }, { delayMs: 60_000 }].entries()) {
        const id = `s${index} $1 ü`;
        const sent = await dispatcher.dispatch(id, "Go.", { agent: "desk", idempotencyKey: "k", ...options });
        expect(sent).toEqual({ inputId: "k", state: "accepted", woken: true });
        expect(await input(id)).toHaveLength(1);
        expect(await job(id)).toEqual(await input(id));
      }
      const again = await dispatcher.dispatch("s0 $1 ü", "Go.", { idempotencyKey: "k" });
      expect(again).toEqual({ inputId: "k", state: "duplicate", woken: true });
      await dispatcher.dispatch("s0 $1 ü", "More.");
      expect(await job("s0 $1 ü")).toHaveLength(1);
      expect(await queue.stats()).toEqual({ waiting: 2, active: 0, delayed: 1 });
      expect(wake).not.toHaveBeenCalled();
      await expect(dispatcher.steer("unknown", "Left.")).rejects.toMatchObject({ code: "session/not-found" });
      expect(await job("unknown")).toEqual([]);
      expect(await input("unknown")).toEqual([]);
    });
  });

  test("reaches a worker, and one that comes while the worker has the session follows", async () => {
    await withBackend("two", async ({ queue, store }) => {
      const agents = { desk: () => ({ name: "desk", model: echoModel }) };
      const worker = createWorker({ queue, store, agents, sweepMs: 0, pollMs: 60_000 });
      await worker.start();
      const dispatcher = createDispatcher({ queue, store });
      const texts = Array.from({ length: 20 }, (_, n) => `text ${n}`);
      await dispatcher.dispatch("t", texts[0]!, { agent: "desk" });
      for (const text of texts.slice(1)) await dispatcher.dispatch("t", text);
      await expect.poll(() => worker.stats().turns).toBe(20);
      expect(await store.takeInputs("t", 99)).toEqual([]);
      await worker.close();
    });
  });

  test("is left to the queue, and the input is stored, if its statement fails, or the queue is elsewhere", async () => {
    await withBackend("three", async ({ queue, store, pool }) => {
      const statement = await queue.wakeStatement!("u");
      expect(statement?.sql).toContain('"agentchart_queue".add_job(');
      const [wake, offered] = [vi.spyOn(queue, "wake"), vi.spyOn(queue, "wakeStatement")];
      const dispatcher = createDispatcher({ queue, store });
      const sql = statement!.sql.replace("add_job", "add_no_job");
      for (const [index, other] of [{ sql }, { database: "postgres://elsewhere/app" }].entries()) {
        offered.mockResolvedValueOnce({ ...statement!, ...other });
        const sent = await dispatcher.dispatch(`u${index}`, "Go.", { agent: "desk" });
        expect(sent).toMatchObject({ state: "accepted", woken: true });
        expect(wake).toHaveBeenCalledTimes(index + 1);
        expect(await store.takeInputs(`u${index}`, 9)).toHaveLength(1);
      }
      expect(await madeBy(pool, "agentchart_queue.job WHERE queue = $1", ["three"])).toHaveLength(2);
    });
  });

  test("is not there before the queue is connected, nor after it is closed, nor on a queue in memory", async () => {
    const queue = bullQueue({ postgres: server!.connectionString, name: "four" });
    expect(await queue.wakeStatement!("v")).toBeUndefined();
    await queue.wake("v");
    expect(await queue.wakeStatement!("v")).toBeDefined();
    await expect(queue.wakeStatement!("v", { priority: -1 })).rejects.toMatchObject({
      code: "config/invalid",
    });
    await queue.close();
    expect(await queue.wakeStatement!("v")).toBeUndefined();
  });
});

// A Postgres that swallows packets.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AgentError, createAgent, type SessionStore } from "agentchart";
import { postgresStore } from "agentchart/store/postgres";
import { scriptedModel } from "agentchart/testing";
import { NO_POSTGRES, startPostgres, type TestPostgres } from "../support/postgres.ts";
import { faultyProxy, type FaultyProxy, type Silence } from "../support/faulty-proxy.ts";
import { toolOf } from "../support/agents.ts";

const postgres: TestPostgres | undefined = await startPostgres();
let proxy: FaultyProxy;
let connectionString: string;

beforeAll(async () => {
  if (!postgres) return;
  proxy = await faultyProxy(postgres.connectionString, 5432);
  connectionString = proxy.urlOf(postgres.connectionString);
});
afterAll(async () => {
  proxy?.close();
  await postgres?.stop();
});

const TIMEOUT_MS = 400;
const entry = (seq: number) => ({ seq, at: 1, type: "position", data: {} });

/** Every operation that a store has, on a session that exists and is leased. */
const OPERATIONS: readonly [string, (store: SessionStore, id: string) => Promise<unknown>][] = [
  ["acquire", (store, id) => store.acquire(`${id}-2`, { owner: "o", ttlMs: 1_000 })],
  [
    "release",
    (store, id) => store.release({ sessionId: id, owner: "o", fence: 1, expiresAt: 0, takeovers: 0 }),
  ],
  [
    "renew",
    (store, id) => store.renew({ sessionId: id, owner: "o", fence: 1, expiresAt: 0, takeovers: 0 }, 9_000),
  ],
  [
    "append",
    (store, id) => store.append(id, { expectedSeq: 0, fence: 1, entries: [entry(1)], position: {} }),
  ],
  ["load", (store, id) => store.load(id)],
  ["read", (store, id) => store.read(id)[Symbol.asyncIterator]().next()],
  ["putInput", (store, id) => store.putInput(id, { id: "i", data: {} })],
  ["takeInputs", (store, id) => store.takeInputs(id, 1)],
  ["list", (store) => store.list()],
  ["listDue", (store) => store.listDue({ before: 0 })],
  ["delete", (store, id) => store.delete(`${id}-3`)],
];

describe.skipIf(!postgres)(postgres ? "a Postgres that does not answer" : NO_POSTGRES, () => {
  for (const direction of ["requests", "answers"] satisfies readonly Silence[]) {
    test.each(OPERATIONS)(
      `%s rejects in time while the ${direction} are swallowed`,
      async (name, operate) => {
        const store = postgresStore({ connectionString, timeoutMs: TIMEOUT_MS });
        const id = `${direction}-${name}`;
        await store.acquire(id, { owner: "o", ttlMs: 60_000 });
        proxy.fail(direction);
        await expect(operate(store, id)).rejects.toMatchObject({ code: "store/failed", isRetryable: true });
        proxy.restore();
        // Statements that others share may find their connection broken, once.
        const takes = (): Promise<unknown> => store.takeInputs("other", 1).catch(() => "failed");
        await expect.poll(takes).toEqual([]);
        await store.close();
      },
    );

    test(`connecting and closing end while the ${direction} are swallowed`, async () => {
      const known = postgresStore({ connectionString, timeoutMs: TIMEOUT_MS });
      await known.load("s");
      proxy.fail(direction);
      const store = postgresStore({ connectionString, timeoutMs: TIMEOUT_MS });
      await expect(store.load("s")).rejects.toMatchObject({ code: "store/failed" });
      await Promise.all([store.close(), known.close()]);
      proxy.restore();
    });
  }

  test("a store that found no server at first does everything once there is one", async () => {
    const store = postgresStore({ connectionString, timeoutMs: TIMEOUT_MS });
    proxy.fail("down");
    await expect(store.load("early")).rejects.toMatchObject({ code: "store/failed", isRetryable: true });
    proxy.restore();
    await store.load("early");
    await store.putInput("early", { id: "i", data: {} });
    expect(await store.takeInputs("early", 1)).toHaveLength(1);
    await store.close();
  });

  test("ends a call, its agent and the store, and another process goes on", async () => {
    const store = postgresStore({ connectionString, timeoutMs: 3 * TIMEOUT_MS });
    let paid = 0;
    const pay = toolOf("pay", () => {
      paid++;
      proxy.fail("answers");
      return "paid";
    });
    const config = { name: "a", sessionId: "silent", tools: [pay], sessionOptions: { leaseMs: 3_000 } };
    const model = scriptedModel([{ calls: [{ id: "c1", name: "pay" }] }, "Done."]);
    const agent = createAgent({ ...config, model, store });
    const error = await agent.call("Pay.", { timeoutMs: 6_000 }).catch((caught: AgentError) => caught);
    expect(error).toMatchObject({
      code: expect.stringMatching(/^(store\/failed|run\/timeout|session\/lease-lost)$/),
    });
    await agent.shutdown({ deadlineMs: 100 });
    await store.close();
    proxy.restore();

    const other = postgresStore({ connectionString });
    const next = createAgent({ ...config, model: scriptedModel(["Done."]), store: other });
    await expect
      .poll(() =>
        next.open().then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    if (next.status().phase === "unfinished") await next.call().catch(() => {});
    for (const { callId } of next.status().pending) await next.decide(callId, { answer: "paid" });
    if (next.status().phase === "suspended") await next.call();
    expect([next.status().phase, paid]).toEqual(["stopped", 1]);
    await next.close();
    await other.close();
  });
});

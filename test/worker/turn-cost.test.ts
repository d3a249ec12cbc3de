// The cost of a turn on Postgres, counted: statements, rows, WAL and notifications, whatever the load of the machine.
import crypto from "node:crypto";
import pg from "pg";
import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { createAgent, type AgentConfig } from "agentchart";
import { exportSession, importSession } from "agentchart/session";
import { memoryStore } from "agentchart/store/memory";
import { postgresStore } from "agentchart/store/postgres";
import { bullQueue, createDispatcher, createWorker } from "agentchart/worker";
import { collectAll } from "../../src/testing/store-contract-kit.ts";
import { PostgresPipeline } from "../../src/store/postgres-pipeline.ts";
import { toolOf } from "../support/agents.ts";
import { NO_POSTGRES, startPostgres } from "../support/postgres.ts";
import { echoModel } from "./kit.ts";

const server = await startPostgres();
const SCHEMA = "agentchart_cost";
const desk: AgentConfig = {
  name: "desk",
  model: echoModel,
  tools: [toolOf("look", () => "It is on shelf 4, in the second row, beside the lamp.")],
  modelOptions: { contextWindow: { maxMessages: 40 } },
};

/** A store, a queue and workers, and what the store is asked. */
async function office(name: string) {
  const { connectionString } = server!;
  const store = postgresStore({ connectionString, schema: SCHEMA });
  const queue = bullQueue({ postgres: connectionString, name });
  const db = new pg.Client({ connectionString });
  await db.connect();
  onTestFinished(async () => {
    await queue.close();
    await store.close();
    await db.query(`DROP SCHEMA IF EXISTS ${SCHEMA} CASCADE`);
    await db.end();
  });
  await expect.poll(() => queue.stats()).toBeDefined(); // a busy server may be made ready in more than one attempt
  const dispatcher = createDispatcher({ store, queue });
  const open = async () => {
    const agents = { desk: () => ({ ...desk }) as never };
    const worker = createWorker({ store, queue, agents, sweepMs: 0, pollMs: 60_000 });
    await worker.start();
    return worker;
  };
  const said = async (sessionId: string, text: string) => {
    const isFree = async (): Promise<boolean> => {
      const { rows } = await db.query(
        `SELECT FROM ${SCHEMA}.sessions AS s WHERE session_id = $1 AND phase = 'stopped' AND owner IS NULL
         AND NOT EXISTS (SELECT FROM ${SCHEMA}.inputs AS i WHERE i.session_id = s.session_id AND data IS NOT NULL)`,
        [sessionId],
      );
      return rows.length === 1;
    };
    await dispatcher.dispatch(sessionId, text, { agent: "desk" });
    await expect.poll(isFree, { interval: 5 }).toBe(true);
  };
  return { store, db, open, said };
}

/** Counts what the store asks of the database meanwhile: its statements, and the rows and characters that come back. */
async function counted(work: () => Promise<void>) {
  const spies = [vi.spyOn(pg.Pool.prototype, "query"), vi.spyOn(PostgresPipeline.prototype, "query")];
  await work();
  const results = () => spies.flatMap(({ mock }) => mock.settledResults.map(({ type }) => type));
  await expect.poll(results).not.toContain("incomplete");
  const asked = spies.flatMap(({ mock: { calls, settledResults } }) =>
    settledResults.map((result, index) => ({
      config: calls[index]![0] as { readonly text?: string },
      result,
    })),
  );
  for (const spy of spies) spy.mockRestore();
  const found = asked
    .filter(({ config }) => String(config.text).includes(`"${SCHEMA}"`))
    .map(({ result }) => result);
  const rows = found.map(({ value }) => (value as pg.QueryResult).rows);
  const characters = rows.reduce((sum, each) => sum + JSON.stringify(each).length, 0);
  return { statements: rows.length, rows: rows.reduce((sum, each) => sum + each.length, 0), characters };
}

describe.skipIf(!server)(`a turn on Postgres${server ? "" : ` (${NO_POSTGRES})`}`, () => {
  afterAll(() => server?.stop());

  test.skipIf(!server?.restart)(
    "of one tool writes at most 10 KB of WAL, in five statements of the store, and notifies nobody of what nobody watches",
    async () => {
      const { db, open, said } = await office("wal");
      // neither the images of pages after a checkpoint nor statistics belong to a turn
      for (const setting of ["full_page_writes = off", "autovacuum = off"])
        await db.query(`ALTER SYSTEM SET ${setting}`);
      await db.query("SELECT pg_reload_conf()");
      const worker = await open();
      for (let n = 0; n < 5; n++) await said(`warm ${n}`, "call look");
      const told: string[] = [];
      db.on("notification", ({ channel }) => told.push(channel));
      const { rows } = await db.query<{ name: string }>(`SELECT 'agentchart_' || md5('"${SCHEMA}"') AS name`);
      const signals = `agentchart_signals_${crypto.hash("md5", "wal")}`; // the name of the queue
      for (const channel of [rows[0]!.name, signals, "bullmq_events"]) await db.query(`LISTEN ${channel}`);
      const position = async () =>
        (await db.query<{ at: number }>("SELECT (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8 AS at"))
          .rows[0]!.at;
      const before = await position();
      const TURNS = 20;
      const { statements } = await counted(async () => {
        for (let n = 0; n < TURNS; n++) await said(`turn ${n}`, "call look");
      });
      const bytes = ((await position()) - before) / TURNS;
      await worker.close();
      expect(statements / TURNS).toBeLessThanOrEqual(6);
      expect(bytes).toBeLessThan(10_000);
      expect(told).toEqual([]);
    },
  );

  test("reads the same at 10 and at 1,000 messages: nothing of the journal on a worker that knows the session", async () => {
    const { store, open, said } = await office("length");
    const costs: { readonly [worker: string]: Awaited<ReturnType<typeof counted>> }[] = [];
    for (const messages of [10, 1_000]) {
      const id = `of ${messages}`;
      const source = memoryStore();
      const agent = createAgent({ ...desk, store: source, sessionId: id });
      for (let turn = 0; turn < messages / 2; turn++) await agent.call(`turn ${turn}`);
      await agent.close();
      await importSession(store, await collectAll(exportSession(source, id)));
      const worker = await open();
      const fresh = await counted(() => said(id, "Once more."));
      const known = await counted(() => said(id, "And again."));
      await worker.close();
      costs.push({ fresh, known });
    }
    const [short, long] = costs;
    expect(long!["known"]!.statements).toBe(short!["known"]!.statements);
    expect(long!["known"]!.rows).toBe(short!["known"]!.rows);
    expect(long!["known"]!.characters).toBeLessThan(1.5 * short!["known"]!.characters);
    expect(long!["fresh"]!.statements).toBeLessThanOrEqual(short!["fresh"]!.statements + 1);
    expect(long!["fresh"]!.rows).toBeLessThan(60);
  });
});

// A worker takes a session with its first look. Whatever keeps it from opening the session then, nobody has to wait for its lease.
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import pg from "pg";
import { AgentError } from "agentchart";
import { postgresStore } from "agentchart/store/postgres";
import type { SessionStore } from "agentchart";
import type { WorkerOptions } from "agentchart/worker";
import { NO_POSTGRES, startPostgres } from "../support/postgres.ts";
import { bench, echoModel, ofType } from "./kit.ts";

const server = await startPostgres();
let schemas = 0;

/** A worker on Postgres that does not begin, and what each of its looks at a session has brought. */
async function office(options: Partial<WorkerOptions> = {}) {
  const schema = `agentchart_taken_${++schemas}`;
  const { connectionString } = server!;
  const store = postgresStore({ connectionString, schema });
  const looks: { asked: boolean; taken: boolean }[] = [];
  const watched: SessionStore = Object.assign(Object.create(store) as SessionStore, {
    acquire: async (...args: Parameters<SessionStore["acquire"]>) => {
      const lease = await store.acquire(...args);
      looks.push({ asked: args[1].ifReady === true, taken: lease !== undefined });
      return lease;
    },
  });
  const made = await bench({ store: watched, isIdle: true, sweepMs: 0, retryMs: 60_000, ...options });
  onTestFinished(() => store.close());
  return { ...made, store, looks, schema };
}

const echo = { name: "echo", model: echoModel };

describe.skipIf(!server)(`a worker on Postgres${server ? "" : ` (${NO_POSTGRES})`}`, () => {
  afterAll(() => server?.stop());

  test("has the session from its first look on", async () => {
    const made = await office();
    await made.dispatcher.dispatch("s", "hello", { agent: "echo" });
    await made.worker.start();
    await expect.poll(() => ofType(made, "session.end").length).toBe(1);
    expect(made.looks[0]).toEqual({ asked: true, taken: true });
    expect(await made.store.holder!("s")).toBeUndefined();
  });

  test("takes the session anew when its agent was long in the making, and runs it once", async () => {
    let [at, asked] = [1_000, 0];
    const model = {
      ...echoModel,
      stream: (...args: Parameters<typeof echoModel.stream>) => (asked++, echoModel.stream(...args)),
    };
    const made = await office({
      now: () => at,
      agents: {
        echo: () => {
          at += 10_000; // the whole lease of it
          return { name: "echo", model };
        },
      },
    });
    await made.dispatcher.dispatch("s", "hello", { agent: "echo" });
    await made.worker.start();
    await expect.poll(() => ofType(made, "session.end").length).toBe(1);
    expect(made.looks[0]).toEqual({ asked: true, taken: true });
    expect([asked, await made.store.holder!("s")]).toEqual([1, undefined]);
    expect((await made.store.load("s"))!.position["phase"]).toBe("stopped");
  });

  const REFUSED = {
    "it has no such agent": {},
    "its agent cannot be made": {
      echo: () => {
        throw new AgentError("config/invalid", "no");
      },
    },
    "its agent is damaged": { echo: () => ({ ...echo, maxIters: -1 }) },
  } as const;

  test.each(Object.entries(REFUSED))("leaves the session to others at once if %s", async (_, agents) => {
    const made = await office({ agents: agents as never });
    await made.dispatcher.dispatch("s", "hello", { agent: "echo" });
    await made.worker.start();
    await expect
      .poll(() => ofType(made, "session.unknown").length + ofType(made, "session.putBack").length)
      .toBe(1);
    expect(made.looks[0]).toEqual({ asked: true, taken: true });
    await expect.poll(() => made.store.holder!("s")).toBeUndefined();
    await made.queue.wake("s");
    await expect
      .poll(() => ofType(made, "session.unknown").length + ofType(made, "session.putBack").length)
      .toBe(2);
    expect(made.looks.slice(1).filter(({ asked }) => asked)).toEqual([]); // it looks before it takes now
  });

  test("leaves a session with a damaged input at once, and reports it", async () => {
    const made = await office();
    await made.dispatcher.dispatch("s", "hello", { agent: "echo" });
    const client = new pg.Client({ connectionString: server!.connectionString });
    await client.connect();
    await client.query(`UPDATE "${made.schema}".inputs SET checksum = checksum + 1`);
    await client.end();
    await made.worker.start();
    await expect
      .poll(() => ofType(made, "error").map(({ error }) => error.code))
      .toEqual(["session/damaged"]);
    expect(await made.store.holder!("s")).toBeUndefined();
  });

  test("looks before it takes where tenants have limits", async () => {
    const made = await office({ limits: { "*": { concurrency: 1 } } });
    await made.dispatcher.dispatch("s", "hello", { agent: "echo", meta: { tenant: "acme" } });
    await made.worker.start();
    await expect.poll(() => ofType(made, "session.end").length).toBe(1);
    expect(made.looks.filter(({ asked }) => asked)).toEqual([]);
  });
});

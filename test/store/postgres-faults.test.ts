// Failures of Postgres.
import { inspect } from "node:util";
import pg from "pg";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { AgentError } from "../../src/core/base/error.ts";
import type { Lease, SessionStore } from "../../src/store/port.ts";
import { postgresStore } from "../../src/store/postgres.ts";
import { collectAll, batchOf, createSession, acquireLease } from "../../src/testing/store-contract-kit.ts";
import { NO_POSTGRES, startPostgres } from "../support/postgres.ts";

const server = await startPostgres();
const schema = "agentchart_faults";
const connectionString = server?.connectionString ?? "";
const opened: SessionStore[] = [];

function open(): SessionStore {
  const store = postgresStore({ connectionString, schema });
  opened.push(store);
  return store;
}

async function sql(text: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  client.on("error", () => {});
  await client.connect();
  await client.query(text);
  await client.end();
}

/** Appends until the session has `count` entries; after a failure it looks how far it came, as an agent does. `told` hears of
 *  each that was written. */
async function appendUntil(
  store: SessionStore,
  lease: Lease,
  count: number,
  told: (seq: number) => void = () => {},
): Promise<AgentError[]> {
  const failures: AgentError[] = [];
  let seq = 0;
  while (seq < count) {
    try {
      seq = await store.append(lease.sessionId, batchOf(lease, seq));
      told(seq);
    } catch (error) {
      if (!AgentError.is(error)) throw error;
      failures.push(error);
      const loaded = await store.load(lease.sessionId).catch(() => undefined);
      seq = loaded?.seq ?? seq;
    }
  }
  return failures;
}

const isConnectionFailure = (error: AgentError) => error.code === "store/failed" && error.isRetryable;
const seqsOf = async (store: SessionStore, id: string) =>
  (await collectAll(store.read(id))).map(({ seq }) => seq);
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

afterEach(() => Promise.all(opened.splice(0).map((store) => store.close())));
afterAll(async () => {
  if (server) await sql(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  await server?.stop();
});

describe.skipIf(!server)(`Postgres that fails${server ? "" : ` (${NO_POSTGRES})`}`, () => {
  test("Postgres connections that end under load give typed errors, and no entry is lost or doubled", async () => {
    const store = open();
    const lease = await acquireLease(store, `terminated ${Date.now()}`);
    let written = 0;
    const appending = appendUntil(store, lease, 300, (seq) => (written = seq));
    const kill =
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND query LIKE '%agentchart_faults%'";
    const killing = (async () => {
      for (let before = 0; before < 290; before = written) {
        await sql(kill);
        await expect.poll(() => written, { interval: 1 }).toBeGreaterThan(before + 4);
      }
    })();
    const [failures] = await Promise.all([appending, killing]);
    expect(failures.filter((error) => !isConnectionFailure(error))).toEqual([]);
    expect(await seqsOf(open(), lease.sessionId)).toEqual(upTo(300));
  });

  test.skipIf(!server?.restart)(
    "a restart of Postgres under load gives typed errors, loses no entry, and watchers go on",
    async () => {
      const store = open();
      const lease = await acquireLease(store, `restarted ${Date.now()}`);
      const stop = new AbortController();
      const seen: number[] = [];
      const watching = (async () => {
        for await (const seq of open().watch!(lease.sessionId, { signal: stop.signal })) {
          seen.push(seq);
          if (seq === 400) stop.abort();
        }
      })();
      await store.append(lease.sessionId, batchOf(lease, 0));
      const [failures] = await Promise.all([appendUntil(store, lease, 400), server!.restart!()]);
      expect(
        failures.filter((error) => !isConnectionFailure(error) && error.code !== "session/conflict"),
      ).toEqual([]);
      await watching;
      expect(seen.at(-1)).toBe(400);
      expect(await seqsOf(store, lease.sessionId)).toEqual(upTo(400));
    },
  );

  test("Postgres tables of a newer release give session/version", async () => {
    await createSession(open(), "s");
    await sql(`INSERT INTO ${schema}.migrations (version) VALUES (99)`);
    await expect(open().load("s")).rejects.toMatchObject({ code: "session/version" });
    await sql(`DELETE FROM ${schema}.migrations WHERE version = 99`);
    expect((await open().load("s"))?.seq).toBe(1);
  });

  test("a missing entry in Postgres gives session/damaged", async () => {
    const store = open();
    const lease = await acquireLease(store, "holed");
    for (let seq = 0; seq < 3; seq++) await store.append("holed", batchOf(lease, seq));
    await sql(`DELETE FROM ${schema}.entries WHERE session_id = 'holed' AND seq = 2`);
    await expect(collectAll(store.read("holed"))).rejects.toMatchObject({ code: "session/damaged" });
  });

  test("a Postgres user without rights to create can use existing tables", async () => {
    await createSession(open(), "s2");
    await sql("DROP ROLE IF EXISTS agentchart_guest");
    await sql("CREATE ROLE agentchart_guest LOGIN PASSWORD 'guest'");
    await sql(`GRANT USAGE ON SCHEMA ${schema} TO agentchart_guest;
      GRANT ALL ON ALL TABLES IN SCHEMA ${schema} TO agentchart_guest`);
    const url = new URL(connectionString);
    [url.username, url.password] = ["agentchart_guest", "guest"];
    const store = postgresStore({ connectionString: url.href, schema });
    opened.push(store);
    const lease = await acquireLease(store, "s2");
    expect(await store.append("s2", batchOf(lease, 1))).toBe(2);
    const elsewhere = postgresStore({ connectionString: url.href, schema: "agentchart_elsewhere" });
    await expect(elsewhere.load("s")).rejects.toMatchObject({ code: "store/failed", isRetryable: false });
    await elsewhere.close();
    await sql(`REVOKE ALL ON SCHEMA ${schema} FROM agentchart_guest;
      REVOKE ALL ON ALL TABLES IN SCHEMA ${schema} FROM agentchart_guest; DROP ROLE agentchart_guest`);
  });
});

describe("no error of postgresStore contains the connection string", () => {
  const secret = "s3cret-of-mine";
  test.each([
    ["store/failed", `postgres://me:${secret}@127.0.0.1:1/db`],
    ["config/invalid", `postgres://me:${secret}@[/db`],
  ])("%s", async (code, url) => {
    const store = postgresStore({ connectionString: url });
    const error: unknown = await store.load("s").catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code });
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(secret);
    await store.close();
  });

  test("postgresStore refuses invalid options with config/invalid at once", () => {
    const config = { code: "config/invalid" };
    expect(() => postgresStore({})).toThrow(expect.objectContaining(config));
    expect(() => postgresStore({ connectionString: "postgres://x", schema: 'a"; --' })).toThrow(
      expect.objectContaining(config),
    );
  });
});

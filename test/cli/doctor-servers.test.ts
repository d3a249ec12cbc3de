// The command `doctor` at real servers.
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import type { Asked } from "../../src/cli/doctor/check.ts";
import { queueCheck } from "../../src/cli/doctor/doctor-command.ts";
import { storeCheck } from "../../src/cli/doctor/store-check.ts";
import { postgresStore } from "../../src/store/postgres.ts";
import { NO_POSTGRES, startPostgres } from "../support/postgres.ts";
import { NO_REDIS, startRedis } from "../support/redis.ts";

/** What a check says of a store and a queue. */
async function said({ run }: typeof storeCheck, store: string, queue?: string): Promise<readonly string[]> {
  const asked = { flags: { store, queue }, env: {} } as Asked;
  const findings = await run(asked, new AbortController().signal);
  return findings.map(({ state, check, text }) => `${state} ${check} ${text}`);
}

/** Makes an empty database beside that of an address, and returns its address. */
async function newDatabase(address: string): Promise<string> {
  const name = `doctor_${process.pid}`;
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  await client.query(`DROP DATABASE IF EXISTS ${name}`);
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  const url = new URL(address);
  url.pathname = `/${name}`;
  return url.href;
}

test("doctor makes no tables in Postgres, looks at those that are there, and at its clock", async ({
  skip,
}) => {
  const server = await startPostgres();
  if (!server) return skip(NO_POSTGRES);
  onTestFinished(() => server.stop());
  const connectionString = await newDatabase(server.connectionString);
  const client = new pg.Client({ connectionString });
  await client.connect();
  onTestFinished(() => client.end());
  expect(await said(storeCheck, connectionString)).toEqual([
    expect.stringMatching(/^ok store .*: it has no tables yet; they are made when it is first used$/),
  ]);
  expect((await client.query("SELECT FROM pg_namespace WHERE nspname = 'agentchart'")).rowCount).toBe(0);
  const store = postgresStore({ connectionString });
  await store.list();
  await store.close();
  expect(await said(storeCheck, connectionString)).toEqual([
    expect.stringMatching(/^ok store .*: it opens, and takes a write$/),
    expect.stringMatching(/^ok clock within [\d.]+ s of that of the store$/),
    "ok sessions 0, and each can be opened",
  ]);
  await client.query("INSERT INTO agentchart.migrations (version) VALUES (99)");
  expect(await said(storeCheck, connectionString)).toEqual([
    expect.stringMatching(
      /^wrong store .*: a newer release made its tables \(version 99; this one knows \d+\)/,
    ),
  ]);
});

test("doctor asks a queue on Redis", async ({ skip }) => {
  const server = await startRedis();
  if (!server) return skip(NO_REDIS);
  onTestFinished(() => server.stop());
  expect(await said(queueCheck, "sqlite:a.db", server.url)).toEqual([
    "ok queue it answers; 0 wake-ups wait, 0 are with workers, 0 are for later",
  ]);
});

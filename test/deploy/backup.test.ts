// test/deploy specifies that a store can be backed up and restored as docs/operate.md says, with nothing lost and nothing done twice.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Client } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { createAgent, defineTool, type Agent } from "agentchart";
import { postgresStore } from "agentchart/store/postgres";
import { sqliteStore } from "agentchart/store/sqlite";
import { scriptedModel } from "agentchart/testing";
import type { SessionStore } from "agentchart/session";
import { NO_POSTGRES, startPostgres } from "../support/postgres.ts";
import { ROOT } from "../project/source-files.ts";

const page = readFileSync(join(ROOT, "docs/operate.md"), "utf8");
const block = (name: string): string => new RegExp(`^\`\`\`sh ${name}\\n([^]*?)^\`\`\``, "m").exec(page)![1]!;

/** An agent whose tool waits for an approval, and the keys with which the tool ran. */
function deskOn(store: SessionStore, paid: string[], turns: Parameters<typeof scriptedModel>[0]): Agent {
  const refund = defineTool({
    name: "refund",
    description: "Pays money back.",
    input: { type: "object" },
    permission: "ask",
    idempotent: true,
    execute: (_, { idempotencyKey }) => {
      paid.push(idempotencyKey);
      return "paid";
    },
  });
  return createAgent({ name: "desk", model: scriptedModel(turns), tools: [refund], store, sessionId: "s1" });
}

/** Lets the session ask for an approval, and closes it. */
async function ask(store: SessionStore): Promise<void> {
  const agent = deskOn(store, [], [{ calls: [{ id: "c1", name: "refund", input: {} }] }]);
  expect((await agent.call("Pay it back.")).reason).toBe("APPROVAL_REQUIRED");
  await agent.close();
  await store.close();
}

/** Approves the call in the restored store. Resolves to the answer, and to how often the tool ran. */
async function approve(store: SessionStore): Promise<readonly [string, number]> {
  const paid: string[] = [];
  const agent = deskOn(store, paid, ["It is paid."]);
  await agent.open();
  expect(agent.status().pending.map(({ callId }) => callId)).toEqual(["c1"]);
  await agent.decide("c1", "approve");
  const { text } = await agent.call();
  await agent.close();
  await store.close();
  return [text, paid.length];
}

test("A session of Postgres that waits for an approval goes on in a restored database", async ({ skip }) => {
  const postgres = await startPostgres();
  if (!postgres) return skip(NO_POSTGRES);
  onTestFinished(postgres.stop);
  const folder = mkdtempSync(join(tmpdir(), "agentchart-backup-"));
  const urlOf = (name: string): string => {
    const url = new URL(postgres.connectionString);
    url.pathname = `/${name}`;
    return url.href;
  };
  const create = async (...names: readonly string[]): Promise<void> => {
    const client = new Client({ connectionString: postgres.connectionString });
    await client.connect();
    for (const name of names) await client.query(`CREATE DATABASE ${name}`);
    await client.end();
  };
  const run = (name: string, database: string): void => {
    execFileSync("sh", ["-euc", block(name)], {
      cwd: folder,
      env: { PATH: process.env["PATH"], DATABASE_URL: urlOf(database) },
      stdio: "pipe",
    });
  };

  await create("before", "after");
  await ask(postgresStore({ connectionString: urlOf("before") }));
  run("backup", "before");
  run("restore", "after");
  const restored = postgresStore({ connectionString: urlOf("after") });
  expect(await approve(restored)).toEqual(["It is paid.", 1]);
});

test("A session of SQLite goes on in a copy that VACUUM INTO made", async () => {
  const folder = mkdtempSync(join(tmpdir(), "agentchart-backup-"));
  const [before, after] = [join(folder, "before.db"), join(folder, "after.db")];
  await ask(sqliteStore({ path: before }));
  const database = new DatabaseSync(before);
  database.prepare("VACUUM INTO ?").run(after);
  database.close();
  expect(await approve(sqliteStore({ path: after }))).toEqual(["It is paid.", 1]);
});

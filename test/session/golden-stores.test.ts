// Golden sessions in stores of each kind and release.
import { cpSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type SessionStore } from "agentchart";
import { importSession } from "agentchart/session";
import { memoryStore } from "agentchart/store/memory";
import pg from "pg";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { historyProblem } from "../support/history.ts";
import { testHome, testHub } from "../support/hub-page.ts";
import { openStore } from "../support/open-store.ts";
import { finish, plannedAgent, plannedTools } from "../support/planned.ts";
import { NO_POSTGRES, startPostgres } from "../support/postgres.ts";
import { get, steps, type Detail } from "../support/stored-runs.ts";

const RELEASES = ["0.1.0", "0.2.0"];

const pathOf = (release: string, name: string): string =>
  join(import.meta.dirname, "../fixtures/sessions", release, name);

function copy(release: string, name: string): string {
  const dir = mkdtempSync(join(tmpdir(), "agentchart-golden-"));
  cpSync(pathOf(release, name), join(dir, name), { recursive: true });
  return join(dir, name);
}

const server = await startPostgres();
afterAll(() => server?.stop());

async function filledPostgres(release: string): Promise<string> {
  const { connectionString } = server!;
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query("DROP SCHEMA IF EXISTS golden CASCADE");
  await client.query(readFileSync(pathOf(release, "postgres.sql"), "utf8"));
  await client.end();
  return connectionString;
}

const stores: { readonly [kind: string]: (release: string) => Promise<SessionStore> } = {
  file: (release) => openStore({ kind: "file", dir: copy(release, "file") }),
  sqlite: (release) => openStore({ kind: "sqlite", path: copy(release, "sessions.sqlite") }),
  ...(server && {
    postgres: async (release) =>
      openStore({ kind: "postgres", connectionString: await filledPostgres(release), schema: "golden" }),
  }),
};
const left = RELEASES.flatMap((release) =>
  Object.entries(stores).map(([kind, open]) => ({ release, kind, open: () => open(release) })),
);
if (!server) test.skip(`golden sessions in Postgres (${NO_POSTGRES})`, () => {});

/** Calls whose results the stored session has already. */
const RECORDED = ["r0-quick", "r0-slow", "r1-quick", "r1-slow", "r1-pay"];

describe.each(left)("sessions that release $release left in the $kind store", ({ open }) => {
  async function restored(sessionId: string) {
    const store = await open();
    const ran: string[] = [];
    const agent = plannedAgent({ store, sessionId, tools: plannedTools((id) => ran.push(id)) });
    onTestFinished(async () => {
      await agent.close();
      await store.close();
    });
    await agent.open();
    return { agent, ran };
  }

  test("an idle session keeps its messages and takes another turn", async () => {
    const { agent, ran } = await restored("idle");
    expect(agent.status()).toMatchObject({ phase: "stopped", reason: "MODEL_STOP" });
    const before = await agent.messages();
    expect(before.length).toBeGreaterThan(10);
    const reply = await agent.call("again");
    expect(reply.reason).toBe("MODEL_STOP");
    expect(ran).toEqual([]);
    expect(historyProblem(await agent.messages())).toBeUndefined();
  });

  test("a suspended session waits for the same decision and goes on after it", async () => {
    const { agent, ran } = await restored("suspended");
    expect(agent.status()).toMatchObject({
      phase: "suspended",
      reason: "APPROVAL_REQUIRED",
      pending: [{ callId: "r1-pay", waitsFor: "approval" }],
    });
    await finish(agent);
    expect(ran).not.toContain("r0-quick");
    expect(ran.filter((id) => id === "r1-pay")).toEqual(["r1-pay"]);
    expect(historyProblem(await agent.messages())).toBeUndefined();
  });

  test("an unfinished session goes on and repeats no recorded result", async () => {
    const { agent, ran } = await restored("unfinished");
    await finish(agent);
    expect(agent.status()).toMatchObject({ phase: "stopped", reason: "MODEL_STOP" });
    expect(ran.filter((id) => RECORDED.includes(id))).toEqual([]);
    expect(historyProblem(await agent.messages())).toBeUndefined();
  });

  test("the inspector shows every append of them", async () => {
    const store = await open();
    onTestFinished(() => store.close());
    const hub = await testHub({ home: testHome(), store });
    for (const sessionId of ["idle", "suspended", "unfinished"]) {
      const { row } = await get<Detail>(hub, `/api/runs/${sessionId}`);
      expect(row.source).toBe("store");
      expect((await steps(hub, sessionId)).items.length, sessionId).toBeGreaterThan(3);
    }
  });
});

test.each(RELEASES)(
  "a session that release %s exported is imported, waits for the same decision and goes on",
  async (release) => {
    const store = memoryStore();
    const lines = readFileSync(pathOf(release, "suspended.ndjson"), "utf8").split(/(?<=\n)/u);
    await importSession(store, lines, { sessionId: "copied" });
    const agent = plannedAgent({ store, sessionId: "copied" });
    await agent.open();
    expect(agent.status()).toMatchObject({ phase: "suspended", pending: [{ callId: "r1-pay" }] });
    await finish(agent);
    expect(historyProblem(await agent.messages())).toBeUndefined();
    await agent.close();
  },
);

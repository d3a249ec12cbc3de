// The crash test finds nothing in sound agents, and shows no other user their store.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { crashTest } from "agentchart/testing";
import { NO_POSTGRES, startPostgres } from "../../support/postgres.ts";
import { isSoak } from "../../laws/kill/live.ts";

const SOUND = join(import.meta.dirname, "agents/sound.ts");
const folder = mkdtempSync(join(tmpdir(), "store-of-a-crash-test-"));
const server = await startPostgres();
afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A point of each kind; with SOAK=1 all points. */
const AT = [
  "kill:append:3:after",
  "kill:append:6:after",
  "kill:append:13:before",
  "kill:tool:refund:1:after",
  "kill:tool:write:1:after",
  "kill@prompt:tool:refund:1:before",
  "kill@schema:decided:1.1",
  "kill@name:waiting:1",
  "stop:append:9:before",
  "repeat:write",
];
const stores = {
  file: `file:${join(folder, "files")}`,
  SQLite: `sqlite:${join(folder, "sessions.db")}`,
  ...(server && { Postgres: `${server.connectionString}?application_name=store-of-a-crash-test` }),
};
if (!server) test.skip(`crashTest on Postgres (${NO_POSTGRES})`, () => {});

/** One store in one run with CI=1, another on the next day. */
const DAY = Math.floor(Date.now() / 86_400_000);
const all = Object.entries(stores);
const chosen = process.env["CI"] && !isSoak ? [all[DAY % all.length]!] : all;

test.each(chosen)(
  "crashTest finds nothing in a sound agent with a sub-agent on %s",
  { timeout: 1_800_000 },
  async (_, store) => {
    const options = isSoak ? { timeLimitMs: 1_800_000 } : { at: AT };
    const report = await crashTest(SOUND, { store, lifeLimitMs: 120_000, ...options });
    expect(report).toMatchObject({ state: "sound", findings: [], unwatched: [] });
    expect(report.points).toMatchObject({ unreached: 0, impossible: 0, run: report.points.total });
    if (!isSoak) expect(report.points.total).toBe(AT.length);
  },
);
